/** Derives a project key from a name: "My App 2" becomes my-app-2. */
export function keyOf(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replaceAll(/[\s/\\?#%_]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, 64);
}
