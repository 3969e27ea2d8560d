import { expect, test } from "vitest";
import { fill, hasVariables } from "./templates";

test("variables are replaced once; what is unknown stays as written", () => {
  expect(fill("{{a}} {{ a }} {{b}} {{ A }}", { a: "{{b}}", b: "2" })).toBe("{{b}} {{b}} 2 {{ A }}");
  expect(fill("{{ constructor }} {{unknown}} {a}", {})).toBe("{{ constructor }} {{unknown}} {a}");
});

test("a text that is filled in has no variables", () => {
  expect(hasVariables("by {{ operator_name }}")).toBe(true);
  expect(hasVariables(fill("by {{ operator_name }}", { operator_name: "Example Ltd" }))).toBe(false);
  expect(hasVariables("{{ A }} {x}")).toBe(false);
});
