// The time that a histogram shows, and the shapes of its bars.

import type { LogSeriesEntry } from "svc-sdk";

const hour = 3600;
const day = 24 * hour;
const week = 7 * day;
/** The longest time, in seconds, for which each bar is an hour. Above it, each bar is a day. */
const hoursUntil = 14 * day;
const longest = 400 * day;

export interface Window {
  /** Unix seconds; both are inclusive. */
  start: number;
  end: number;
  interval: "hour" | "day";
}

const floor = (time: number) => Math.floor(time / hour) * hour;

/**
 * Returns the time that the histogram shows when the user has selected the time between `from` and
 * `to`. A short time is shown within its week, so that its surroundings stay visible. Without a
 * selection, it is the last week.
 */
export function windowOf(from: number | undefined, to: number | undefined, now: number): Window {
  const end = floor(now) + hour - 1;
  const lastWeek: Window = { start: end + 1 - week, end, interval: "hour" };
  if (from === undefined && to === undefined) {
    return lastWeek;
  }
  const until = Math.min(to ?? end, end);
  const since = Math.max(from ?? until - longest, until - longest, 0);
  if (until - since < 2 * day) {
    const middle = floor((since + until - week) / 2);
    return since >= lastWeek.start || middle + week > end ? lastWeek : { start: middle, end: middle + week - 1, interval: "hour" };
  }
  return { start: since, end: until, interval: until - since <= hoursUntil ? "hour" : "day" };
}

/**
 * Returns, for each level, the bars as one SVG path. A bar is one unit wide, and the drawing is 100
 * units high. Errors are at the bottom.
 */
export function pathsOf(bars: readonly LogSeriesEntry[]): [string, string, string, string] {
  const paths: [string, string, string, string] = ["", "", "", ""];
  const most = Math.max(1, ...bars.map(({ total }) => total));
  for (const [at, { total, levels }] of bars.entries()) {
    // A single log must still be visible beside a bar with very many.
    const height = total > 0 ? Math.max((total / most) * 100, 4) : 0;
    let bottom = 100;
    for (const level of [3, 2, 1, 0] as const) {
      const part = ((levels[level] ?? 0) / Math.max(total, 1)) * height;
      if (part > 0) {
        bottom -= part;
        paths[level] += `M${at + 0.1} ${bottom.toFixed(2)}h.8v${part.toFixed(2)}h-.8z`;
      }
    }
  }
  return paths;
}

/** Returns the highest bar that is at most `near` bars away from the bar `at`. */
export function peakNear(bars: readonly LogSeriesEntry[], at: number, near: number): number {
  let best = at;
  for (let other = Math.max(at - near, 0); other <= Math.min(at + near, bars.length - 1); other++) {
    if ((bars[other]?.total ?? 0) > (bars[best]?.total ?? 0)) {
      best = other;
    }
  }
  return best;
}
