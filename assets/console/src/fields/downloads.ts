import type { File } from "svc-sdk";

/** A download that is being edited; missing values are "". */
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

/** The platform of a file according to its name; "" if unknown. */
export function platformOf(filename: string): string {
  const kind = kinds.find(([, extensions]) => extensions.test(filename));
  const word = /(?:^|[^a-z])(windows|win|macos|darwin|linux|android|ios)(?:64|32)?(?:[^a-z]|$)/i.exec(filename)?.[1]?.toLowerCase();
  return kind?.[0] ?? (word === "win" ? "windows" : word === "darwin" ? "macos" : (word ?? ""));
}

/** The address of a file in the library. */
export function addressOf(file: Pick<File, "url" | "path">): string {
  return file.url ?? `${location.origin}${file.path}`;
}

/** A download that refers to a file of the library. */
export function linkTo(file: Pick<File, "url" | "path" | "filename">): LinkDraft {
  return { url: addressOf(file), name: file.filename, platform: platformOf(file.filename) };
}

/** Downloads for the server: rows without an address are omitted, and missing values are null. */
export function linksOf(drafts: LinkDraft[]): { url: string; name: string | null; platform: string | null }[] {
  return drafts
    .filter(({ url, name, platform }) => url.trim() || name.trim() || platform.trim())
    .map(({ url, name, platform }) => ({ url: url.trim(), name: name.trim() || null, platform: platform.trim() || null }));
}

/** Downloads for editing. */
export function draftsOf(links: { url: string; name?: string | undefined; platform?: string | undefined }[]): LinkDraft[] {
  return links.map(({ url, name = "", platform = "" }) => ({ url, name, platform }));
}
