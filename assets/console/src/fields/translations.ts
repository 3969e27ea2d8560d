// Texts of a record in other languages, while they are edited.

/** Texts in one language, by field. */
export type Translation = Record<string, string | boolean>;

/** Translations of a record by language, as they are edited. */
export function translationsOf<T extends Translation>(records: readonly { locale: string }[] | undefined, blank: T): Record<string, T> {
  return Object.fromEntries(
    (records ?? []).map((record) => {
      const given = record as unknown as Record<string, string | boolean | null>;
      return [record.locale, Object.fromEntries(Object.entries(blank).map(([field, empty]) => [field, given[field] ?? empty])) as T];
    }),
  );
}

/** Translations as they are sent: languages that say nothing are left out. */
export function translationInputs<T extends Translation>(value: Record<string, T>): ({ locale: string } & T)[] {
  return Object.entries(value)
    .filter(([, texts]) => Object.values(texts).some((text) => (typeof text === "string" ? text.trim() !== "" : text)))
    .map(([locale, texts]) => ({ locale, ...texts }));
}
