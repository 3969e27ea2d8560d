// The time range of a page. The address contains its name, or its start and end. Refreshing the
// page moves the end of a range with a name.

import { useCallback, useEffect, useMemo, useState } from "react";
import { choiceParam, numberParam, useParams } from "./address";
import { now as exactNow, watchClock } from "./clock";
import { queries } from "./query";
import { type Range, type RangeName, rangeBetween, rangeOf, zoneOffset } from "./range";

const now = () => Math.floor(exactNow());

// The end of the ranges of all pages, in Unix seconds. It is shared so that navigation does not
// repeat requests. It moves when the user refreshes or returns after a while.
let lastEnd = 0;
const stale = 60;
// The end may also be in the future, if the clock was wrong before.
const isStale = () => Math.abs(now() - lastEnd) >= stale;

export interface RangeState {
  range: Range;
  setRange(name: RangeName): void;
  /** Shows a range with its own start and end, in Unix seconds. */
  setBetween(from: number, to: number): void;
  refresh(): void;
}

/**
 * Returns the range in the address and the functions that change it. If the address names no range,
 * it is the last 7 days.
 */
export function useRange(names: readonly RangeName[]): RangeState {
  const [{ range: wanted, from, to }, change] = useParams(params);
  const name = names.includes(wanted) ? wanted : "7d";
  const [end, setEnd] = useState(() => {
    lastEnd = isStale() ? now() : lastEnd;
    return lastEnd;
  });
  const refresh = useCallback(() => {
    if (lastEnd === now()) {
      // Without this, a query for the same second would be answered from the cache with older data.
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
    // An earlier response may have corrected the time.
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
