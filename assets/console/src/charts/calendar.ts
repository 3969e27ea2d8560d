// Draws a year as a calendar with a column for each week.

import type { Drawing, Option } from "./drawing";
import { axisLabel, base, ramp, tooltip } from "./parts";
import type { Words } from "./words";

export interface CalendarDay {
  /** Unix seconds of the start of the day. */
  start: number;
  count: number;
}

/** Days of the calendar: 52 whole weeks. */
export const calendarDays = 364;

/** Formats the day of a time as "2025-12-01". `offset` is the time zone in minutes east of UTC. */
export function isoDay(seconds: number, offset: number): string {
  return new Date((seconds + offset * 60) * 1000).toISOString().slice(0, 10);
}

export function calendar(days: readonly CalendarDay[], offset: number, measure: string, { texts, format }: Words): Drawing {
  const most = days.reduce((max, day) => (day.count > max.count ? day : max), { start: 0, count: 0 });
  const total = days.reduce((sum, day) => sum + day.count, 0);
  const starts = new Map(days.map((day) => [isoDay(day.start, offset), day.start]));
  const months = Array.from({ length: 12 }, (_, month) => format.month(month));
  return {
    label: texts.calendarLabel(
      measure,
      format.number(total),
      most.count ? format.weekdayAndDate(most.start, offset) : "",
      format.number(most.count),
    ),
    empty: total === 0,
    table: {
      columns: [{ label: texts.day }, { label: measure, kind: "number" }],
      rows: days.map((day) => [isoDay(day.start, offset), day.count]),
    },
    minWidth: 640,
    option: (look): Option => ({
      ...base(look),
      tooltip: {
        ...tooltip(look),
        formatter: ({ value }: { value: [string, number] }) =>
          `${format.weekdayAndDate(starts.get(value[0]) ?? 0, offset)}\n${format.number(value[1])} ${measure}`,
      },
      // A few days are much busier than the others. The square root keeps the colours of the other
      // days distinguishable.
      visualMap: { ...ramp(look, Math.sqrt(most.count)), dimension: 2 },
      calendar: {
        left: 34,
        right: 4,
        top: 22,
        bottom: 4,
        range: days.length ? [isoDay(days[0]!.start, offset), isoDay(days[days.length - 1]!.start, offset)] : [],
        splitLine: { show: false },
        itemStyle: { color: "transparent", borderWidth: 3, borderColor: look.palette.surface },
        dayLabel: { ...axisLabel(look), firstDay: 1, nameMap: [0, 1, 2, 3, 4, 5, 6].map(format.weekday) },
        monthLabel: { ...axisLabel(look), nameMap: months },
        yearLabel: { show: false },
      },
      series: [
        {
          type: "heatmap",
          coordinateSystem: "calendar",
          data: days.map((day) => [isoDay(day.start, offset), day.count, Math.sqrt(day.count)]),
          itemStyle: { borderRadius: 2 },
          emphasis: { itemStyle: { borderColor: look.palette.text, borderWidth: 1 } },
        },
      ],
    }),
  };
}
