// One large number, and the numbers that it was computed from.

import { Text } from "@mantine/core";
import { changeOf, shareText } from "./change";
import styles from "./charts.module.css";
import type { Drawing } from "./drawing";
import { usePalette } from "./palette";
import { bars } from "./shares";
import type { Words } from "./words";

export interface SingleValue {
  result: number;
  /** The number in the previous period. */
  before?: number | undefined;
  /** The numbers that it was computed from. */
  parts: readonly { name: string; value: number }[];
  /** The name of the number, such as "A / B". */
  name: string;
  /** What the number counts, such as "events" or "%"; "" if it is unknown. */
  unit: string;
}

export function single(value: SingleValue, words: Words): Drawing {
  const { texts, format } = words;
  const parts = value.parts.map((part) => ({ name: part.name, count: part.value }));
  const total = parts.reduce((sum, part) => sum + part.count, 0);
  return {
    ...bars({ parts, total, kind: texts.count, measure: value.name }, words),
    label: `${value.name}: ${format.decimal(value.result)}`,
    empty: false,
    table: {
      columns: [{ label: texts.name }, { label: texts.value, kind: "number" }],
      rows: [
        [value.name, value.result],
        ...(value.before === undefined ? [] : [[texts.before, value.before]]),
        ...value.parts.map((part) => [part.name, part.value]),
      ],
    },
    view: <Single value={value} words={words} />,
  };
}

function Single({ value: { result, before, parts, name, unit }, words: { texts, format } }: { value: SingleValue; words: Words }) {
  const palette = usePalette();
  const change = changeOf(result, before);
  const by = "by" in change ? shareText(change.by, format) : "";
  const changed =
    change.kind === "none"
      ? ""
      : change.kind === "new"
        ? texts.isNew
        : change.kind === "same"
          ? texts.same
          : change.kind === "up"
            ? texts.up(by)
            : texts.down(by);
  return (
    <div className={styles.single}>
      <div className={styles.singleFigure}>
        {format.decimal(result)}
        {unit && <span className={styles.singleUnit}> {unit}</span>}
      </div>
      <Text size="sm" fw={500} style={{ color: palette.muted }} title={texts.comparedWith}>
        {changed && `${changed} ${texts.than(format.decimal(before ?? 0))}`}
      </Text>
      <Text size="xs" c="dimmed" lineClamp={2}>
        {parts.length > 1 ? parts.map((part) => `${part.name}: ${format.decimal(part.value)}`).join(" · ") : name}
      </Text>
    </div>
  );
}
