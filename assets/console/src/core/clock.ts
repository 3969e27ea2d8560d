// The server's time. The clock of this device may be days off.

let ahead = 0; // seconds that the clock of the server is ahead of this one
const listeners = new Set<() => void>();

/** What a slow line and whole seconds amount to, which is no wrong clock. */
const tolerated = 120;

/** Unix seconds by the server, as far as it has said them. */
export function now(): number {
  return Date.now() / 1000 + ahead;
}

/** Notes when the server answered. */
export function noteTime({ headers }: Response): void {
  const difference = (Date.parse(headers.get("date") ?? "") - Date.now()) / 1000;
  if (Number.isNaN(difference)) {
    return;
  }
  // The header leaves out parts of a second, and an answer takes its time: none says more than it is.
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

/** Calls back when it turns out that the clock is off. */
export function watchClock(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
