// Restores the focus when a dialog or drawer closes.

import { type RefObject, useEffect, useRef } from "react";

/**
 * Returns the element that has the focus. If that is an entry of a menu, which will soon be gone,
 * it returns the button of the menu.
 */
function origin(): HTMLElement | null {
  const active = document.activeElement as HTMLElement | null;
  const label = active?.closest("[role=menu]")?.getAttribute("aria-labelledby");
  return label ? document.getElementById(label) : active;
}

/** Focuses the table row of a record, or else the heading of the page. */
export function focusRecord(id: string | undefined): void {
  const links = [...document.querySelectorAll<HTMLElement>("main .cell-link")];
  (links.find((link) => link.dataset["record"] === id) ?? document.querySelector<HTMLElement>("main h1"))?.focus();
}

/**
 * Restores the focus when the calling component is unmounted. It does nothing if `followed` is
 * true, because another dialog then takes the focus. `id` is the ID of the record that the
 * component shows.
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
      // Wait, because the element that closes may move the focus itself. Also, React in strict mode
      // unmounts every component once without reason.
      setTimeout(() => {
        const lost = document.activeElement === null || document.activeElement === document.body || !document.activeElement.isConnected;
        if (shown.current || followed?.current || (!lost && !document.activeElement?.closest("[role=dialog],[role=alertdialog]"))) {
          return;
        }
        if (from.current?.isConnected && from.current !== document.body) {
          from.current.focus();
          return;
        }
        // If another dialog is open, it gets the focus.
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
