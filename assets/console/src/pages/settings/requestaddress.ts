/** Where requests of the translation go, as the server makes it of protocol and address; null without an address. */
export function requestAddress(provider: string, address: string): string | null {
  const base = address.trim().replace(/\/+$/, "");
  return base ? base + (provider === "anthropic" ? "/v1/messages" : "/chat/completions") : null;
}
