// The range of time of a page of numbers, and the zone in which its days begin.

import { useCallback, useEffect, useMemo, useState } from "react";
import { choiceParam, useParams } from "./address";
import { now as exactNow, watchClock } from "./clock";
import { queries } from "./query";

export type RangeName = "24h" | "7d" | "30d" | "90d" | "1y";

export type Granularity = "hour" | "day";

export interface Range {
  name: RangeName;
  /** Unix seconds; both ends belong to the range. */
  start: number;
  end: number;
  /** The range of the same length that ended before this one began. */
  previous: { start: number; end: number };
  granularity: Granularity;
  /** Minutes that the zone is east of UTC. */
  offset: number;
}

const days: Record<RangeName, number> = { "24h": 1, "7d": 7, "30d": 30, "90d": 90, "1y": 365 };

/**
 * The range of a name that ends at `end`. Up to a week it begins with a whole hour, and is
 * cut into hours; a longer one begins at midnight, and is cut into days.
 */
export function rangeOf(name: RangeName, end: number, offset: number): Range {
  const granularity = days[name] <= 7 ? "hour" : "day";
  const step = granularity === "hour" ? 3600 : 86_400;
  const shift = granularity === "hour" ? 0 : offset * 60;
  const length = days[name] * 86_400;
  const start = Math.floor((end + shift) / step) * step - shift + step - length;
  return { name, start, end, previous: { start: start - length, end: start - 1 }, granularity, offset };
}

/** Minutes that the zone of the browser is east of UTC now. */
export function zoneOffset(): number {
  const offset = -new Date().getTimezoneOffset();
  return offset === 0 ? 0 : offset;
}

/** A zone as "UTC+05:30". */
export function zoneName(offset: number): string {
  const minutes = Math.abs(offset);
  const text = `${String(Math.floor(minutes / 60)).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}`;
  return offset === 0 ? "UTC" : `UTC${offset < 0 ? "−" : "+"}${text}`;
}

/** The fields that all questions about a range have. */
export function within(range: { start: number; end: number }): { start_time: number; end_time: number; tz_offset_minutes: number } {
  return { start_time: range.start, end_time: range.end, tz_offset_minutes: zoneOffset() };
}

const now = () => Math.floor(exactNow());

// Ranges of all pages end at the same second, so that going from one to the next asks nothing
// twice; it moves when somebody refreshes, or comes back after a while.
let lastEnd = 0;
const stale = 60;
// Ahead, too, if the clock was wrong.
const isStale = () => Math.abs(now() - lastEnd) >= stale;

/** The range that the address names, 7 days if it names none of these, and what brings its end up to date. */
export function useRange(names: readonly RangeName[]): { range: Range; setRange(name: RangeName): void; refresh(): void } {
  const [{ range: wanted }, change] = useParams(params);
  const name = names.includes(wanted) ? wanted : "7d";
  const [end, setEnd] = useState(() => {
    lastEnd = isStale() ? now() : lastEnd;
    return lastEnd;
  });
  const refresh = useCallback(() => {
    if (lastEnd === now()) {
      // The same questions have answers from before the last moments of this second.
      void queries.invalidateQueries();
    }
    lastEnd = now();
    setEnd(lastEnd);
  }, []);
  useEffect(() => {
    const catchUp = () => {
      if (document.visibilityState === "visible" && isStale()) {
        refresh();
      }
    };
    // An answer may have told the right time before this.
    catchUp();
    document.addEventListener("visibilitychange", catchUp);
    const endWatch = watchClock(refresh);
    return () => {
      document.removeEventListener("visibilitychange", catchUp);
      endWatch();
    };
  }, [refresh]);
  const offset = zoneOffset();
  const range = useMemo(() => rangeOf(name, end, offset), [name, end, offset]);
  return { range, setRange: (next) => change({ range: next }), refresh };
}

const params = { range: choiceParam(["7d", "24h", "30d", "90d", "1y"]) };
