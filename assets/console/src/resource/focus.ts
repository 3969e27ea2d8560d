// The focus goes back to where it was when a dialog or drawer closes.

import { type RefObject, useEffect, useRef } from "react";

/** What had the focus: for an entry of a menu, which is gone by then, the button of the menu. */
function origin(): HTMLElement | null {
  const active = document.activeElement as HTMLElement | null;
  const label = active?.closest("[role=menu]")?.getAttribute("aria-labelledby");
  return label ? document.getElementById(label) : active;
}

/** Gives the focus to a row of the table by the id of its record, else to the heading of the page. */
export function focusRecord(id: string | undefined): void {
  const links = [...document.querySelectorAll<HTMLElement>("main .cell-link")];
  (links.find((link) => link.dataset["record"] === id) ?? document.querySelector<HTMLElement>("main h1"))?.focus();
}

/**
 * Gives the focus back when the component that calls this goes, unless `followed` says that another dialog takes it;
 * `id` is the record that it was about.
 */
export function useFocusReturn(id?: string, followed?: RefObject<boolean>): void {
  const from = useRef<HTMLElement | null>(null);
  const shown = useRef(false);
  const record = useRef(id);
  record.current = id;
  from.current ??= origin();
  useEffect(() => {
    shown.current = true;
    return () => {
      shown.current = false;
      // The element that closes it may move the focus itself, and a strict React closes everything once.
      setTimeout(() => {
        const lost = document.activeElement === null || document.activeElement === document.body || !document.activeElement.isConnected;
        if (shown.current || followed?.current || (!lost && !document.activeElement?.closest("[role=dialog],[role=alertdialog]"))) {
          return;
        }
        if (from.current?.isConnected && from.current !== document.body) {
          from.current.focus();
          return;
        }
        // A dialog that is still open keeps the focus.
        const dialog = document.querySelector<HTMLElement>("[role=dialog]");
        if (dialog) {
          dialog.focus();
        } else {
          focusRecord(record.current);
        }
      });
    };
  }, []);
}
