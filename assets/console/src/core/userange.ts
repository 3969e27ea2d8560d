// The range of time that a page shows: its name is in the address, and its end moves on refresh.

import { useCallback, useEffect, useMemo, useState } from "react";
import { choiceParam, useParams } from "./address";
import { now as exactNow, watchClock } from "./clock";
import { queries } from "./query";
import { type Range, type RangeName, rangeOf, zoneOffset } from "./range";

const now = () => Math.floor(exactNow());

// Ranges of all pages end at the same second, so that the next page repeats no request. The end moves on refresh, and
// when the console becomes visible after a while.
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
