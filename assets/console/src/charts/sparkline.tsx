// A curve without axes, below a figure.

import styles from "./charts.module.css";
import { colorOf, usePalette } from "./palette";

const width = 120;
const height = 28;

/** Values added up to at most so many, so that a curve is none of needles. */
export function thinned(values: readonly number[], most: number): number[] {
  const size = Math.ceil(values.length / most);
  return Array.from({ length: Math.ceil(values.length / size) || 0 }, (_, at) =>
    values.slice(at * size, (at + 1) * size).reduce((sum, value) => sum + value, 0),
  );
}

/** Points of the line through values, in a box; the greatest value touches its top. */
export function pointsOf(values: readonly number[], boxWidth: number, boxHeight: number): string[] {
  const most = Math.max(...values, 0) || 1;
  const step = values.length > 1 ? boxWidth / (values.length - 1) : 0;
  return values.map((value, at) => `${round(at * step)} ${round(boxHeight - (Math.max(value, 0) / most) * boxHeight)}`);
}

const round = (value: number) => Math.round(value * 10) / 10;

/**
 * Values in the order of time. The last part is one that is not over: its end of the line is
 * dashed. It says nothing to those who do not see it, since the figure does.
 */
export function Sparkline({ values }: { values: readonly number[] }) {
  const palette = usePalette();
  const color = colorOf(palette, 0);
  const points = pointsOf(values, width, height - 4);
  const line = { fill: "none", stroke: color, strokeWidth: 1.5, strokeLinejoin: "round", vectorEffect: "non-scaling-stroke" } as const;
  return (
    <svg className={styles.spark} viewBox={`0 -2 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
      {points.length > 1 && (
        <>
          <path d={`M${points.join("L")}L${width} ${height - 2}L0 ${height - 2}Z`} fill={color} opacity={0.1} />
          <path d={`M${points.slice(0, -1).join("L")}`} {...line} />
          <path d={`M${points.slice(-2).join("L")}`} {...line} strokeDasharray="3 3" />
        </>
      )}
    </svg>
  );
}
