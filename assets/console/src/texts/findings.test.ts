import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { findings, texts, titles } from "./zh/findings";

const folder = fileURLToPath(new URL("../../../../internal/doctor/", import.meta.url));
const source = readdirSync(folder)
  .filter((name) => name.endsWith(".go") && !name.endsWith("_test.go"))
  .map((name) => readFileSync(folder + name, "utf8"))
  .join("\n");

/** Returns the first group of each match in the source code of the server. A call may take several lines there. */
const inSource = (pattern: RegExp) => [...source.matchAll(pattern)].map((match) => match[1]!);

const kinds = inSource(/checkPair\([^)]*?"(\w+)",\s+messagef/g);
const codes = new Set([
  ...inSource(/\b(?:note|warning|problem)\(\s*"(\w+)",/g),
  ...inSource(/\b(?:note|warning|problem)\(\s*"(\w+)"\+kind/g).flatMap((code) => kinds.map((kind) => code + kind)),
  ...inSource(/checkSecrecy\(.*?"(\w+)"/g),
  ...inSource(/\{\s*"(filesystem_\w+)"/g),
]);

describe("findings of the server", () => {
  it("have each a text in Chinese, and no other has one", () => {
    expect(codes.size).toBeGreaterThan(50);
    expect(Object.keys(texts).sort()).toEqual([...codes].sort());
  });
  it("are of checks that have each a title in Chinese", () => {
    expect(Object.keys(titles).sort()).toEqual(inSource(/^\t\{"(\w+)", ".*", check/gm).sort());
  });
  it("are shown as the server says them when they are not known", () => {
    const unknown = { status: "note", code: "new", what: "what", repair: "repair", values: [] } as const;
    expect(findings.textOf({ ...unknown, values: [] })).toMatchObject({ what: "what", repair: "repair" });
    expect(findings.titleOf({ name: "new", title: "a check" })).toBe("a check");
  });
});
