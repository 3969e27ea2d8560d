/** Returns the creation time of a version 7 UUID in Unix seconds, or null for any other text. */
export function madeAt(id: string): number | null {
  const digits = /^([0-9a-f]{8})-([0-9a-f]{4})-7/i.exec(id);
  return digits ? Math.floor(Number.parseInt(digits[1]! + digits[2]!, 16) / 1000) : null;
}
