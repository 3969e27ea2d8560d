import type { ApiKey } from "svc-sdk";
import { describe, expect, test } from "vitest";
import { filterTokens, stateOf } from "./state";

function key(name: string, more: Partial<ApiKey> = {}): ApiKey {
  return {
    id: `id-${name}`,
    name,
    scopes: ["versions:write"],
    all_projects: true,
    project_ids: [],
    is_active: true,
    created_at: 0,
    expires_at: null,
    revoked_at: null,
    last_used_at: null,
    previous_key_expires_at: null,
    ...more,
  };
}

describe("the state of a key", () => {
  test("revoked counts more than expired", () => {
    expect(stateOf(key("a"), 100)).toBe("active");
    expect(stateOf(key("a", { expires_at: 101 }), 100)).toBe("active");
    expect(stateOf(key("a", { expires_at: 100 }), 100)).toBe("expired");
    expect(stateOf(key("a", { expires_at: 100, is_active: false }), 100)).toBe("revoked");
  });
});

describe("the local search", () => {
  const keys = [key("CI", { project_ids: ["aurora"] }), key("script", { scopes: ["logs:read"], is_active: false })];
  const names = (found: ApiKey[]) => found.map(({ name }) => name);
  test("looks in names, scopes and projects, in any case", () => {
    expect(names(filterTokens(keys, { search: " ci " }))).toEqual(["CI"]);
    expect(names(filterTokens(keys, { search: "LOGS" }))).toEqual(["script"]);
    expect(names(filterTokens(keys, { search: "aurora" }))).toEqual(["CI"]);
    expect(names(filterTokens(keys, {}))).toEqual(["CI", "script"]);
  });
  test("is joined with the state", () => {
    expect(names(filterTokens(keys, { state: "revoked" }))).toEqual(["script"]);
    expect(names(filterTokens(keys, { state: "revoked", search: "ci" }))).toEqual([]);
  });
});
