// The language of the console: the browser's until a person chooses, then that.

import type { ReactNode } from "react";
import { createContext, use, useContext, useEffect, useMemo } from "react";
import type { Texts } from "../texts/en";
import { recall, useRemembered } from "./storage";

export type Language = "en" | "zh";

const loads: Record<Language, () => Promise<Texts>> = {
  en: async () => (await import("../texts/en")).en,
  zh: async () => (await import("../texts/zh")).zh,
};
const loading = new Map<Language, Promise<Texts>>();
const loaded = new Map<Language, Texts>();

/** The texts of a language; only those that are shown are loaded. */
function textsIn(language: Language): Promise<Texts> {
  let texts = loading.get(language);
  if (!texts) {
    texts = loads[language]().then((all) => {
      loaded.set(language, all);
      return all;
    });
    loading.set(language, texts);
  }
  return texts;
}

function languageOf(remembered: string | null): Language {
  return remembered === "en" || remembered === "zh" ? remembered : preferred();
}

/** Loads the texts that will be shown first. */
export async function loadTexts(): Promise<void> {
  await textsIn(languageOf(recall("language")));
}

function preferred(): Language {
  return navigator.languages
    .find((tag) => /^(en|zh)\b/i.test(tag))
    ?.toLowerCase()
    .startsWith("zh")
    ? "zh"
    : "en";
}

interface Choice {
  language: Language;
  texts: Texts;
  choose(language: Language): void;
}

const Context = createContext<Choice | null>(null);

export function TextsProvider({ children }: { children: ReactNode }) {
  const [remembered, remember] = useRemembered("language");
  const language = languageOf(remembered);
  // What is there already is drawn without a placeholder.
  const texts = loaded.get(language) ?? use(textsIn(language));
  useEffect(() => {
    document.documentElement.lang = language === "zh" ? "zh-Hans" : "en";
  }, [language]);
  const choice = useMemo(() => ({ language, texts, choose: remember }), [language, texts, remember]);
  return <Context value={choice}>{children}</Context>;
}

/** The language, and what chooses another. */
export function useLanguage(): Choice {
  const choice = useContext(Context);
  if (!choice) {
    throw new Error("there is no TextsProvider");
  }
  return choice;
}

/** Every text of the console in the language that is chosen. */
export function useTexts(): Texts {
  return useLanguage().texts;
}
