// Editable texts of a record in other languages.

/** The texts of a record in one language, by field. */
export type Translation = Record<string, string | boolean>;

/** Converts the translations of a record to the form for editing, by language. */
export function translationsOf<T extends Translation>(records: readonly { locale: string }[] | undefined, blank: T): Record<string, T> {
  return Object.fromEntries(
    (records ?? []).map((record) => {
      const given = record as unknown as Record<string, string | boolean | null>;
      return [record.locale, Object.fromEntries(Object.entries(blank).map(([field, empty]) => [field, given[field] ?? empty])) as T];
    }),
  );
}

/** Converts edited translations to the form for the server. It omits languages without texts. */
export function translationInputs<T extends Translation>(value: Record<string, T>): ({ locale: string } & T)[] {
  return Object.entries(value)
    .filter(([, texts]) => Object.values(texts).some((text) => (typeof text === "string" ? text.trim() !== "" : text)))
    .map(([locale, texts]) => ({ locale, ...texts }));
}
