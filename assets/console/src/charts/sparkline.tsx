// A small curve without axes below a number.

import { Fragment } from "react";
import styles from "./charts.module.css";
import { colorOf, usePalette } from "./palette";

const width = 120;
const height = 28;

/** Values in chronological order. null leaves a gap, for example where there is no mean because there are no values. */
export type Curve = readonly (number | null)[];

/** Combines values into at most `most` points, so that the curve has no narrow spikes. */
export function thinned(values: Curve, most: number): Curve {
  const size = Math.ceil(values.length / most);
  return Array.from({ length: Math.ceil(values.length / size) || 0 }, (_, at) =>
    values.slice(at * size, (at + 1) * size).reduce((sum, value) => (value === null ? sum : (sum ?? 0) + value), null),
  );
}

interface Point {
  x: number;
  y: number;
  /** Whether the line leads to the last period, which has not ended. */
  open: boolean;
}

/**
 * Returns lines through the values, scaled to a box. There is a gap for each null, and the largest
 * value touches the top.
 */
export function linesOf(values: Curve, boxWidth: number, boxHeight: number): Point[][] {
  const most = Math.max(...values.map((value) => value ?? 0), 0) || 1;
  const step = values.length > 1 ? boxWidth / (values.length - 1) : 0;
  const lines: Point[][] = [[]];
  values.forEach((value, at) => {
    if (value === null) {
      lines.push([]);
    } else {
      const y = round(boxHeight - (Math.max(value, 0) / most) * boxHeight);
      lines[lines.length - 1]!.push({ x: round(at * step), y, open: at > 0 && at === values.length - 1 });
    }
  });
  return lines.filter((line) => line.length > 0);
}

const round = (value: number) => Math.round(value * 10) / 10;

const path = (points: readonly Point[]) => `M${points.map(({ x, y }) => `${x} ${y}`).join("L")}`;

/**
 * The curve of a number. The last part of the line is dashed, because the last period has not
 * ended. Screen readers skip the curve, because the number beside it is sufficient.
 */
export function Sparkline({ values }: { values: Curve }) {
  const palette = usePalette();
  const color = colorOf(palette, 0);
  const lines = values.length > 1 ? linesOf(values, width, height - 4) : [];
  const line = { fill: "none", stroke: color, strokeWidth: 1.5, strokeLinejoin: "round", vectorEffect: "non-scaling-stroke" } as const;
  return (
    <svg className={styles.spark} viewBox={`0 -2 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
      {lines.map((points) => {
        const [first, last] = [points[0]!, points[points.length - 1]!];
        if (points.length === 1) {
          // A value between two gaps is drawn as a dot.
          return <path key={first.x} d={`${path(points)}h0`} {...line} strokeWidth={4} strokeLinecap="round" />;
        }
        return (
          <Fragment key={first.x}>
            <path d={`${path(points)}L${last.x} ${height - 2}L${first.x} ${height - 2}Z`} fill={color} opacity={0.1} />
            <path d={path(last.open ? points.slice(0, -1) : points)} {...line} />
            {last.open && <path d={path(points.slice(-2))} {...line} strokeDasharray="3 3" />}
          </Fragment>
        );
      })}
    </svg>
  );
}
