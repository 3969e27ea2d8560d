// Which paths are of this site.

/** What comes after a login when nothing else is asked for. */
export const home = "/admin";

/**
 * The path to go on with: one of this site, else the overview. The address is taken apart as
 * the browser does it, because texts such as "/\evil.example" and "/<tab>/evil.example" lead elsewhere.
 */
export function safePath(path: string | undefined, origin: string): string {
  if (!path?.startsWith("/")) {
    return home;
  }
  let url: URL;
  try {
    url = new URL(path, origin);
  } catch {
    return home;
  }
  const { pathname, search, hash } = url;
  // A path that begins with two slashes would be another host when it is resolved again.
  if (url.origin !== origin || pathname.startsWith("//") || pathname.includes("\\")) {
    return home;
  }
  return pathname === "/login" || pathname.startsWith("/login/") ? home : pathname + search + hash;
}
