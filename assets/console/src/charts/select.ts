// Dragging over a chart with a time axis selects the dragged part as the range of the page.

import { createContext, useContext, useEffect, useState } from "react";
import type { Chart } from "./engine";

/** Selects a range with the given start and end, in Unix seconds, as the range of the page. */
export type SelectRange = (from: number, to: number) => void;

const Selecting = createContext<SelectRange | null>(null);

/** Provides the function that charts below it call when the user has dragged over a part of them. */
export const SelectionProvider = Selecting.Provider;

export const useSelectRange = () => useContext(Selecting);

/** The periods on the time axis of a chart: their starts in Unix seconds, and their length in seconds. */
export interface Periods {
  starts: readonly number[];
  length: number;
}

/** The part of a chart over which the user is dragging, in pixels from the left edge of the chart. */
interface Dragged {
  from: number;
  to: number;
}

/** The shortest drag in pixels; a shorter movement is a click. */
const shortest = 6;

/**
 * Returns the time from the first to the last period between two positions on the axis, which may
 * be in either order. It returns null if a position is not on the axis.
 */
export function selected({ starts, length }: Periods, one: number, other: number): [from: number, to: number] | null {
  const last = starts.length - 1;
  const [from, to] = [Math.min(one, other), Math.max(one, other)].map((at) => starts[Math.max(0, Math.min(last, Math.round(at)))]);
  return from === undefined || to === undefined ? null : [from, to + length - 1];
}

/**
 * Returns the handlers for the element of a chart, and the part that is being dragged. Touch
 * scrolls the page instead. On a phone, and with the keyboard, users select a range in the form of
 * the range bar.
 */
export function useDragging(chart: () => Chart | null, periods: Periods | undefined) {
  const select = useSelectRange();
  const [dragged, setDragged] = useState<Dragged | null>(null);
  const active = dragged !== null;
  useEffect(() => {
    if (!active) {
      return;
    }
    const cancel = (event: KeyboardEvent) => event.key === "Escape" && setDragged(null);
    window.addEventListener("keydown", cancel);
    return () => window.removeEventListener("keydown", cancel);
  }, [active]);
  if (!select || !periods || periods.starts.length < 2) {
    return { dragged: null, handlers: {} };
  }
  const at = (event: React.PointerEvent) => event.clientX - event.currentTarget.getBoundingClientRect().left;
  const onPointerUp = () => {
    setDragged(null);
    const drawn = chart();
    if (!dragged || !drawn || Math.abs(dragged.to - dragged.from) < shortest) {
      return;
    }
    const index = (pixel: number) => Number(drawn.convertFromPixel({ xAxisIndex: 0 }, pixel));
    const range = selected(periods, index(dragged.from), index(dragged.to));
    if (range) {
      select(...range);
    }
  };
  return {
    dragged: dragged && Math.abs(dragged.to - dragged.from) >= shortest ? dragged : null,
    handlers: {
      onPointerDown(event: React.PointerEvent) {
        if (event.button === 0 && event.pointerType !== "touch") {
          event.currentTarget.setPointerCapture(event.pointerId);
          setDragged({ from: at(event), to: at(event) });
        }
      },
      onPointerMove(event: React.PointerEvent) {
        if (dragged) {
          setDragged({ ...dragged, to: at(event) });
        }
      },
      onPointerUp,
      onPointerCancel: () => setDragged(null),
    },
  };
}
