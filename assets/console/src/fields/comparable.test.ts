import { expect, test } from "vitest";
import { deriveComparable, isAbove } from "./comparable";

test.each([
  ["v1.2.0", "1.2.0"],
  [" V2.0.0-rc.1 ", "2.0.0-rc.1"],
  ["1.0", "1.0"],
  ["vv1.0", null],
  ["1.0 (build 7)", null],
  ["", null],
  [`1.${"0".repeat(63)}`, null],
])("the comparable version of %j is %j", (display, comparable) => {
  expect(deriveComparable(display)).toBe(comparable);
});

test.each([
  ["1.10", "1.9", true],
  ["1.0", "1.0-rc", true],
  ["1.0", "1.0.0", false],
  ["1.0", "2.0", false],
  ["", "1.0", false],
  ["2.0", "x", false],
])("%j is above %j: %j", (a, b, above) => {
  expect(isAbove(a, b)).toBe(above);
});
