// Secrets that are set and never read again.

/** What stands for a stored secret: as many asterisks as it has characters, then the last of them. */
export function maskOf(length: number | null, hint: string | null): string | null {
  if (length === null) {
    return null;
  }
  const end = hint ?? "";
  return "*".repeat(Math.max(length - end.length, 0)) + end;
}

/** A new secret of 24 random bytes, as the server itself makes them. */
export function randomSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(24));
  return `whsec_${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

/** Value of an Authorization header for a user and password, in UTF-8. */
export function basicCredentials(username: string, password: string): string {
  const bytes = new TextEncoder().encode(`${username}:${password}`);
  return `Basic ${btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))}`;
}
