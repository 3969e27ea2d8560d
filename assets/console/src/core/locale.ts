// The locale of dates and numbers.

import type { Language } from "./texts";

const regions: Record<Language, string> = { en: "en-GB", zh: "zh-Hans-CN" };

/**
 * The locale of a language for dates and numbers: the variant that the browser prefers, such as
 * en-US, so that dates read like those in the browser's own entry fields.
 */
export function localeOf(language: Language, preferred: readonly string[]): string {
  return preferred.find((tag) => tag.startsWith(`${language}-`)) ?? regions[language];
}
