// Tracks whether the server can be reached. Every call reports its outcome. While the server is
// unreachable, it is probed every few seconds.

import { useSyncExternalStore } from "react";

/** Milliseconds between two probes. */
const pause = 2000;

let lost = false;
let timer: number | undefined;
const listeners = new Set<() => void>();

/** Records that a call got no response from the server. */
export function noteLost(): void {
  if (!lost) {
    lost = true;
    tell();
    timer = window.setTimeout(ask, pause);
  }
}

/** Records that the server responded. */
export function noteFound(): void {
  if (lost) {
    lost = false;
    window.clearTimeout(timer);
    tell();
  }
}

async function answers(): Promise<boolean> {
  try {
    return (await fetch("/healthz", { cache: "no-store", signal: AbortSignal.timeout(5000) })).ok;
  } catch {
    return false;
  }
}

/** Sends a probe and returns whether the server is reachable. If it is not, that is recorded. */
export async function isReachable(): Promise<boolean> {
  const there = await answers();
  if (there) {
    noteFound();
  } else {
    noteLost();
  }
  return there;
}

/** Waits until the server can be reached. */
export function untilFound(): Promise<void> {
  return new Promise((resolve) => {
    if (!lost) {
      resolve();
      return;
    }
    const end = watchServer(() => {
      if (!lost) {
        end();
        resolve();
      }
    });
  });
}

async function ask(): Promise<void> {
  if (!(await isReachable())) {
    window.clearTimeout(timer);
    timer = window.setTimeout(ask, pause);
  }
}

window.addEventListener("online", () => {
  if (lost) {
    void ask();
  }
});

function tell(): void {
  for (const listener of listeners) {
    listener();
  }
}

/** Calls back when the server becomes unreachable or reachable. */
export function watchServer(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Returns whether the server is unreachable. */
export function isLost(): boolean {
  return lost;
}

/** Returns whether the server is unreachable. The component is rendered again when that changes. */
export function useLost(): boolean {
  return useSyncExternalStore(watchServer, isLost);
}
