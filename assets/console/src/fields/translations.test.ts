import { expect, test } from "vitest";
import { translationInputs, translationsOf } from "./translations";

const blank = { title: "", content: "", is_hidden: false };

test("what a language does not say is blank while it is edited", () => {
  expect(translationsOf([{ locale: "de", title: "Neu", content: null } as never], blank)).toEqual({
    de: { title: "Neu", content: "", is_hidden: false },
  });
  expect(translationsOf(undefined, blank)).toEqual({});
});

test("languages that say nothing are not sent", () => {
  const value = { de: { ...blank, title: " " }, fr: { ...blank, is_hidden: true }, zh: { ...blank, title: "新" } };
  expect(translationInputs(value).map(({ locale }) => locale)).toEqual(["fr", "zh"]);
});
