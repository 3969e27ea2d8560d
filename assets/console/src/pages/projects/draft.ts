// The form values of a project.

import type { CodehostRepoPreview, Project, ProjectFields } from "svc-sdk";
import { isComparableVersion } from "svc-sdk";
import { isAbove } from "../../fields/comparable";
import { translationInputs, translationsOf } from "../../fields/translations";
import type { Texts } from "../../texts/en";

export const blank = { name: "", description: "" };

/** The text fields in which a blank text means null. */
const texts = [
  "repo_url",
  "description",
  "author",
  "author_homepage_url",
  "icon_url",
  "website_url",
  "docs_url",
  "optional_update_min_comparable_version",
  "optional_update_max_comparable_version",
  "storage_backend_id",
] as const;

export interface Draft extends Record<(typeof texts)[number], string> {
  project_key: string;
  name: string;
  translations: Record<string, typeof blank>;
  published_at: number | null;
  /** A number, or the text of the input if it is not a valid number. */
  stats_retention_days: number | string;
  event_retention_days: number | string;
  /** A number or an invalid text, as above. A blank text selects the setting of the instance. */
  log_retention_days: number | string;
  feedback_retention_days: number | string;
  event_collection_enabled: boolean;
  mirror_codehost_assets: boolean;
}

const none = Object.fromEntries(texts.map((field) => [field, ""])) as Record<(typeof texts)[number], string>;

export const empty = (): Draft => ({
  ...none,
  project_key: "",
  name: "",
  translations: {},
  published_at: null,
  stats_retention_days: 365,
  event_retention_days: 90,
  log_retention_days: "",
  feedback_retention_days: "",
  event_collection_enabled: true,
  mirror_codehost_assets: false,
});

export const draftOf = (project: Project): Draft => ({
  ...(Object.fromEntries(texts.map((field) => [field, project[field] ?? ""])) as typeof none),
  project_key: project.project_key,
  name: project.name,
  translations: translationsOf(project.translations, blank),
  published_at: project.published_at,
  stats_retention_days: project.stats_retention_days,
  event_retention_days: project.event_retention_days,
  log_retention_days: project.log_retention_days ?? "",
  feedback_retention_days: project.feedback_retention_days ?? "",
  event_collection_enabled: project.event_collection_enabled,
  mirror_codehost_assets: project.mirror_codehost_assets,
});

/** Returns the values for a copy of a project. The copy needs another key, and has no languages yet. */
export const copyOf = (project: Project): Draft => ({ ...draftOf(project), project_key: "", translations: {} });

/** Converts the values to the form for the server. A new project has no languages yet, so it has no translations. */
export function fieldsOf({ translations, ...draft }: Draft, isNew: boolean): ProjectFields {
  return {
    ...draft,
    ...Object.fromEntries(texts.map((field) => [field, draft[field].trim() || null])),
    project_key: draft.project_key.trim(),
    name: draft.name.trim(),
    stats_retention_days: Number(draft.stats_retention_days),
    event_retention_days: Number(draft.event_retention_days),
    log_retention_days: draft.log_retention_days === "" ? null : Number(draft.log_retention_days),
    feedback_retention_days: draft.feedback_retention_days === "" ? null : Number(draft.feedback_retention_days),
    ...(!isNew && { translations: translationInputs(translations) }),
  };
}

const days = (value: number | string, most: number) =>
  value !== "" && Number.isInteger(Number(value)) && Number(value) >= 1 && Number(value) <= most;

export function check(draft: Draft, { projects: { form }, fields }: Texts) {
  const { optional_update_min_comparable_version: min, optional_update_max_comparable_version: max } = draft;
  return {
    ...(!/^[^\s/\\?#%\p{Cc}]{1,64}$/u.test(draft.project_key.trim()) && { project_key: form.keyInvalid }),
    ...(!draft.name.trim() && { name: form.nameNeeded }),
    ...(min && !isComparableVersion(min) && { optional_update_min_comparable_version: fields.version.invalid }),
    ...(max && !isComparableVersion(max) && { optional_update_max_comparable_version: fields.version.invalid }),
    ...(isAbove(min, max) && { optional_update_max_comparable_version: fields.range.reversed }),
    ...(!days(draft.stats_retention_days, 365) && { stats_retention_days: form.retentionWrong }),
    ...(!days(draft.event_retention_days, 365) && { event_retention_days: form.retentionWrong }),
    ...(draft.log_retention_days !== "" && !days(draft.log_retention_days, 3650) && { log_retention_days: form.longRetentionWrong }),
    ...(draft.feedback_retention_days !== "" &&
      !days(draft.feedback_retention_days, 3650) && { feedback_retention_days: form.longRetentionWrong }),
  };
}

/**
 * Returns the values of a repository for the fields that are still empty. The key of an existing
 * project does not change.
 */
export function fillFrom(draft: Draft, repository: CodehostRepoPreview): Partial<Draft> {
  return Object.fromEntries(
    Object.entries(repository).filter(([field, value]) => {
      const now = draft[field as keyof Draft];
      return value !== null && (now === "" || now === null);
    }),
  );
}
