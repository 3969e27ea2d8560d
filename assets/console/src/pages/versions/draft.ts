// The form values of a version, and the rules that the form checks before the server does.

import type { CodehostReleasePreview, Version, VersionFields } from "svc-sdk";
import { isComparableVersion } from "svc-sdk";
import { deriveComparable, isAbove } from "../../fields/comparable";
import { draftsOf, type LinkDraft, linksOf } from "../../fields/downloads";
import { formatObject, parseObject } from "../../fields/object";
import { newPlan, type Plan, rises, rolloutFields } from "../../fields/plan";
import { translationInputs, translationsOf } from "../../fields/translations";
import type { Texts } from "../../texts/en";

export interface Draft {
  version: string;
  comparable_version: string;
  title: string;
  content: string;
  translations: Record<string, typeof blank>;
  download_url: string;
  download_links: LinkDraft[];
  /** null lets the server decide. */
  is_latest: boolean | null;
  is_preview: boolean;
  is_milestone: boolean;
  is_deprecated: boolean;
  platforms: string[];
  published_at: number | null;
  custom_data: string;
  /** "" lets the server choose it by is_preview. */
  channel: string;
  /** Texts for updaters with an order of their own; "" lets the server derive one. */
  native_versions: { semver: string; sparkle: string };
  /** Whom a new version reaches; "auto" is the default of the project. */
  reach: "auto" | "all" | "steps";
  plan: Plan;
}

export const blank = { title: "", content: "" };

export function empty(): Draft {
  return {
    version: "",
    comparable_version: "",
    title: "",
    content: "",
    translations: {},
    download_url: "",
    download_links: [],
    is_latest: null,
    is_preview: false,
    is_milestone: false,
    is_deprecated: false,
    platforms: [],
    published_at: null,
    custom_data: "",
    channel: "",
    native_versions: { semver: "", sparkle: "" },
    reach: "auto",
    plan: newPlan(),
  };
}

export function draftOf(version: Version): Draft {
  const { download_url: url, download_links: links } = version;
  const [only] = links;
  // If a version has only a single address, the server also lists that address as a link. Edit it
  // as one value.
  const alone = links.length === 1 && only?.url === url && !only.name && !only.platform;
  return {
    version: version.version,
    comparable_version: version.comparable_version,
    title: version.title ?? "",
    content: version.content ?? "",
    translations: translationsOf(version.translations, blank),
    download_url: url ?? "",
    download_links: alone ? [] : draftsOf(links),
    is_latest: version.is_latest,
    is_preview: version.is_preview,
    is_milestone: version.is_milestone,
    is_deprecated: version.is_deprecated,
    platforms: version.platforms,
    published_at: version.published_at,
    custom_data: formatObject(version.custom_data),
    channel: version.channel,
    native_versions: { semver: version.native_versions?.semver ?? "", sparkle: version.native_versions?.sparkle ?? "" },
    reach: "auto",
    plan: newPlan(),
  };
}

/**
 * Returns the values for a copy of a version. The copy is published now and has no translations and
 * no native versions. The server decides whether it is the latest version.
 */
export function copyOf(version: Version): Draft {
  const { native_versions } = empty();
  return { ...draftOf(version), native_versions, translations: {}, is_latest: null, is_deprecated: false, published_at: null };
}

/** Returns the draft with the values of a release at the code host. */
export function releaseInto(draft: Draft, release: CodehostReleasePreview): Draft {
  return {
    ...draft,
    version: release.version,
    comparable_version: deriveComparable(release.comparable_version) ?? "",
    title: release.title ?? "",
    content: release.content ?? "",
    download_url: release.download_url ?? "",
    download_links: draftsOf(release.download_links),
    is_preview: release.is_preview,
    channel: "",
    published_at: release.published_at,
    custom_data: formatObject(release.custom_data),
  };
}

/** Converts the values to the form for the server. It omits a missing time or flag, so that the server chooses it. */
export function fieldsOf(draft: Draft): VersionFields {
  const { channel, reach, is_latest, published_at, translations, custom_data, download_url, download_links } = draft;
  const links = linksOf(download_links);
  const data = parseObject(custom_data);
  const native = { semver: draft.native_versions.semver.trim() || null, sparkle: draft.native_versions.sparkle.trim() || null };
  return {
    version: draft.version.trim(),
    comparable_version: draft.comparable_version.trim() || null,
    title: draft.title.trim() || null,
    content: draft.content.trim() ? draft.content : null,
    translations: translationInputs(translations),
    // If no separate address was entered, the first link is the download.
    ...((download_url.trim() || links.length === 0) && { download_url: download_url.trim() || null }),
    download_links: links,
    ...(is_latest !== null && { is_latest }),
    is_preview: draft.is_preview,
    is_milestone: draft.is_milestone,
    is_deprecated: draft.is_deprecated,
    platforms: draft.platforms,
    ...(published_at !== null && { published_at }),
    ...(channel !== "" && { channel }),
    native_versions: native.semver || native.sparkle ? native : null,
    // The server ignores it for a version that exists.
    ...(reach !== "auto" && { rollout: reach === "all" ? null : rolloutFields(draft.plan) }),
    custom_data: "value" in data ? data.value : null,
  };
}

/** The known stable versions that are not deprecated, greatest first. */
export type Stable = Pick<Version, "id" | "version" | "comparable_version" | "download_links">[];

/**
 * Reports whether apps will be offered the version. That is the case for a milestone, and for a
 * version that is or becomes the latest one.
 */
export function isOffered({ version, ...draft }: Draft, record: Version | null, stable: Stable): boolean {
  const comparable = draft.comparable_version || deriveComparable(version);
  if (!version.trim() || !comparable || draft.is_deprecated) {
    return false;
  }
  const becomesLatest =
    !draft.is_preview && !stable.some((other) => other.id !== record?.id && isAbove(other.comparable_version, comparable));
  return draft.is_milestone || (draft.is_latest ?? becomesLatest);
}

/**
 * Returns a version to which clients can update when the version with the given comparable version
 * is deprecated. It returns undefined if there is none.
 */
export function successorOf(comparable: string, id: string | undefined, stable: Stable): Stable[number] | undefined {
  return stable.find((other) => other.id !== id && isAbove(other.comparable_version, comparable));
}

/** Returns the reason why a version cannot be deprecated, or null if it can. */
export function deprecationProblem(draft: Draft, record: Version | null, stable: Stable, { versions: texts }: Texts): string | null {
  if (draft.is_latest) {
    return texts.form.latestDeprecated;
  }
  return record?.is_deprecated || successorOf(draft.comparable_version, record?.id, stable) ? null : texts.form.noSuccessor;
}

export function check(draft: Draft, record: Version | null, stable: Stable, texts: Texts) {
  const { form } = texts.versions;
  const data = parseObject(draft.custom_data);
  const problem = draft.is_deprecated && deprecationProblem(draft, record, stable, texts);
  return {
    ...(!draft.version.trim() && { version: form.versionNeeded }),
    ...((draft.comparable_version || !deriveComparable(draft.version)) &&
      !isComparableVersion(draft.comparable_version) && { comparable_version: texts.fields.version.invalid }),
    ...(record && draft.published_at === null && { published_at: form.timeNeeded }),
    ...("error" in data && { custom_data: texts.fields.json[data.error] }),
    ...(problem && { is_deprecated: problem }),
    ...(draft.reach === "steps" && !rises(draft.plan) && { plan: form.rises }),
  };
}
