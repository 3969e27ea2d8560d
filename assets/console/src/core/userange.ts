// The time range of a page. Its name is in the address; refreshing moves its end.

import { useCallback, useEffect, useMemo, useState } from "react";
import { choiceParam, useParams } from "./address";
import { now as exactNow, watchClock } from "./clock";
import { queries } from "./query";
import { type Range, type RangeName, rangeOf, zoneOffset } from "./range";

const now = () => Math.floor(exactNow());

// The ranges of all pages end at the same second, so that navigation does not repeat requests. The
// end moves when the user refreshes or returns after a while.
let lastEnd = 0;
const stale = 60;
// It can also be in the future if the clock was wrong.
const isStale = () => Math.abs(now() - lastEnd) >= stale;

/** The range named in the address, or 7 days if the name is unknown, and the function that updates its end. */
export function useRange(names: readonly RangeName[]): { range: Range; setRange(name: RangeName): void; refresh(): void } {
  const [{ range: wanted }, change] = useParams(params);
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
  const range = useMemo(() => rangeOf(name, end, offset), [name, end, offset]);
  return { range, setRange: (next) => change({ range: next }), refresh };
}

const params = { range: choiceParam(["7d", "24h", "30d", "90d", "1y"]) };
