// Parts of options that several kinds of charts have.

import type { Look } from "./drawing";

export const fontFamily =
  'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", sans-serif';

/** What every option begins with. Nothing moves by itself. */
export function base({ palette }: Look) {
  return {
    animation: false,
    stateAnimation: { duration: 0 },
    textStyle: { fontFamily, color: palette.text },
    color: [...palette.series],
  };
}

/** What shows values under the pointer: drawn, since markup is forbidden. */
export function tooltip({ palette }: Look) {
  return {
    renderMode: "richText",
    confine: true,
    transitionDuration: 0,
    backgroundColor: palette.raised,
    borderColor: palette.line,
    borderWidth: 1,
    padding: [8, 12],
    textStyle: { color: palette.text, fontSize: 12, lineHeight: 18, fontFamily },
  };
}

export function axisLabel({ palette }: Look) {
  return { color: palette.muted, fontSize: 11, fontFamily };
}

export function valueAxis(look: Look, format: (value: number) => string) {
  return {
    type: "value",
    minInterval: 0,
    splitNumber: 4,
    axisLabel: { ...axisLabel(look), formatter: format },
    splitLine: { lineStyle: { color: look.palette.line } },
  };
}

export function categoryAxis(look: Look, names: readonly string[]) {
  return {
    type: "category",
    data: names,
    axisLabel: { ...axisLabel(look), hideOverlap: true },
    axisLine: { lineStyle: { color: look.palette.line } },
    axisTick: { show: false },
  };
}

/** A colour for each value from nothing to the greatest. */
export function ramp({ palette }: Look, max: number) {
  return { type: "continuous", min: 0, max: max || 1, show: false, inRange: { color: [...palette.ramp] } };
}

/** A name as text of ECharts, where braces would be a style. */
export function plain(text: string): string {
  return text.replaceAll("{", "(").replaceAll("}", ")");
}
