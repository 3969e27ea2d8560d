// The change of a number since the previous period.

import type { Format } from "../core/format";

export type Change = { kind: "new" | "none" | "same" } | { kind: "up" | "down"; by: number };

/** The change of a number. Without a previous number there is no share: the number is new or zero. */
export function changeOf(now: number | null, before: number | null | undefined, difference = false): Change {
  if (now === null || before === undefined || (!now && !before && !difference)) {
    return { kind: "none" };
  }
  if (before === null || (before === 0 && !difference)) {
    return { kind: "new" };
  }
  const by = difference ? now - before : (now - before) / before;
  // A change smaller than the last displayed digit counts as none.
  return Math.abs(by) < (difference ? 0.005 : 0.0005) ? { kind: "same" } : { kind: by > 0 ? "up" : "down", by: Math.abs(by) };
}

/** The largest share that is displayed. Larger ones only mean that the previous number was almost zero. */
const most = 9.99;

/** A relative change as "12%". */
export function shareText(by: number, { percent }: Pick<Format, "percent">): string {
  return by > most ? `>${percent(most, 0)}` : percent(by, by < 0.1 ? 1 : 0);
}
