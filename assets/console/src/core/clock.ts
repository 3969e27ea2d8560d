// The server's time. The clock of this device may be wrong by days.

let ahead = 0; // seconds by which the server's clock is ahead of this one
const listeners = new Set<() => void>();

/**
 * Difference in seconds up to which the clocks count as equal. Slow connections and rounding can
 * cause such a difference.
 */
const tolerated = 120;

/** Returns the server's time in Unix seconds. Until the server has sent its time, this is the time of this device. */
export function now(): number {
  return Date.now() / 1000 + ahead;
}

/** Records the server's time from a response. */
export function noteTime({ headers }: Response): void {
  const difference = (Date.parse(headers.get("date") ?? "") - Date.now()) / 1000;
  if (Number.isNaN(difference)) {
    return;
  }
  // The header has no fractions of a second, and a response takes time to arrive. Ignore small
  // differences.
  const next = Math.abs(difference) > tolerated ? difference + 1 : 0;
  if (Math.abs(next - ahead) > tolerated) {
    ahead = next;
    for (const listener of listeners) {
      listener();
    }
  } else {
    ahead = Math.max(ahead, next);
  }
}

/** Calls back when the deviation of the clock changes. */
export function watchClock(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
