/** Unix seconds at which an id of version 7 was made, or null when it is none. */
export function madeAt(id: string): number | null {
  const digits = /^([0-9a-f]{8})-([0-9a-f]{4})-7/i.exec(id);
  return digits ? Math.floor(Number.parseInt(digits[1]! + digits[2]!, 16) / 1000) : null;
}
