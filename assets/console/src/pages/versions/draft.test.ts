import type { Version } from "svc-sdk";
import { expect, test } from "vitest";
import { en } from "../../texts/en";
import { check, copyOf, draftOf, empty, fieldsOf, isOffered, successorOf } from "./draft";

const version: Version = {
  id: "1",
  version: "v1.2.0",
  comparable_version: "1.2.0",
  title: "Faster",
  content: "- Fast",
  locale: null,
  translations: [{ locale: "de", title: "Schneller", content: null }],
  download_url: "https://a.example/x",
  download_links: [{ url: "https://a.example/x" }],
  forced: false,
  is_latest: true,
  is_preview: false,
  channel: "stable",
  is_milestone: true,
  is_deprecated: false,
  platform: null,
  platforms: ["linux"],
  custom_data: { build: 7 },
  published_at: 1_700_000_000,
  created_at: 1_700_000_001,
  yanked_at: null,
  yank_reason: null,
  native_versions: null,
};

test("an edit that changes nothing sends what was there", () => {
  expect(fieldsOf(draftOf(version))).toEqual({
    version: "v1.2.0",
    comparable_version: "1.2.0",
    title: "Faster",
    content: "- Fast",
    translations: [{ locale: "de", title: "Schneller", content: "" }],
    download_url: "https://a.example/x",
    download_links: [],
    is_latest: true,
    is_preview: false,
    is_milestone: true,
    is_deprecated: false,
    platforms: ["linux"],
    channel: "stable",
    native_versions: null,
    custom_data: { build: 7 },
    published_at: 1_700_000_000,
  });
});

test("native versions are sent as they are, removed when they are blank, and not copied", () => {
  const record = { ...version, native_versions: { semver: "1.2.0-rc.1" } };
  const draft = draftOf(record);
  expect(fieldsOf(draft)).toMatchObject({ native_versions: { semver: "1.2.0-rc.1", sparkle: null } });
  expect(fieldsOf({ ...draft, native_versions: { semver: " ", sparkle: " 12 " } })).toMatchObject({
    native_versions: { semver: null, sparkle: "12" },
  });
  expect(fieldsOf({ ...draft, native_versions: { semver: "", sparkle: "" } })).toMatchObject({ native_versions: null });
  expect(fieldsOf(copyOf(record))).toMatchObject({ native_versions: null });
});

test("links with names are links of their own", () => {
  const draft = draftOf({ ...version, download_links: [{ url: "https://a.example/x", name: "x" }] });
  expect(fieldsOf({ ...draft, download_url: "" })).toMatchObject({
    download_links: [{ url: "https://a.example/x", name: "x", platform: null }],
  });
  expect(fieldsOf({ ...draft, download_url: "" })).not.toHaveProperty("download_url");
  expect(fieldsOf({ ...draft, download_url: "", download_links: [] })).toMatchObject({ download_url: null, download_links: [] });
});

test("a copy has no translations, and what the server decides is left to it", () => {
  const fields = fieldsOf(copyOf({ ...version, is_deprecated: true }));
  expect(fields).toMatchObject({ translations: [], is_deprecated: false, is_milestone: true });
  expect(fields).not.toHaveProperty("is_latest");
  expect(fields).not.toHaveProperty("published_at");
});

const newer = { id: "2", version: "1.3", comparable_version: "1.3", download_links: [] };

test("the version that users move to is greater and another one", () => {
  expect(successorOf("1.2.0", "1", [newer])).toBe(newer);
  expect(successorOf("1.3.0", "1", [newer])).toBeUndefined();
  expect(successorOf("1.2", "2", [newer])).toBeUndefined();
});

test.each([
  ["nothing", {}, {}],
  ["no version", { version: " ", comparable_version: "1" }, { version: en.versions.form.versionNeeded }],
  ["one that cannot be compared", { version: "nightly", comparable_version: "" }, { comparable_version: en.fields.version.invalid }],
  ["a list as custom data", { custom_data: "[]" }, { custom_data: en.fields.json.kind }],
  ["latest and deprecated", { is_latest: true, is_deprecated: true }, { is_deprecated: en.versions.form.latestDeprecated }],
  ["deprecated, something newer is there", { is_deprecated: true }, {}],
  [
    "deprecated, nothing newer is there",
    { version: "9", comparable_version: "9", is_deprecated: true },
    { is_deprecated: en.versions.form.noSuccessor },
  ],
])("%s", (_, part, problems) => {
  expect(check({ ...empty(), version: "1.0", comparable_version: "1.0", ...part }, null, [newer], en)).toEqual(problems);
});

test("a version that is edited keeps a time", () => {
  expect(check({ ...draftOf(version), published_at: null }, version, [newer], en)).toEqual({ published_at: en.versions.form.timeNeeded });
});

test.each([
  ["a new stable version above all others", { version: "2.0" }, true],
  ["one below the greatest", { version: "1.0" }, false],
  ["one below that is made the latest", { version: "1.0", is_latest: true }, true],
  ["one above that is not made the latest", { version: "2.0", is_latest: false }, false],
  ["a preview", { version: "2.0", is_preview: true }, false],
  ["a milestone below", { version: "1.0", is_milestone: true }, true],
  ["a deprecated one", { version: "2.0", is_deprecated: true }, false],
  ["none yet", { version: "" }, false],
])("apps are sent to %s: %o is %s", (_, part, offered) => {
  const stable = [{ id: "1", version: "1.5", comparable_version: "1.5", download_links: [] }];
  expect(isOffered({ ...empty(), ...part }, null, stable)).toBe(offered);
});
