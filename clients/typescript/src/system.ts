// System versions from descriptions given by the system (vectors: os_version).

/** From the text of os-release: id and version. */
export function osRelease(text: string): string {
  const value = (name: string) =>
    (new RegExp(`^${name}=(.*)$`, "m").exec(text)?.[1] || "").replace(/["']/g, "").trim();
  return (value("ID").toLowerCase() + " " + value("VERSION_ID")).trim();
}

/** From the kernel release of Darwin. */
export function darwinVersion(release: string): string {
  const major = parseInt(release, 10);
  if (major >= 25) {
    return String(major + 1);
  }
  if (major >= 20) {
    return String(major - 9);
  }
  return major >= 16 ? "10." + String(major - 4) : "";
}

/** From the build of Windows. */
export function windowsVersion(build: string): string {
  const [major, minor, number] = build.split(".").map(Number);
  if (major === 10 && minor === 0) {
    return number! >= 22000 ? "11" : "10";
  }
  return ({ "6.3": "8.1", "6.2": "8", "6.1": "7" } as Record<string, string>)[`${major}.${minor}`] || "";
}
