// The locale of dates and numbers.

import type { Language } from "./texts";

const regions: Record<Language, string> = { en: "en-GB", zh: "zh-Hans-CN" };

/**
 * Returns the locale for dates and numbers in a language. It is the variant of the language that
 * the browser prefers, such as en-US, so that dates look the same as in the browser's own input
 * fields.
 */
export function localeOf(language: Language, preferred: readonly string[]): string {
  return preferred.find((tag) => tag.startsWith(`${language}-`)) ?? regions[language];
}
