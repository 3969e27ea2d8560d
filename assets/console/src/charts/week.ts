// Draws a heat map with a row for each weekday and a column for each hour.

import type { Drawing, Option } from "./drawing";
import { axisLabel, base, ramp, tooltip } from "./parts";
import type { Words } from "./words";

export interface WeekCell {
  /** The weekday, where 0 is Sunday. */
  weekday: number;
  hour: number;
  count: number;
}

/** Returns the row of a weekday. Monday is the first row. */
const row = (weekday: number) => (weekday + 6) % 7;

export function week(cells: readonly WeekCell[], measure: string, { texts, format }: Words): Drawing {
  const most = cells.reduce((max, cell) => (cell.count > max.count ? cell : max), { weekday: 1, hour: 0, count: 0 });
  const days = [1, 2, 3, 4, 5, 6, 0];
  const hours = Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, "0"));
  const at = (weekday: number, hour: number) => `${format.weekday(weekday)} ${hours[hour]}:00–${hours[hour]}:59`;
  const count = new Map(cells.map((cell) => [cell.weekday * 24 + cell.hour, cell.count]));
  return {
    label: texts.weekLabel(measure, at(most.weekday, most.hour), format.number(most.count)),
    empty: most.count === 0,
    table: {
      columns: [{ label: texts.hour }, ...days.map((weekday) => ({ label: format.weekday(weekday), kind: "number" as const }))],
      rows: hours.map((name, hour) => [`${name}:00`, ...days.map((weekday) => count.get(weekday * 24 + hour) ?? 0)]),
    },
    option: (look): Option => ({
      ...base(look),
      grid: { left: 4, right: 4, top: 4, bottom: 4, outerBoundsMode: "same", outerBoundsContain: "axisLabel" },
      tooltip: {
        ...tooltip(look),
        formatter: ({ value }: { value: [number, number, number] }) =>
          `${at(days[value[1]]!, value[0])}\n${format.number(value[2])} ${measure}`,
      },
      xAxis: {
        type: "category",
        data: hours,
        axisLabel: { ...axisLabel(look), interval: 2 },
        axisTick: { show: false },
        axisLine: { show: false },
      },
      yAxis: {
        type: "category",
        data: days.map(format.weekday),
        inverse: true,
        axisLabel: axisLabel(look),
        axisTick: { show: false },
        axisLine: { show: false },
      },
      visualMap: ramp(look, most.count),
      series: [
        {
          type: "heatmap",
          data: cells.map((cell) => [cell.hour, row(cell.weekday), cell.count]),
          itemStyle: { borderColor: look.palette.surface, borderWidth: 2, borderRadius: 3 },
          emphasis: { itemStyle: { borderColor: look.palette.text, borderWidth: 1 } },
        },
      ],
    }),
  };
}
