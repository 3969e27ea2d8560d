import type { CodehostRepoPreview } from "svc-sdk";
import { expect, test } from "vitest";
import { keyOf } from "../../core/projectkey";
import { en } from "../../texts/en";
import { check, empty, fieldsOf, fillFrom } from "./draft";

test.each([
  ["My App 2", "my-app-2"],
  [" Acme/Desktop ", "acme-desktop"],
  ["应用", "应用"],
  ["?", ""],
])("the key of %j is %j", (name, key) => {
  expect(keyOf(name)).toBe(key);
});

const form = en.projects.form;

test.each([
  ["nothing", {}, {}],
  ["no key", { project_key: "" }, { project_key: form.keyInvalid }],
  ["a key with a slash", { project_key: "a/b" }, { project_key: form.keyInvalid }],
  ["no name", { name: " " }, { name: form.nameNeeded }],
  ["no days", { stats_retention_days: "" }, { stats_retention_days: form.retentionWrong }],
  ["too many days", { event_retention_days: 366 }, { event_retention_days: form.retentionWrong }],
  ["too many days of logs", { log_retention_days: 3651 }, { log_retention_days: form.longRetentionWrong }],
  ["no day of feedback", { feedback_retention_days: 0 }, { feedback_retention_days: form.longRetentionWrong }],
  [
    "bounds in the wrong order",
    { optional_update_min_comparable_version: "2", optional_update_max_comparable_version: "1" },
    { optional_update_max_comparable_version: en.fields.range.reversed },
  ],
])("%s", (_, part, problems) => {
  expect(check({ ...empty(), project_key: "app", name: "App", ...part }, en)).toEqual(problems);
});

test("blank texts are sent as null, and a new project has no translations", () => {
  const fields = fieldsOf({ ...empty(), project_key: " app ", name: "App", author: " me " }, true);
  expect(fields).toMatchObject({
    project_key: "app",
    name: "App",
    author: "me",
    docs_url: null,
    stats_retention_days: 365,
    log_retention_days: null,
  });
  expect(fields).not.toHaveProperty("translations");
  expect(fieldsOf(empty(), false)).toMatchObject({ translations: [] });
});

test("a repository fills only what is empty", () => {
  const repository = {
    project_key: "acme-app",
    name: "acme/app",
    description: null,
    author: "acme",
    published_at: 5,
  } as CodehostRepoPreview;
  expect(fillFrom({ ...empty(), name: "App" }, repository)).toEqual({ project_key: "acme-app", author: "acme", published_at: 5 });
});
