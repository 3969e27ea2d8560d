// Values that the browser remembers. If storage is full or forbidden, they are remembered until the
// page is closed.

import { useCallback, useSyncExternalStore } from "react";

const prefix = "svc.console.";
// Values that could not be written to storage; null means deleted.
const memory = new Map<string, string | null>();
const listeners = new Map<string, Set<() => void>>();

/** Returns the text that is stored under a key, or null. */
export function recall(key: string): string | null {
  const kept = memory.get(key);
  if (kept !== undefined) {
    return kept;
  }
  try {
    return localStorage.getItem(prefix + key);
  } catch {
    return null;
  }
}

/** Stores a text, in this browser if possible; null deletes it. */
export function remember(key: string, text: string | null): void {
  memory.set(key, text);
  try {
    if (text === null) {
      localStorage.removeItem(prefix + key);
    } else {
      localStorage.setItem(prefix + key, text);
    }
    memory.delete(key);
  } catch {
    // Storage cannot be read, so use the copy in memory.
  }
  changed(key);
}

function changed(key: string): void {
  for (const listener of listeners.get(key) ?? []) {
    listener();
  }
}

// Other tabs report their changes with this event. A null key means that storage was cleared.
window.addEventListener("storage", (event) => {
  if (event.key === null) {
    memory.clear();
    for (const key of listeners.keys()) {
      changed(key);
    }
  } else if (event.key.startsWith(prefix)) {
    const key = event.key.slice(prefix.length);
    memory.delete(key);
    changed(key);
  }
});

/** Calls back when the text under a key changes, here or in another tab. */
export function watch(key: string, listener: () => void): () => void {
  const all = listeners.get(key) ?? new Set();
  listeners.set(key, all.add(listener));
  return () => all.delete(listener);
}

/**
 * Returns the text that is stored under a key, and the function that changes it. The component is
 * rendered again when the text changes.
 */
export function useRemembered(key: string): [string | null, (text: string | null) => void] {
  const text = useSyncExternalStore(
    (listener) => watch(key, listener),
    () => recall(key),
  );
  return [text, useCallback((next) => remember(key, next), [key])];
}
