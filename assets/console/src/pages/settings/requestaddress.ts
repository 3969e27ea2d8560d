/** The address of translation requests, which the server derives from protocol and address; null without an address. */
export function requestAddress(provider: string, address: string): string | null {
  const base = address.trim().replace(/\/+$/, "");
  return base ? base + (provider === "anthropic" ? "/v1/messages" : "/chat/completions") : null;
}
