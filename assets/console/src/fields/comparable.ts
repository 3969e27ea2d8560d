import { compareVersions, isComparableVersion } from "svc-sdk";

/** Returns the comparable version in a display version, such as 1.2.0 in "v1.2.0", or null if there is none. */
export function deriveComparable(display: string): string | null {
  const text = display.trim().replace(/^v/i, "");
  return isComparableVersion(text) && text.length <= 64 ? text : null;
}

/** Reports whether both texts are comparable versions and the first is greater than the second. */
export function isAbove(a: string, b: string): boolean {
  return isComparableVersion(a) && isComparableVersion(b) && compareVersions(a, b) > 0;
}
