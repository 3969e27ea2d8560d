// The form values of an announcement.

import type { Announcement, AnnouncementFields } from "svc-sdk";
import { isComparableVersion } from "svc-sdk";
import { now } from "../../core/clock";
import { isAbove } from "../../fields/comparable";
import { translationInputs, translationsOf } from "../../fields/translations";
import type { Texts } from "../../texts/en";

export const blank = { title: "", content: "", is_hidden: false };

export interface Draft {
  title: string;
  content: string;
  translations: Record<string, typeof blank>;
  author: string;
  platforms: string[];
  min_comparable_version: string;
  max_comparable_version: string;
  is_pinned: boolean;
  is_hidden: boolean;
  published_at: number | null;
  expires_at: number | null;
}

export const empty = (): Draft => ({
  title: "",
  content: "",
  translations: {},
  author: "",
  platforms: [],
  min_comparable_version: "",
  max_comparable_version: "",
  is_pinned: false,
  is_hidden: false,
  published_at: null,
  expires_at: null,
});

export const draftOf = (record: Announcement): Draft => ({
  title: record.title,
  content: record.content,
  translations: translationsOf(record.translations, blank),
  author: record.author ?? "",
  platforms: record.platforms,
  min_comparable_version: record.min_comparable_version ?? "",
  max_comparable_version: record.max_comparable_version ?? "",
  is_pinned: record.is_pinned,
  is_hidden: record.is_hidden,
  published_at: record.published_at,
  expires_at: record.expires_at,
});

/**
 * Returns the values for a copy of an announcement. The copy is published now, and does not have
 * the end of the original.
 */
export const copyOf = (record: Announcement): Draft => ({ ...draftOf(record), published_at: null, expires_at: null });

export function fieldsOf({ published_at, translations, ...draft }: Draft): AnnouncementFields {
  return {
    ...draft,
    title: draft.title.trim(),
    author: draft.author.trim() || null,
    min_comparable_version: draft.min_comparable_version.trim() || null,
    max_comparable_version: draft.max_comparable_version.trim() || null,
    translations: translationInputs(translations),
    ...(published_at !== null && { published_at }),
  };
}

export function check(draft: Draft, record: Announcement | null, { announcements: { form }, fields }: Texts) {
  const { min_comparable_version: min, max_comparable_version: max } = draft;
  return {
    ...(!draft.title.trim() && { title: form.titleNeeded }),
    ...(min && !isComparableVersion(min) && { min_comparable_version: fields.version.invalid }),
    ...(max && !isComparableVersion(max) && { max_comparable_version: fields.version.invalid }),
    ...(isAbove(min, max) && { max_comparable_version: fields.range.reversed }),
    ...(draft.expires_at !== null && draft.expires_at <= (draft.published_at ?? now()) && { expires_at: form.endsTooEarly }),
    ...(record && draft.published_at === null && { published_at: form.timeNeeded }),
  };
}
