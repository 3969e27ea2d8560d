// Options shared by several kinds of charts.

import type { Look } from "./drawing";

export const fontFamily =
  'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", sans-serif';

/** Returns a function that measures the width in pixels of a text of the given size in a chart. */
export function measureOf(fontSize: number): (text: string) => number {
  const pen = new OffscreenCanvas(1, 1).getContext("2d")!;
  pen.font = `${fontSize}px ${fontFamily}`;
  return (text) => pen.measureText(text).width;
}

/** Returns the options that all charts have in common. They disable animation. */
export function base({ palette }: Look) {
  return {
    animation: false,
    stateAnimation: { duration: 0 },
    textStyle: { fontFamily, color: palette.text },
    color: [...palette.series],
  };
}

/** Shows values at the pointer. It is drawn on the canvas, because markup is forbidden. */
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

/** The approximate number of labelled marks on a value axis. */
const marks = 4;

/**
 * Returns the number of decimals that the labels of an axis from 0 to `most` need. It depends on
 * the step that ECharts will choose.
 */
function digitsOf(most: number): number {
  if (most <= 0) {
    return 0;
  }
  const step = most / marks;
  const power = Math.floor(Math.log10(step));
  // ECharts uses steps of 1, 2, 3, 5 or 10 times a power of ten.
  return Math.max(0, -(step / 10 ** power >= 7 ? power + 1 : power));
}

/** Returns a value axis from 0 to `most`. `format` receives a value and the number of decimals that the labels need. */
export function valueAxis(look: Look, most: number, format: (value: number, digits: number) => string) {
  const digits = digitsOf(most);
  return {
    type: "value",
    minInterval: 0,
    splitNumber: marks,
    axisLabel: { ...axisLabel(look), formatter: (value: number) => format(value, digits) },
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

/** Returns a colour scale from zero to the largest value. */
export function ramp({ palette }: Look, max: number) {
  return { type: "continuous", min: 0, max: max || 1, show: false, inRange: { color: [...palette.ramp] } };
}

/** Returns a name in a form that ECharts shows as it is. ECharts would otherwise read braces as the name of a style. */
export function plain(text: string): string {
  return text.replaceAll("{", "(").replaceAll("}", ")");
}
