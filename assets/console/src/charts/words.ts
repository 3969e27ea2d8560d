// The texts and formats in the labels of charts.

import { useMemo } from "react";
import { type Format, useFormat } from "../core/format";
import { useTexts } from "../core/texts";
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
