// The language of the console. It is the browser's language until the user chooses another one. The
// texts of a page are loaded together with the page. A component that uses a text before it has
// been loaded suspends.

import type { ReactNode } from "react";
import { createContext, use, useContext, useEffect, useMemo } from "react";
import type { Texts } from "../texts/en";
import { type Language, loads, type PageTexts } from "../texts/loads";
import { loaded } from "./part";
import { recall, useRemembered } from "./storage";

export type { Language };

type Part = keyof (typeof loads)[Language];

/** The loaded texts of a language. */
class Catalogue {
  private readonly coming = new Map<Part, Promise<void>>();
  private readonly failed = new Map<Part, unknown>();
  /**
   * The texts, as an object that never changes. Reading a part that has not been loaded throws a
   * promise, which makes React suspend.
   */
  readonly texts = {} as Texts;

  constructor(private readonly language: Language) {
    for (const name of Object.keys(loads[language]) as Part[]) {
      Object.defineProperty(this.texts, name, {
        configurable: true,
        get: () => {
          throw this.failed.get(name) ?? this.load(name);
        },
      });
    }
  }

  load(name: Part): Promise<void> {
    let part = this.coming.get(name);
    if (!part) {
      part = loaded<object>(loads[this.language][name]).then((texts) => {
        for (const [key, value] of Object.entries(texts)) {
          Object.defineProperty(this.texts, key, { value, enumerable: true });
        }
      });
      part.catch((error) => this.failed.set(name, error));
      this.coming.set(name, part);
    }
    return part;
  }

  /** Whether the texts that all pages share have been loaded. */
  get ready(): boolean {
    return "common" in this.texts;
  }

  /** Loads the same parts that the other catalogue has loaded. */
  async follow(other: Catalogue): Promise<void> {
    await Promise.all([...other.coming.keys()].map((name) => this.load(name)));
  }
}

const catalogues: Record<Language, Catalogue> = { en: new Catalogue("en"), zh: new Catalogue("zh") };

function languageOf(remembered: string | null): Language {
  return remembered === "en" || remembered === "zh" ? remembered : preferred();
}

/** Loads texts in the chosen language: those that all pages share, and those of the given pages. */
export async function loadTexts(...names: PageTexts[]): Promise<void> {
  const catalogue = catalogues[languageOf(recall("language"))];
  await Promise.all(["shared" as const, ...names].map((name) => catalogue.load(name)));
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
  const catalogue = catalogues[language];
  useEffect(() => {
    document.documentElement.lang = language === "zh" ? "zh-Hans" : "en";
  }, [language]);
  const choice = useMemo(() => {
    const choose = (next: Language) => {
      // Load all texts of the page before changing the language, so that the whole page changes at
      // once. If loading fails, the page then shows the error.
      const change = () => remember(next);
      catalogues[next].follow(catalogue).then(change, change);
    };
    return { language, texts: catalogue.texts, choose };
  }, [language, catalogue, remember]);
  return (
    <Context value={choice}>
      <WithTexts catalogue={catalogue}>{children}</WithTexts>
    </Context>
  );
}

/**
 * Waits for the texts that all pages share. This component must not use any other hook. React
 * replays a component that has suspended in `use`. If the texts have been loaded by then, `use` is
 * skipped, and React fails on hooks that follow it.
 */
function WithTexts({ catalogue, children }: { catalogue: Catalogue; children: ReactNode }) {
  // If the texts have been loaded, render without a placeholder.
  if (!catalogue.ready) {
    use(catalogue.load("shared"));
  }
  return children;
}

/** Returns the language, and the function that selects another one. */
export function useLanguage(): Choice {
  const choice = useContext(Context);
  if (!choice) {
    throw new Error("there is no TextsProvider");
  }
  return choice;
}

/** Returns all texts of the console in the chosen language. */
export function useTexts(): Texts {
  return useLanguage().texts;
}
