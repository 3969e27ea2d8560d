import { expect, test } from "vitest";
import { formatObject, parseObject } from "./object";

test.each([
  ["", { value: null }],
  [" \n", { value: null }],
  ['{"a":{"b":[1]}}', { value: { a: { b: [1] } } }],
  ["[1]", { error: "kind" }],
  ["null", { error: "kind" }],
  ["1", { error: "kind" }],
  ['{"a":', { error: "syntax" }],
])("%j is %j", (text, parsed) => {
  expect(parseObject(text)).toEqual(parsed);
});

test("what is shown for editing reads back as the same", () => {
  const value = { name: "中文", list: [1, { deep: null }] };
  expect(parseObject(formatObject(value))).toEqual({ value });
  expect(formatObject(null)).toBe("");
});
