// The change of a number since the previous period.

import type { Format } from "../core/format";

export type Change = { kind: "new" | "none" | "same" } | { kind: "up" | "down"; by: number };

/**
 * Returns the change of a number since the previous period, relative to the previous number or, if
 * `difference` is true, as a difference. The change is "new" if the previous number is null or 0,
 * and "none" if there is nothing to compare.
 */
export function changeOf(now: number | null, before: number | null | undefined, difference = false): Change {
  if (now === null || before === undefined || (!now && !before && !difference)) {
    return { kind: "none" };
  }
  if (before === null || (before === 0 && !difference)) {
    return { kind: "new" };
  }
  const by = difference ? now - before : (now - before) / before;
  // A change that is smaller than the last displayed digit counts as no change.
  return Math.abs(by) < (difference ? 0.005 : 0.0005) ? { kind: "same" } : { kind: by > 0 ? "up" : "down", by: Math.abs(by) };
}

/** The largest relative change that is displayed. A larger one only means that the previous number was almost zero. */
const most = 9.99;

/** Formats a relative change as "12%". */
export function shareText(by: number, { percent }: Pick<Format, "percent">): string {
  return by > most ? `>${percent(most, 0)}` : percent(by, by < 0.1 ? 1 : 0);
}
