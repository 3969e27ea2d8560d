// Paths of this site.

/** The page that is shown after a login if the user has requested no other. */
export const home = "/admin";

/**
 * Returns the path to open after a login. A path that leads to another site is replaced by the
 * overview. The address is parsed like the browser parses it, because texts such as
 * "/\evil.example" and "/<tab>/evil.example" lead to other sites.
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
  // A browser would resolve a path that begins with two slashes to another host.
  if (url.origin !== origin || pathname.startsWith("//") || pathname.includes("\\")) {
    return home;
  }
  return pathname === "/login" || pathname.startsWith("/login/") ? home : pathname + search + hash;
}
