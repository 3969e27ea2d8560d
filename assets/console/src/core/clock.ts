// The server's time. The clock of this device may be wrong by days.

let ahead = 0; // seconds by which the server's clock is ahead of this one
const listeners = new Set<() => void>();

/** Deviation in seconds that can result from a slow connection and from rounding. */
const tolerated = 120;

/** The server's time in Unix seconds, as far as it is known. */
export function now(): number {
  return Date.now() / 1000 + ahead;
}

/** Records the server's time from a response. */
export function noteTime({ headers }: Response): void {
  const difference = (Date.parse(headers.get("date") ?? "") - Date.now()) / 1000;
  if (Number.isNaN(difference)) {
    return;
  }
  // The header omits fractions of a second, and a response takes time, so small differences mean
  // nothing.
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
