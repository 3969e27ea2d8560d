// Texts that were written but not sent yet. This browser keeps them until they are sent or
// discarded, or until the user logs out.

import { useCallback, useSyncExternalStore } from "react";
import { recall, remember, watch } from "./storage";

export const unsentKey = "unsent";

/** The maximum number of texts that are kept; the oldest ones are dropped. */
const most = 50;

let parsed: { text: string | null; all: ReadonlyMap<string, string> } = { text: null, all: new Map() };

function all(): ReadonlyMap<string, string> {
  const text = recall(unsentKey);
  if (text !== parsed.text) {
    parsed = { text, all: new Map(parse(text)) };
  }
  return parsed.all;
}

function parse(text: string | null): [string, string][] {
  try {
    const list: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(list) ? list.filter(isEntry) : [];
  } catch {
    return [];
  }
}

function isEntry(entry: unknown): entry is [string, string] {
  return Array.isArray(entry) && entry.length === 2 && entry.every((part) => typeof part === "string");
}

/** Returns the unsent text for a record, or null. */
export function unsent(id: string): string | null {
  return all().get(id) ?? null;
}

/** Keeps the unsent text for a record; null deletes it. */
export function keepUnsent(id: string, text: string | null): void {
  const others = [...all()].filter(([other]) => other !== id);
  const next = text === null ? others : [...others, [id, text]].slice(-most);
  remember(unsentKey, next.length > 0 ? JSON.stringify(next) : null);
}

/** Returns the unsent text for a record, and the function that changes it. */
export function useUnsent(id: string): [string | null, (text: string | null) => void] {
  const text = useSyncExternalStore(
    (listener) => watch(unsentKey, listener),
    () => unsent(id),
  );
  return [text, useCallback((next) => keepUnsent(id, next), [id])];
}
