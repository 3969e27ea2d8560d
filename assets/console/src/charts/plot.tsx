// A chart drawn by ECharts in the size of its container and in the colours of the theme.

import { useEffect, useRef, useState } from "react";
import styles from "./charts.module.css";
import { close } from "./close";
import type { Drawing } from "./drawing";
import type { Chart } from "./engine";
import { usePalette } from "./palette";
import { useDragging } from "./select";

const none: ReadonlySet<string> = new Set();

// Load the engine while the server computes the values. If that fails, drawing tries again and
// shows the error.
import("./engine").catch(() => undefined);

interface PlotProps {
  drawing: Drawing;
  height: number;
  /** The width in CSS; the available width if undefined. */
  width?: string;
  hidden?: ReadonlySet<string>;
}

export function Plot({ drawing, height, width, hidden = none }: PlotProps) {
  const palette = usePalette();
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<Chart | null>(null);
  const [room, setRoom] = useState(0);
  const { dragged, handlers } = useDragging(() => chart.current, drawing.periods);

  useEffect(() => {
    const element = place.current!;
    const observer = new ResizeObserver(([entry]) => setRoom(Math.floor(entry!.contentRect.width)));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  useEffect(
    () => () => {
      if (chart.current) {
        close(chart.current);
      }
      chart.current = null;
    },
    [],
  );

  useEffect(() => {
    if (!room) {
      return;
    }
    let gone = false;
    const draw = async () => {
      const engine = await import("./engine");
      if (drawing.shapes) {
        await engine.load(drawing.shapes);
      }
      if (gone) {
        return;
      }
      if (chart.current) {
        chart.current.resize({ width: room, height });
      } else {
        chart.current = engine.open(place.current!, room, height);
      }
      chart.current.setOption(drawing.option({ palette, hidden, width: room, height, wide: room >= 600 }), { notMerge: true });
      chart.current.off("click");
      chart.current.on("click", ({ name }) => drawing.press?.(name));
      place.current!.dataset["drawn"] = "";
      if (drawing.minWidth) {
        // Scroll to the end, where the latest values are.
        place.current!.parentElement!.parentElement!.scrollLeft = drawing.minWidth;
      }
    };
    void draw();
    return () => {
      gone = true;
    };
  }, [drawing, hidden, palette, room, height]);

  return (
    <div
      className={width ? styles.ring : styles.plot}
      data-selectable={drawing.periods && "onPointerDown" in handlers ? "" : undefined}
      style={{ height, width, minWidth: drawing.minWidth }}
      {...handlers}
    >
      <div ref={place} role="img" aria-label={drawing.label} style={{ height }} />
      {dragged && (
        <div className={styles.dragged} style={{ left: Math.min(dragged.from, dragged.to), width: Math.abs(dragged.to - dragged.from) }} />
      )}
    </div>
  );
}
