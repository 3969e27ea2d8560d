// The time range of a page. Its name, or its own start and end, is in the address; refreshing moves
// the end of a named one.

import { useCallback, useEffect, useMemo, useState } from "react";
import { choiceParam, numberParam, useParams } from "./address";
import { now as exactNow, watchClock } from "./clock";
import { queries } from "./query";
import { type Range, type RangeName, rangeBetween, rangeOf, zoneOffset } from "./range";

const now = () => Math.floor(exactNow());

// The ranges of all pages end at the same second, so that navigation does not repeat requests. The
// end moves when the user refreshes or returns after a while.
let lastEnd = 0;
const stale = 60;
// It can also be in the future if the clock was wrong.
const isStale = () => Math.abs(now() - lastEnd) >= stale;

export interface RangeState {
  range: Range;
  setRange(name: RangeName): void;
  /** Shows a range with its own start and end, in Unix seconds. */
  setBetween(from: number, to: number): void;
  refresh(): void;
}

/** The range in the address, or 7 days if it names no range, and the functions that change it. */
export function useRange(names: readonly RangeName[]): RangeState {
  const [{ range: wanted, from, to }, change] = useParams(params);
  const name = names.includes(wanted) ? wanted : "7d";
  const [end, setEnd] = useState(() => {
    lastEnd = isStale() ? now() : lastEnd;
    return lastEnd;
  });
  const refresh = useCallback(() => {
    if (lastEnd === now()) {
      // The same questions may have answers from before the end of this second.
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
    // A response may have corrected the time before this.
    catchUp();
    document.addEventListener("visibilitychange", catchUp);
    const endWatch = watchClock(refresh);
    return () => {
      document.removeEventListener("visibilitychange", catchUp);
      endWatch();
    };
  }, [refresh]);
  const offset = zoneOffset();
  const range = useMemo(
    () => (from && to && rangeBetween(from, to, end, offset)) || rangeOf(name, end, offset),
    [name, from, to, end, offset],
  );
  const setRange = useCallback((next: RangeName) => change({ range: next, from: 0, to: 0 }), [change]);
  const setBetween = useCallback((from: number, to: number) => change({ from, to }), [change]);
  return { range, setRange, setBetween, refresh };
}

const params = { range: choiceParam(["7d", "24h", "30d", "90d", "1y"]), from: numberParam(0), to: numberParam(0) };

/** The parameters of the address that hold the range, for links to pages that keep it. */
export const rangeParameters = ["range", "from", "to"] as const;
