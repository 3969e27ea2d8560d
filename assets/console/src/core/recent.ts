// The most recently opened records, for the command palette. This browser remembers them until the
// user logs out.

import type { Path } from "./pages";
import { recall, remember } from "./storage";

export const recentKey = "recent";

export interface Recent {
  path: Path;
  /** The key of the project; "" for records that belong to no project. */
  project: string;
  /** The ID of the record, in the form in which the address contains it. */
  open: string;
  label: string;
}

const most = 5;

/** Returns the most recently opened records, the last one first. */
export function recent(): Recent[] {
  try {
    const list: unknown = JSON.parse(recall(recentKey) ?? "[]");
    return Array.isArray(list) ? list.filter(isRecent) : [];
  } catch {
    return [];
  }
}

function isRecent(entry: unknown): entry is Recent {
  const { path, project, open, label } = (entry ?? {}) as Partial<Record<keyof Recent, unknown>>;
  return [path, project, open, label].every((part) => typeof part === "string");
}

/** Puts a record first in the list. */
export function addRecent(entry: Recent): void {
  const others = recent().filter(({ path, project, open }) => path !== entry.path || project !== entry.project || open !== entry.open);
  remember(recentKey, JSON.stringify([entry, ...others].slice(0, most)));
}
