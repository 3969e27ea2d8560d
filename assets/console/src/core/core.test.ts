import { expect, test } from "vitest";
import { localeOf } from "./locale";
import { sentence } from "./sentence";

test("a message begins upper-case, and a name of a field stays as it is", () => {
  expect(sentence("wrong user name or password")).toBe("Wrong user name or password");
  for (const text of ["project_key must not be empty", "scopes[0] is no scope", "nas.local refused the connection", "E42", ""]) {
    expect(sentence(text)).toBe(text);
  }
});

test("dates follow the variant of the language that the browser prefers", () => {
  expect(localeOf("en", ["en-US", "en"])).toBe("en-US");
  expect(localeOf("en", ["de-DE", "en-AU"])).toBe("en-AU");
  expect(localeOf("en", ["de-DE"])).toBe("en-GB");
  expect(localeOf("zh", ["en-US", "zh-TW"])).toBe("zh-TW");
});
