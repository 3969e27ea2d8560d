import { expect, test } from "vitest";
import { batch, initiallyOpen, visible } from "./nodes";

test("the members of the whole are shown, those of closed groups are not", () => {
  const nodes = visible({ os: "Linux", screen: { width: 800 }, tags: [] }, new Map());
  expect(nodes.map(({ path, key, kind, value, expanded }) => [path, key, kind, value, expanded])).toEqual([
    ["/0", "os", "text", "Linux", false],
    ["/1", "screen", "group", 1, false],
    ["/2", "tags", "group", 0, false],
  ]);
});

test("an open group is followed by its members, one level deeper", () => {
  const nodes = visible({ screen: { width: 800, scale: null }, on: true }, new Map([["/0", batch]]));
  expect(nodes.map(({ path, level, kind, value }) => [path, level, kind, value])).toEqual([
    ["/0", 1, "group", 2],
    ["/0/0", 2, "other", "800"],
    ["/0/1", 2, "other", "null"],
    ["/1", 1, "other", "true"],
  ]);
  expect(nodes.map(({ position, siblings }) => [position, siblings])).toEqual([
    [1, 2],
    [1, 2],
    [2, 2],
    [2, 2],
  ]);
});

test("a long list shows its first members and how many are left", () => {
  const list = Array.from({ length: 250 }, (_, i) => i);
  const nodes = visible(list, new Map());
  expect(nodes).toHaveLength(batch + 1);
  expect(nodes.at(-1)).toMatchObject({ path: "/rest", kind: "rest", value: 150 });
  expect(visible(list, new Map([["", 250]]))).toHaveLength(250);
});

test.each([
  ["text", "text", "text"],
  [7, "other", "7"],
  [null, "other", "null"],
])("%j alone is one line", (value, kind, text) => {
  expect(visible(value, new Map())).toMatchObject([{ key: null, kind, value: text, level: 1 }]);
});

test("small groups of the first level are open at first", () => {
  const wide = Array.from({ length: 11 }, () => 0);
  expect([...initiallyOpen({ a: { b: { c: 1 } }, wide, text: "x" }).keys()]).toEqual(["/0"]);
});
