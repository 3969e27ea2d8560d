// Keyboard shortcuts. A page registers its shortcuts while it is shown. The help that "?" opens
// lists all registered shortcuts.

import { useEffect, useRef, useSyncExternalStore } from "react";

export interface Shortcut {
  /** The key, such as "n", "?" or "ArrowDown"; two keys in a row, such as "g v"; or "mod+k" for Ctrl or ⌘ with k. */
  key: string;
  /** Description for the help. */
  label: string;
  run(): void;
  /** The dialog in which the key works. Without one, the key works while no dialog is open. */
  within?: () => HTMLElement | null;
}

/** Name of the key that "mod" stands for. */
export const modKey = /Mac|iPhone|iPad/.test(navigator.platform) ? "⌘" : "Ctrl";

/** Time in milliseconds within which the second of two keys must follow. */
const pause = 1000;

let shortcuts: readonly Shortcut[] = [];
const listeners = new Set<() => void>();

function change(next: readonly Shortcut[]): void {
  shortcuts = next;
  for (const listener of listeners) {
    listener();
  }
}

/**
 * Registers a key until the returned function is called. If a key is registered several times, the
 * last registration wins.
 */
export function register(key: string, label: string, run: () => void, within?: () => HTMLElement | null): () => void {
  const shortcut: Shortcut = { key, label, run, ...(within && { within }) };
  change([...shortcuts, shortcut]);
  return () => change(shortcuts.filter((other) => other !== shortcut));
}

/** Registers shortcuts while a component is shown. The list may be a new object on each render. */
export function useShortcuts(list: readonly Shortcut[]): void {
  const latest = useRef(list);
  useEffect(() => {
    latest.current = list;
  });
  // The effect depends only on this text, so shortcuts are registered again only if the help
  // changes.
  const shown = JSON.stringify(list.map(({ key, label }) => [key, label]));
  useEffect(() => {
    const ends = (JSON.parse(shown) as [string, string][]).map(([key, label]) => {
      const current = () => latest.current.find((shortcut) => shortcut.key === key);
      const within = current()?.within && (() => current()?.within?.() ?? null);
      return register(key, label, () => current()?.run(), within);
    });
    return () => {
      for (const end of ends) {
        end();
      }
    };
  }, [shown]);
}

/** Returns all current shortcuts. If a key is registered several times, only the last registration is included. */
export function useAllShortcuts(): Shortcut[] {
  const all = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => shortcuts,
  );
  return [...new Map(all.map((shortcut) => [shortcut.key, shortcut])).values()];
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches("input:not([type=checkbox], [type=radio]), textarea, select, [role=combobox]"))
  );
}

/** Returns the topmost open dialog, or null. */
export function openDialog(): HTMLElement | null {
  return [...document.querySelectorAll<HTMLElement>("[aria-modal=true]")].at(-1) ?? null;
}

/** Reports whether the focused element handles the key itself, like a button handles the space bar. */
function isTaken(event: KeyboardEvent): boolean {
  const target = event.target;
  if (!(target instanceof HTMLElement)) {
    return false;
  }
  const widget = target.closest(
    "[role=menu], [role=listbox], [role=tablist], [role=radiogroup], [role=slider], [role=tree], [role=separator]",
  );
  return (widget !== null && event.key.startsWith("Arrow")) || (event.key === "Enter" && target.matches("a, button, summary"));
}

let focused: Element | null = null;
window.addEventListener("focusin", ({ target }) => {
  focused = target as Element;
});

// A button loses the focus if it is disabled while its action runs. Tab would then leave the dialog
// around it.
window.addEventListener(
  "keydown",
  ({ key }) => {
    const dialog = openDialog();
    if (key === "Tab" && dialog && document.activeElement === document.body) {
      const back = dialog.contains(focused) && !focused?.matches(":disabled") ? (focused as HTMLElement) : dialog;
      back.focus({ preventScroll: true });
    }
  },
  { capture: true },
);

let first: { key: string; at: number } | null = null;

/** Returns the shortcut that matches a key event. */
function match(event: KeyboardEvent): Shortcut | undefined {
  const mod = event.ctrlKey || event.metaKey;
  const key = event.key.length === 1 && !event.shiftKey ? event.key.toLowerCase() : event.key;
  const dialog = openDialog();
  const active = shortcuts.filter(({ within }) => {
    const place = within?.();
    return within ? place != null && (dialog ? dialog.contains(place) : place.isConnected) : !dialog;
  });
  const find = (name: string) => active.filter((shortcut) => shortcut.key === name).at(-1);
  if (mod) {
    return find(`mod+${key.toLowerCase()}`);
  }
  if (isTyping(event.target) || isTaken(event)) {
    return undefined;
  }
  const second = first && event.timeStamp - first.at < pause ? find(`${first.key} ${key}`) : undefined;
  first = !second && active.some((shortcut) => shortcut.key.startsWith(`${key} `)) ? { key, at: event.timeStamp } : null;
  return second ?? find(key);
}

window.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.altKey || event.isComposing) {
    return;
  }
  const shortcut = match(event);
  if (shortcut) {
    event.preventDefault();
    shortcut.run();
  }
});
