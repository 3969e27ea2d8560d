/**
 * Returns the address to which the server sends translation requests. The server derives it from
 * the protocol and the entered address. The result is null if no address has been entered.
 */
export function requestAddress(provider: string, address: string): string | null {
  const base = address.trim().replace(/\/+$/, "");
  return base ? base + (provider === "anthropic" ? "/v1/messages" : "/chat/completions") : null;
}
