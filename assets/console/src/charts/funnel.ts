// Steps that users take one after the other: the number that reached each step, and the number lost
// on the way.

import { createElement } from "react";
import type { Drawing, Option } from "./drawing";
import { FunnelLegend } from "./funnellegend";
import { colorOf } from "./palette";
import { axisLabel, base, categoryAxis, plain, tooltip, valueAxis } from "./parts";
import type { Words } from "./words";

export interface FunnelStepValues {
  name: string;
  users: number;
  dropped: number;
  /** Share of the previous step, from 0 to 1. */
  conversion: number;
  /** Share of the first step. */
  total: number;
  /** Median seconds from the previous and from the first step, if there are users to measure. */
  median: number | null;
  totalMedian: number | null;
}

export function funnel(steps: readonly FunnelStepValues[], { texts, format }: Words): Drawing {
  const last = steps[steps.length - 1];
  const names = steps.map((step, index) => `${index + 1}. ${step.name}`);
  const spanOf = (seconds: number | null) => (seconds === null ? "" : format.span(seconds));
  return {
    label: texts.funnelLabel(
      steps.map((step) => `${step.name}: ${format.number(step.users)}`).join(", "),
      format.percent(last?.total ?? 0),
      spanOf(last?.totalMedian ?? null),
    ),
    empty: !steps[0]?.users,
    note: createElement(FunnelLegend, { steps, words: { texts, format } }),
    table: {
      columns: [
        { label: texts.step },
        { label: texts.users, kind: "number" },
        { label: texts.conversion, kind: "percent" },
        { label: texts.totalConversion, kind: "percent" },
        { label: texts.dropped, kind: "number" },
        { label: texts.loss, kind: "percent" },
        { label: texts.median, kind: "seconds" },
        { label: texts.totalMedian, kind: "seconds" },
      ],
      rows: steps.map((step, index) => [
        names[index]!,
        step.users,
        step.conversion,
        step.total,
        step.dropped,
        index ? 1 - step.conversion : 0,
        step.median,
        step.totalMedian,
      ]),
    },
    option: (look): Option => ({
      ...base(look),
      grid: { left: 4, right: 8, top: look.wide ? 64 : 96, bottom: 4, outerBoundsMode: "same", outerBoundsContain: "axisLabel" },
      tooltip: {
        ...tooltip(look),
        trigger: "axis",
        axisPointer: { type: "none" },
        formatter: ([item]: { dataIndex: number }[]) => {
          const step = steps[item?.dataIndex ?? 0]!;
          const lines = [
            plain(names[item?.dataIndex ?? 0]!),
            `${texts.users}: ${format.number(step.users)}`,
            `${texts.totalConversion}: ${format.percent(step.total)}`,
          ];
          if (item?.dataIndex) {
            lines.push(`${texts.conversion}: ${format.percent(step.conversion)}`, `${texts.dropped}: ${format.number(step.dropped)}`);
          }
          if (step.median !== null && step.totalMedian !== null) {
            lines.push(`${texts.median}: ${format.span(step.median)}`, `${texts.totalMedian}: ${format.span(step.totalMedian)}`);
          }
          return lines.join("\n");
        },
      },
      xAxis: {
        ...categoryAxis(look, names.map(plain)),
        axisLabel: {
          ...axisLabel(look),
          color: look.palette.text,
          fontSize: look.width < 480 ? 10 : 12,
          interval: 0,
          // Break long names instead of cutting them: a cut name could be mistaken for that of
          // another event.
          overflow: "break",
          lineHeight: 15,
          width: Math.max(40, (look.width - 60) / Math.max(1, steps.length) - 8),
        },
      },
      yAxis: { ...valueAxis(look, steps[0]?.users ?? 0, format.compact), minInterval: 1 },
      series: [
        {
          type: "bar",
          stack: "steps",
          barMaxWidth: 96,
          barCategoryGap: "28%",
          data: steps.map((step) => step.users),
          itemStyle: { color: colorOf(look.palette, 0), borderRadius: [3, 3, 0, 0] },
          emphasis: { disabled: true },
        },
        {
          type: "bar",
          stack: "steps",
          data: steps.map((step) => step.dropped),
          itemStyle: {
            // The alpha channel is in the colour, because the opacity of a bar would also apply to
            // its label.
            color: `${colorOf(look.palette, 0)}28`,
            borderRadius: [3, 3, 0, 0],
            decal: { symbol: "rect", dashArrayX: [1, 0], dashArrayY: [2, 5], rotation: -Math.PI / 4, color: look.palette.muted },
          },
          emphasis: { disabled: true },
          label: {
            show: true,
            position: "top",
            color: look.palette.text,
            fontSize: 12,
            lineHeight: 16,
            formatter: ({ dataIndex }: { dataIndex: number }) => {
              const step = steps[dataIndex]!;
              const beside = look.wide ? " · " : "\n";
              const reached = `${format.number(step.users)}${beside}${format.percent(step.total)}`;
              const time = step.median === null ? "" : `${beside}${format.span(step.median)}`;
              return dataIndex ? `${reached}\n→ ${format.percent(step.conversion)}${time}\n−${format.number(step.dropped)}` : reached;
            },
          },
        },
      ],
    }),
  };
}
