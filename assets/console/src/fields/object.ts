/** Parses a JSON text. It returns the object in it, null for a blank text, or an error. */
export function parseObject(text: string): { value: Record<string, unknown> | null } | { error: "syntax" | "kind" } {
  if (text.trim() === "") {
    return { value: null };
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { error: "syntax" };
  }
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? { value: value as Record<string, unknown> }
    : { error: "kind" };
}

/** Formats an object as text for editing. The result for null is "". */
export function formatObject(value: object | null | undefined): string {
  return value ? JSON.stringify(value, null, 2) : "";
}
