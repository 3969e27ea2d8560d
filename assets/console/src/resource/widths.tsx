// The widths of columns. Users drag the edge of a column, and a double click on the edge restores
// the default. The widths are remembered for each page.

import { useMemo, useRef, useState } from "react";
import { useRemembered } from "../core/storage";
import classes from "./table.module.css";

const least = 60;
const most = 1200;

export interface Widths {
  /** Returns the width in pixels that the user has set for a column, if any. */
  of(id: string): number | undefined;
  /** Sets the width of a column; null restores the default. The width is remembered only if `kept` is true. */
  set(id: string, width: number | null, kept: boolean): void;
}

/** Returns the key under which the widths of a page are remembered. */
export const widthsKey = (name: string) => `${name}.widths`;

function read(text: string | null): Record<string, number> {
  try {
    const value: unknown = JSON.parse(text ?? "{}");
    return Object.fromEntries(
      Object.entries(value ?? {}).filter(
        (entry): entry is [string, number] => typeof entry[1] === "number" && entry[1] >= least && entry[1] <= most,
      ),
    );
  } catch {
    return {};
  }
}

export function useWidths(name: string): Widths {
  const [text, remember] = useRemembered(widthsKey(name));
  const remembered = useMemo(() => read(text), [text]);
  const [dragged, setDragged] = useState<{ id: string; width: number } | null>(null);
  return {
    of: (id) => (dragged?.id === id ? dragged.width : remembered[id]),
    set(id, width, kept) {
      const bounded = width === null ? null : Math.round(Math.min(Math.max(width, least), most));
      setDragged(kept || bounded === null ? null : { id, width: bounded });
      if (kept) {
        const { [id]: _former, ...others } = remembered;
        const next = bounded === null ? others : { ...others, [id]: bounded };
        remember(Object.keys(next).length ? JSON.stringify(next) : null);
      }
    },
  };
}

/**
 * The edge of a column heading, which changes the width of the column. It only affects the
 * appearance of the table, so it need not be reachable by keyboard.
 */
export function ColumnEdge({ id, initial, widths }: { id: string; initial: number; widths: Widths }) {
  const start = useRef<{ x: number; width: number; moved: boolean } | null>(null);
  const widthAt = (x: number) => start.current!.width + x - start.current!.x;
  return (
    <div
      aria-hidden
      data-edge={id}
      className={classes["edge"]}
      onPointerDown={(event) => {
        if (event.button === 0) {
          event.preventDefault();
          event.currentTarget.setPointerCapture(event.pointerId);
          start.current = { x: event.clientX, width: event.currentTarget.closest("th")?.offsetWidth ?? initial, moved: false };
        }
      }}
      onPointerMove={({ clientX }) => {
        if (start.current && (start.current.moved || Math.abs(clientX - start.current.x) > 2)) {
          start.current.moved = true;
          widths.set(id, widthAt(clientX), false);
        }
      }}
      onPointerUp={({ clientX }) => {
        if (start.current?.moved) {
          widths.set(id, widthAt(clientX), true);
        }
        start.current = null;
      }}
      onPointerCancel={() => {
        start.current = null;
        widths.set(id, null, false);
      }}
      onDoubleClick={() => widths.set(id, null, true)}
    />
  );
}
