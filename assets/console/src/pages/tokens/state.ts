// The states of API keys, and the search among them. The API returns all keys at once, so both work
// in the browser.

import type { ApiKey } from "svc-sdk";
import { now as serverNow } from "../../core/clock";

export const states = ["active", "expired", "revoked"] as const;

export type TokenState = (typeof states)[number];

export function stateOf({ is_active, expires_at }: Pick<ApiKey, "is_active" | "expires_at">, now = serverNow()): TokenState {
  return !is_active ? "revoked" : expires_at !== null && expires_at <= now ? "expired" : "active";
}

/** Returns the keys that have the given state and contain a text in their name, scopes, projects or ID. */
export function filterTokens(keys: ApiKey[], { search, state }: { search?: string | undefined; state?: string | undefined }): ApiKey[] {
  const wanted = search?.trim().toLowerCase() ?? "";
  return keys.filter(
    (key) =>
      (!state || stateOf(key) === state) &&
      [key.name, key.id, ...key.scopes, ...key.project_ids].some((text) => text.toLowerCase().includes(wanted)),
  );
}
