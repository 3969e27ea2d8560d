// Dragging over a chart with a time axis selects the dragged part as the range of the page.

import { createContext, useContext, useEffect, useState } from "react";
import type { Chart } from "./engine";

/** Shows a range with its own start and end, in Unix seconds. */
export type SelectRange = (from: number, to: number) => void;

const Selecting = createContext<SelectRange | null>(null);

/** Provides the function that the charts below call for a dragged part. */
export const SelectionProvider = Selecting.Provider;

export const useSelectRange = () => useContext(Selecting);

/** The periods on the time axis of a chart: their starts in Unix seconds, and their length in seconds. */
export interface Periods {
  starts: readonly number[];
  length: number;
}

/** The dragged part of a chart, in pixels from its left edge. */
interface Dragged {
  from: number;
  to: number;
}

/** A shorter movement is a click. */
const shortest = 6;

/** From the first to the last period between two positions on the axis, whatever their order; null outside of it. */
export function selected({ starts, length }: Periods, one: number, other: number): [from: number, to: number] | null {
  const last = starts.length - 1;
  const [from, to] = [Math.min(one, other), Math.max(one, other)].map((at) => starts[Math.max(0, Math.min(last, Math.round(at)))]);
  return from === undefined || to === undefined ? null : [from, to + length - 1];
}

/**
 * Handlers for the element of a chart, and the part being dragged. Touch scrolls the page instead;
 * the form of the range bar does the same with the keyboard and on a phone.
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
