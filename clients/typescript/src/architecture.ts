// Processor architectures, for choosing a download. Browsers do not reveal theirs,
// so this is not part of the browser build.

import { meanings, synonyms, tokens } from "./rules.js";

const architectures = synonyms(
  "amd64 x64 win64|arm64 aarch64|386 x86 i386 i486 i586 i686 ia32|arm armv6 armv6l armv7 armv7l armhf|riscv64|" +
    "ppc64le powerpc64le|s390x|loong64 loongarch64|universal universal2 noarch all",
);

function named(words: string[]): Set<string> {
  const found = meanings(architectures, words);
  return found.size || !words.includes("win32") ? found : new Set(["386"]);
}

/** Name of an architecture in Go's spelling, or null if unknown. */
export const architecture = (text: string): string | null => [...named(tokens(text))][0] || null;

/** How well a download fits an architecture: 0 equal, 1 universal, 2 unspecified, 9 not at all. */
export function architectureRank(own: string | null, sources: string[][]): number {
  const theirs = sources.map(named).find((set) => set.size);
  if (!own || theirs?.has(own)) {
    return 0;
  }
  return !theirs ? 2 : theirs.has("universal") ? 1 : 9;
}
