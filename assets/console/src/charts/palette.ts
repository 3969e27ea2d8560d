// All colours of charts. The series are distinguishable with red-green and blue-yellow colour
// blindness, and have a contrast of at least 3:1 to their background.

import { useComputedColorScheme } from "@mantine/core";

export interface Palette {
  /** Colours of series, in the order in which they are used. */
  series: readonly string[];
  /** Colour of the sum of minor values. */
  rest: string;
  /** The colours of a scale, from zero to the largest value. */
  ramp: readonly string[];
  text: string;
  muted: string;
  /** Grid lines. */
  line: string;
  /** Background of a chart. */
  surface: string;
  /** Background of elements above a chart. */
  raised: string;
  /** Land without a value. */
  land: string;
  better: string;
  worse: string;
}

export const light: Palette = {
  series: ["#1c64d1", "#c2570c", "#00836b", "#b0438a", "#8a6a00", "#1783a8", "#7450c8", "#5a6572"],
  rest: "#8b949e",
  ramp: ["#eef3fa", "#c9dcf8", "#93b9f0", "#5a91e4", "#1c64d1", "#0b3f8f"],
  text: "#1f2328",
  muted: "#59636e",
  line: "#e3e7ec",
  surface: "#ffffff",
  raised: "#ffffff",
  land: "#eceff3",
  better: "#00735e",
  worse: "#b34700",
};

export const dark: Palette = {
  series: ["#6ea6f6", "#f2935a", "#3cc7a4", "#e38cc0", "#d9b84a", "#63c3e8", "#b39df5", "#a5afbb"],
  rest: "#7d8894",
  ramp: ["#25292f", "#1d3a63", "#235293", "#3475cf", "#6ea6f6", "#b9d5fd"],
  text: "#e4e7eb",
  muted: "#a3acb6",
  line: "#2b313b",
  surface: "#101318",
  raised: "#181c23",
  land: "#2b313b",
  better: "#4fd0ad",
  worse: "#f2a06c",
};

/** Returns the colours of the current theme. */
export function usePalette(): Palette {
  return useComputedColorScheme("light") === "dark" ? dark : light;
}

/** Returns the colour of the series with the given index. */
export function colorOf(palette: Palette, index: number): string {
  return palette.series[index % palette.series.length]!;
}

/** Returns the colour for a share from 0 to 1. */
export function shadeOf(palette: Palette, share: number): string {
  const last = palette.ramp.length - 1;
  return palette.ramp[share <= 0 ? 0 : Math.min(last, Math.max(1, Math.ceil(share * last)))]!;
}

function luminance(color: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Returns the contrast of two colours, from 1 to 21, as defined by WCAG 2.2. */
export function contrast(one: string, other: string): number {
  const [a, b] = [luminance(one), luminance(other)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

/** Returns the colour for text on a background: black or white, whichever has more contrast. */
export function inkOn(color: string): string {
  return contrast(color, "#000000") > contrast(color, "#ffffff") ? "#000000" : "#ffffff";
}
