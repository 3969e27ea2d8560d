// The words and forms that charts are labelled with.

import { useMemo } from "react";
import { type Format, useFormat } from "../app/format";
import { useTexts } from "../app/texts";
import type { Texts } from "../texts/en";

export interface Words {
  texts: Texts["charts"];
  format: Format;
}

export function useWords(): Words {
  const { charts: texts } = useTexts();
  const format = useFormat();
  return useMemo(() => ({ texts, format }), [texts, format]);
}
