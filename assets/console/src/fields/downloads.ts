import type { File } from "svc-sdk";

/** A download while it is edited: what is not said is "". */
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

/** The platform that a file is for, going by its name; "" when that does not tell. */
export function platformOf(filename: string): string {
  const kind = kinds.find(([, extensions]) => extensions.test(filename));
  const word = /(?:^|[^a-z])(windows|win|macos|darwin|linux|android|ios)(?:64|32)?(?:[^a-z]|$)/i.exec(filename)?.[1]?.toLowerCase();
  return kind?.[0] ?? (word === "win" ? "windows" : word === "darwin" ? "macos" : (word ?? ""));
}

/** The address of a file in the library. */
export function addressOf(file: Pick<File, "url" | "path">): string {
  return file.url ?? `${location.origin}${file.path}`;
}

/** A link to a file of the library. */
export function linkTo(file: Pick<File, "url" | "path" | "filename">): LinkDraft {
  return { url: addressOf(file), name: file.filename, platform: platformOf(file.filename) };
}

/** Links as they are sent: lines without an address are left out, what is not said is null. */
export function linksOf(drafts: LinkDraft[]): { url: string; name: string | null; platform: string | null }[] {
  return drafts
    .filter(({ url, name, platform }) => url.trim() || name.trim() || platform.trim())
    .map(({ url, name, platform }) => ({ url: url.trim(), name: name.trim() || null, platform: platform.trim() || null }));
}

/** Links as they are edited. */
export function draftsOf(links: { url: string; name?: string | undefined; platform?: string | undefined }[]): LinkDraft[] {
  return links.map(({ url, name = "", platform = "" }) => ({ url, name, platform }));
}
