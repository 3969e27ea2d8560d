import type { Announcement } from "svc-sdk";
import { expect, test } from "vitest";
import { en } from "../../texts/en";
import { check, copyOf, draftOf, empty, fieldsOf } from "./draft";

const record: Announcement = {
  id: "1",
  title: "Maintenance",
  content: "Soon",
  is_pinned: true,
  is_hidden: false,
  platforms: [],
  author: null,
  min_comparable_version: "1.0",
  max_comparable_version: null,
  locale: null,
  translations: [
    { locale: "de", title: "Wartung", content: null, is_hidden: false },
    { locale: "fr", title: null, content: null, is_hidden: true },
  ],
  published_at: 1_700_000_000,
  expires_at: null,
  created_at: 1_700_000_000,
  updated_at: 1_700_000_000,
};

test("an edit that changes nothing sends what was there", () => {
  expect(fieldsOf(draftOf(record))).toEqual({
    title: "Maintenance",
    content: "Soon",
    is_pinned: true,
    is_hidden: false,
    platforms: [],
    author: null,
    min_comparable_version: "1.0",
    max_comparable_version: null,
    translations: [
      { locale: "de", title: "Wartung", content: "", is_hidden: false },
      { locale: "fr", title: "", content: "", is_hidden: true },
    ],
    published_at: 1_700_000_000,
    expires_at: null,
  });
});

test("a copy comes out now", () => {
  expect(fieldsOf(copyOf(record))).not.toHaveProperty("published_at");
});

test.each([
  ["nothing", {}, {}],
  ["an end before the beginning", { published_at: 200, expires_at: 100 }, { expires_at: en.announcements.form.endsTooEarly }],
  ["no title", { title: " " }, { title: en.announcements.form.titleNeeded }],
  ["a bound that cannot be compared", { min_comparable_version: "one" }, { min_comparable_version: en.fields.version.invalid }],
  [
    "bounds in the wrong order",
    { min_comparable_version: "2", max_comparable_version: "1.9" },
    { max_comparable_version: en.fields.range.reversed },
  ],
])("%s", (_, part, problems) => {
  expect(check({ ...empty(), title: "Maintenance", ...part }, null, en)).toEqual(problems);
});
