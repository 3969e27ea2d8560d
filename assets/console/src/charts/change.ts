// How a number differs from the one of the time before.

import type { Format } from "../core/format";

export type Change = { kind: "new" | "none" | "same" } | { kind: "up" | "down"; by: number };

/** How a number changed. Without one before there is no share: it is new, or there is nothing. */
export function changeOf(now: number | null, before: number | null | undefined, difference = false): Change {
  if (now === null || before === undefined || (!now && !before && !difference)) {
    return { kind: "none" };
  }
  if (before === null || (before === 0 && !difference)) {
    return { kind: "new" };
  }
  const by = difference ? now - before : (now - before) / before;
  // Less than the last digit that is shown is no change.
  return Math.abs(by) < (difference ? 0.005 : 0.0005) ? { kind: "same" } : { kind: by > 0 ? "up" : "down", by: Math.abs(by) };
}

/** The greatest share that is shown; what is more says nothing but that there was next to nothing before. */
const most = 9.99;

/** A share by which something changed, as "12%". */
export function shareText(by: number, { percent }: Pick<Format, "percent">): string {
  return by > most ? `>${percent(most, 0)}` : percent(by, by < 0.1 ? 1 : 0);
}
