import type { File } from "svc-sdk";

/** A download link that is being edited. Missing values are "". */
export interface LinkDraft {
  url: string;
  name: string;
  platform: string;
}

const kinds: [platform: string, extensions: RegExp][] = [
  ["windows", /\.(exe|msi|msix|msixbundle|appx|appxbundle|appinstaller)$/i],
  ["macos", /\.(dmg|pkg)$/i],
  ["linux", /\.(deb|rpm|appimage|flatpak|snap)$/i],
  ["android", /\.(apk|aab)$/i],
  ["ios", /\.ipa$/i],
];

/** Returns the platform that the name of a file suggests, or "" if it suggests none. */
export function platformOf(filename: string): string {
  const kind = kinds.find(([, extensions]) => extensions.test(filename));
  const word = /(?:^|[^a-z])(windows|win|macos|darwin|linux|android|ios)(?:64|32)?(?:[^a-z]|$)/i.exec(filename)?.[1]?.toLowerCase();
  return kind?.[0] ?? (word === "win" ? "windows" : word === "darwin" ? "macos" : (word ?? ""));
}

/** Returns the address of a file in the library. */
export function addressOf(file: Pick<File, "url" | "path">): string {
  return file.url ?? `${location.origin}${file.path}`;
}

/** Returns a download link to a file of the library. */
export function linkTo(file: Pick<File, "url" | "path" | "filename">): LinkDraft {
  return { url: addressOf(file), name: file.filename, platform: platformOf(file.filename) };
}

/**
 * Converts edited links to the form for the server. It omits rows without an address, and sends
 * null for missing values.
 */
export function linksOf(drafts: LinkDraft[]): { url: string; name: string | null; platform: string | null }[] {
  return drafts
    .filter(({ url, name, platform }) => url.trim() || name.trim() || platform.trim())
    .map(({ url, name, platform }) => ({ url: url.trim(), name: name.trim() || null, platform: platform.trim() || null }));
}

/** Converts the links of a record to the form for editing. */
export function draftsOf(links: { url: string; name?: string | undefined; platform?: string | undefined }[]): LinkDraft[] {
  return links.map(({ url, name = "", platform = "" }) => ({ url, name, platform }));
}
