// Draws values over time as lines or stacked areas. A period that has not ended is dashed.

import type { Granularity } from "../core/range";
import type { Drawing, Look, Option } from "./drawing";
import { colorOf } from "./palette";
import { axisLabel, base, categoryAxis, plain, tooltip, valueAxis } from "./parts";
import type { Cell } from "./table";
import type { Words } from "./words";

export interface TrendSeries {
  name: string;
  values: readonly number[];
  /** Whether the series is the sum of everything that has no series of its own. */
  rest?: boolean;
}

export interface TrendValues {
  /** Unix seconds of the starts of the periods. */
  buckets: readonly number[];
  granularity: Granularity;
  /** Minutes east of UTC. */
  offset: number;
  /** The current time in Unix seconds. A period that ends later has not ended yet. */
  now: number;
  series: readonly TrendSeries[];
  stacked?: boolean;
  /** The counted unit, such as "requests". */
  measure: string;
  percent?: boolean;
}

/** Returns the number of periods that have ended at the time `now`. */
export function finished(buckets: readonly number[], granularity: Granularity, now: number): number {
  const step = granularity === "hour" ? 3600 : 86_400;
  const open = buckets.findIndex((bucket) => bucket + step > now);
  return open < 0 ? buckets.length : open;
}

export function trend(values: TrendValues, { texts, format }: Words): Drawing {
  const { buckets, granularity, offset, series, measure } = values;
  const name = (bucket: number) =>
    granularity === "day" ? format.day(bucket, offset) : `${format.day(bucket, offset)} ${format.hour(bucket, offset)}`;
  const show = (value: number) => (values.percent ? format.percent(value) : format.decimal(value));
  const sums = series.map((one) => one.values.reduce((sum, value) => sum + value, 0));
  const total = sums.reduce((sum, value) => sum + value, 0);
  const over = finished(buckets, granularity, values.now);
  const top = series[sums.indexOf(Math.max(...sums))];
  return {
    label: buckets.length
      ? texts.trendLabel(
          measure,
          name(buckets[0]!),
          name(buckets[buckets.length - 1]!),
          series
            .map((one, at) => `${one.name}: ${show(values.percent ? (one.values[over - 1] ?? 0) : sums[at]!)}`)
            .slice(0, 4)
            .join(", "),
        )
      : measure,
    empty: !top || total === 0,
    table: {
      columns: [
        { label: texts.time },
        ...series.map((one) => ({ label: one.name, kind: values.percent ? ("percent" as const) : ("number" as const) })),
      ],
      rows: buckets.map((bucket, at): Cell[] => [name(bucket), ...series.map((one) => one.values[at] ?? 0)]),
    },
    ...(series.length > 1 && { legend: series.map((one) => one.name) }),
    rest: series.filter((one) => one.rest).map((one) => one.name),
    periods: { starts: buckets, length: granularity === "hour" ? 3600 : 86_400 },
    option: (look) => optionOf(values, look, name, show, over, { texts, format }),
  };
}

/**
 * Returns values as points of a line. If only a few of them are above zero, the line between them
 * would be a hairline along the axis, so each of these gets a symbol.
 */
export function pointsOf(values: readonly (number | null)[]) {
  const known = values.filter((value) => value !== null);
  const above = known.filter((value) => value > 0).length;
  const sparse = above > 0 && above < known.length && above <= Math.max(3, known.length / 8);
  return {
    data: sparse ? values.map((value) => (value ? value : { value, symbol: "none" })) : values,
    showSymbol: sparse || known.length === 1,
  };
}

function optionOf(
  values: TrendValues,
  look: Look,
  name: (bucket: number) => string,
  show: (value: number) => string,
  over: number,
  { texts, format }: Words,
): Option {
  const { buckets, granularity, offset, stacked } = values;
  const shown = values.series
    .map((one, index) => ({ ...one, color: one.rest ? look.palette.rest : colorOf(look.palette, index) }))
    .filter((one) => !look.hidden.has(one.name));
  const line = (one: (typeof shown)[number], data: (number | null)[], open: boolean) => ({
    type: "line",
    name: one.name,
    ...pointsOf(data),
    showAllSymbol: true,
    stack: stacked ? (open ? "open" : "over") : undefined,
    symbol: "circle",
    symbolSize: 6,
    lineStyle: { width: stacked ? 1.5 : 2, color: one.color, type: open ? [4, 4] : "solid" },
    itemStyle: { color: one.color },
    areaStyle: stacked
      ? { color: one.color, opacity: open ? 0.15 : 0.3 }
      : shown.length === 1
        ? { color: one.color, opacity: open ? 0.04 : 0.1 }
        : undefined,
    emphasis: { disabled: true },
    z: open ? 1 : 2,
  });
  // The unfinished period is a separate series, which begins at the last point of the finished
  // ones.
  const from = Math.max(over - 1, 0);
  const most = Math.max(
    0,
    ...buckets.map((_, at) => {
      const there = shown.map((one) => one.values[at] ?? 0);
      return stacked ? there.reduce((sum, value) => sum + value, 0) : Math.max(0, ...there);
    }),
  );
  const whole = values.percent && most <= 1;
  const byHour = granularity === "hour" && buckets.length <= 25;
  return {
    ...base(look),
    grid: { left: 4, right: 14, top: 10, bottom: 4, outerBoundsMode: "same", outerBoundsContain: "axisLabel" },
    tooltip: {
      ...tooltip(look),
      trigger: "axis",
      axisPointer: { type: "line", lineStyle: { color: look.palette.muted, type: "solid", width: 1 } },
      formatter: (items: { dataIndex: number; seriesName: string; marker: string }[]) => {
        const markers = new Map(items.map((item) => [item.seriesName, item.marker]));
        const at = items[0]?.dataIndex ?? 0;
        const head = granularity === "day" ? format.weekdayAndDate(buckets[at]!, offset) : name(buckets[at]!);
        const rows = shown.map((one) => ({ ...one, value: one.values[at] ?? 0 }));
        rows.sort((a, b) => b.value - a.value);
        const sum = stacked && rows.length > 1 ? [`${texts.total}: ${show(rows.reduce((all, row) => all + row.value, 0))}`] : [];
        return [
          head + (at >= over ? ` (${texts.notOver})` : ""),
          ...rows.slice(0, 12).map((row) => `${markers.get(row.name) ?? ""}${plain(row.name)}: ${show(row.value)}`),
          ...sum,
        ].join("\n");
      },
    },
    xAxis: {
      ...categoryAxis(
        look,
        buckets.map((bucket) => (byHour ? format.hour(bucket, offset) : format.day(bucket, offset))),
      ),
      boundaryGap: buckets.length < 2,
      ...(granularity === "hour" &&
        !byHour && {
          axisLabel: { ...axisLabel(look), hideOverlap: true, interval: (at: number) => (buckets[at]! + offset * 60) % 86_400 === 0 },
        }),
    },
    yAxis: {
      ...valueAxis(look, whole ? 1 : most, (value, digits) =>
        values.percent ? format.percent(value, Math.max(0, digits - 2)) : format.compact(value, digits),
      ),
      min: 0,
      ...(whole && { max: 1, interval: 0.25 }),
      ...(values.percent ? {} : { minInterval: integers(shown) ? 1 : 0 }),
    },
    series: [
      ...shown.map((one) =>
        line(
          one,
          one.values.map((value, at) => (at < over || over === 0 ? value : null)),
          false,
        ),
      ),
      ...(over > 0 && over < buckets.length
        ? shown.map((one) =>
            line(
              one,
              one.values.map((value, at) => (at >= from ? value : null)),
              true,
            ),
          )
        : []),
    ],
  };
}

function integers(series: readonly TrendSeries[]): boolean {
  return series.every((one) => one.values.every(Number.isInteger));
}
