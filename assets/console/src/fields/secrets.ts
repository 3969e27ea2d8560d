// Secrets that can be set but never read.

/**
 * Returns a placeholder for a stored secret: an asterisk for each character, except for the last
 * characters, which are shown.
 */
export function maskOf(length: number | null, hint: string | null): string | null {
  if (length === null) {
    return null;
  }
  const end = hint ?? "";
  return "*".repeat(Math.max(length - end.length, 0)) + end;
}

/** Returns a new secret of 24 random bytes, like those that the server generates. */
export function randomSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(24));
  return `whsec_${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

/** Returns the value of an Authorization header for a user name and a password, encoded in UTF-8. */
export function basicCredentials(username: string, password: string): string {
  const bytes = new TextEncoder().encode(`${username}:${password}`);
  return `Basic ${btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))}`;
}
