// Draws the parts of a whole, either as bars or as a doughnut with at most eight slices and one for
// the remainder.

import { Box, Button, Group, Text } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useContext, useState } from "react";
import styles from "./charts.module.css";
import type { Drawing, Option } from "./drawing";
import { colorOf, usePalette } from "./palette";
import { base, categoryAxis, plain, tooltip, valueAxis } from "./parts";
import { StageHeight } from "./stage";
import type { Words } from "./words";

export interface Share {
  name: string;
  count: number;
  /** Whether the part stands for records that lack the value. */
  missing?: boolean;
  /** Identifies the part when its place in the list changes. */
  id?: string;
  /** Limits the page to this part. */
  select?: (() => void) | undefined;
  /** Whether the page is filtered by this part. */
  selected?: boolean;
}

export interface ShareValues {
  parts: readonly Share[];
  /** Sum of all parts, including parts that are not listed. */
  total: number;
  /** The kind of the parts, such as "Platform". */
  kind: string;
  /** The counted unit, such as "requests". */
  measure: string;
  /** Name for the sum of the parts that are not listed; if undefined, the sum is not shown. */
  rest?: string;
  /** Whether the same user can be in several parts, whose shares then say nothing. */
  overlapping?: boolean;
  /** Whether to keep parts with the value 0 and the given order. */
  all?: boolean;
}

const slices = 8;

/** Returns the slices of a doughnut: the eight largest parts, and the sum of the others. */
export function slicesOf(parts: readonly Share[], total: number, others: string): Share[] {
  const shown = parts.filter((part) => part.count > 0).slice(0, slices);
  const left = total - shown.reduce((sum, part) => sum + part.count, 0);
  return left > 0 ? [...shown, { name: others, count: left, missing: true }] : shown;
}

/** Returns the parts, plus one for everything that is not listed. */
function withRest({ parts, total, rest }: ShareValues): Share[] {
  const left = total - parts.reduce((sum, part) => sum + part.count, 0);
  return rest !== undefined && left > 0 ? [...parts, { name: rest, count: left, missing: true }] : [...parts];
}

function common(values: ShareValues, { texts, format }: Words) {
  const rows = values.overlapping ? [...values.parts] : withRest(values);
  const whole = values.overlapping ? Math.max(0, ...rows.map(({ count }) => count)) : values.total;
  const shareOf = (count: number) => (whole ? count / whole : 0);
  const share = (count: number) => (values.overlapping ? "" : ` (${format.percent(shareOf(count))})`);
  return {
    rows,
    shareOf,
    drawing: {
      label: texts.sharesLabel(
        values.measure,
        values.kind,
        rows
          .slice(0, 4)
          .map((row) => `${row.name}: ${format.number(row.count)}${share(row.count)}`)
          .join(", "),
      ),
      empty: values.total === 0,
      table: {
        columns: [
          { label: values.kind },
          { label: values.measure, kind: "number" },
          ...(values.overlapping ? [] : [{ label: texts.share, kind: "percent" } as const]),
        ],
        rows: rows.map((row) => [row.name, row.count, ...(values.overlapping ? [] : [shareOf(row.count)])]),
      },
    } satisfies Partial<Drawing>,
  };
}

/** Draws a bar for each part. The longest bar comes first, unless `all` is set. */
export function bars(values: ShareValues, words: Words): Drawing {
  const { rows, shareOf, drawing } = common(values, words);
  return {
    ...drawing,
    view: <Bars rows={rows} shareOf={shareOf} overlapping={values.overlapping} words={words} />,
    option: (look): Option => ({
      ...base(look),
      grid: { left: 4, right: 24, top: 10, bottom: 4, outerBoundsMode: "same", outerBoundsContain: "axisLabel" },
      xAxis: valueAxis(look, Math.max(0, ...rows.map((row) => row.count)), words.format.compact),
      yAxis: {
        ...categoryAxis(
          look,
          rows.map((row) => plain(row.name)),
        ),
        inverse: true,
        axisLabel: { color: look.palette.text },
      },
      series: [
        {
          type: "bar",
          barMaxWidth: 22,
          data: rows.map((row) => ({ value: row.count, itemStyle: { color: row.missing ? look.palette.rest : colorOf(look.palette, 0) } })),
          label: {
            show: true,
            position: "right",
            color: look.palette.text,
            formatter: ({ value }: { value: number }) => words.format.number(value),
          },
        },
      ],
    }),
  };
}

interface ListProps {
  rows: readonly Share[];
  shareOf: (count: number) => number;
  overlapping?: boolean | undefined;
  words: Words;
}

/** Heights in pixels of a bar, and of one that can be pressed with a finger, with the gap. They must match charts.module.css. */
const barHeights = { plain: 34, finger: 48 };

/** Shows the bars that fit, and a button that shows the others. */
function Bars({ rows, shareOf, overlapping, words: { texts, format } }: ListProps) {
  const palette = usePalette();
  const [all, showAll] = useState(false);
  const touch = useMediaQuery("(pointer: coarse)", false, { getInitialValueInEffect: false });
  const height = useContext(StageHeight);
  const shares = format.percents(rows.map(({ count }) => shareOf(count)));
  const gap = 4;
  const bar = touch && rows.some(({ select }) => select) ? barHeights.finger : barHeights.plain;
  const button = touch ? barHeights.finger : barHeights.plain;
  const room = all ? Number.POSITIVE_INFINITY : height + gap;
  const shown = rows.length * bar <= room ? rows.length : Math.max(0, Math.floor((room - button) / bar));
  const others = rows.slice(shown).reduce((sum, { count }) => sum + count, 0);
  return (
    <>
      <Box component="ol" className={styles.bars} data-all={all || undefined}>
        {rows.slice(0, shown).map((row, index) => (
          <li
            key={row.id ?? `${index} ${row.name}`}
            className={styles.bar}
            data-selectable={row.select ? "" : undefined}
            data-selected={row.selected || undefined}
          >
            <div className={styles.barTrack}>
              <div
                className={styles.barFill}
                style={{ width: `${shareOf(row.count) * 100}%`, background: row.missing ? palette.rest : colorOf(palette, 0) }}
              />
              <Text span className={styles.barName} title={row.name} fs={row.missing ? "italic" : undefined}>
                {row.select ? (
                  <button
                    type="button"
                    className={`mantine-focus-auto ${styles.barButton}`}
                    aria-label={texts.only(row.name)}
                    aria-pressed={row.selected}
                    onClick={row.select}
                  >
                    {row.name}
                  </button>
                ) : (
                  row.name
                )}
              </Text>
            </div>
            <Text span className={styles.barCount}>
              {format.number(row.count)}
            </Text>
            {!overlapping && (
              <Text span className={styles.barShare}>
                {shares[index]}
              </Text>
            )}
          </li>
        ))}
      </Box>
      {shown < rows.length && (
        <Group className={styles.more} gap={12} wrap="nowrap">
          <Button variant="subtle" size="compact-sm" onClick={() => showAll(true)}>
            {texts.more(format.number(rows.length - shown))}
          </Button>
          {!overlapping && (
            <>
              <Text span className={styles.barCount} ml="auto">
                {format.number(others)}
              </Text>
              <Text span className={styles.barShare}>
                {format.percent(shareOf(others))}
              </Text>
            </>
          )}
        </Group>
      )}
    </>
  );
}

/** Draws a doughnut with a list of its slices beside it. */
export function doughnut(values: ShareValues, words: Words): Drawing {
  const { shareOf, drawing } = common(values, words);
  const parts = slicesOf(values.parts, values.total, values.rest ?? words.texts.others);
  const colored = parts.map((part, index) => ({ ...part, index }));
  return {
    ...drawing,
    aside: <Slices rows={parts} shareOf={shareOf} words={words} />,
    option: (look): Option => ({
      ...base(look),
      tooltip: {
        ...tooltip(look),
        trigger: "item",
        formatter: (item: { name: string; value: number; marker: string }) =>
          `${item.marker}${item.name}: ${words.format.number(item.value)} (${words.format.percent(shareOf(item.value))})`,
      },
      series: [
        {
          type: "pie",
          radius: ["58%", "92%"],
          center: ["50%", "50%"],
          label: { show: look.wide, color: look.palette.text, formatter: "{b}: {d}%" },
          emphasis: { scale: false },
          itemStyle: { borderColor: look.palette.surface, borderWidth: 2 },
          data: colored.map((part) => ({
            name: plain(part.name),
            value: part.count,
            itemStyle: { color: part.missing ? look.palette.rest : colorOf(look.palette, part.index) },
          })),
        },
      ],
    }),
  };
}

function Slices({ rows, shareOf, words: { texts, format } }: ListProps) {
  const palette = usePalette();
  const shares = format.percents(rows.map(({ count }) => shareOf(count)));
  return (
    <Box component="ul" className={styles.slices}>
      {rows.map((part, index) => (
        <Group component="li" key={part.id ?? `${index} ${part.name}`} wrap="nowrap" gap={8}>
          <span className={styles.dot} style={{ background: part.missing ? palette.rest : colorOf(palette, index) }} />
          <Text span size="sm" truncate flex={1} title={part.name}>
            {part.select ? (
              <button
                type="button"
                className={`mantine-focus-auto ${styles.barButton}`}
                aria-label={texts.only(part.name)}
                aria-pressed={part.selected}
                onClick={part.select}
              >
                {part.name}
              </button>
            ) : (
              part.name
            )}
          </Text>
          <Text span size="sm" className={styles.figures}>
            {shares[index]}
          </Text>
        </Group>
      ))}
    </Box>
  );
}
