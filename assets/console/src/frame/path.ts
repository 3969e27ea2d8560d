// Paths of this site.

/** The page after a login if no other was requested. */
export const home = "/admin";

/**
 * The path to open after a login: a path of this site, or else the overview. The address is parsed
 * as the browser does it, because texts such as "/\evil.example" and "/<tab>/evil.example" lead to
 * other sites.
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
  // A path that begins with two slashes would be resolved to another host.
  if (url.origin !== origin || pathname.startsWith("//") || pathname.includes("\\")) {
    return home;
  }
  return pathname === "/login" || pathname.startsWith("/login/") ? home : pathname + search + hash;
}
