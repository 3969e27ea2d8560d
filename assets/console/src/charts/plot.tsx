// A chart drawn by ECharts in the size of its container and in the colours of the theme.

import { useEffect, useRef, useState } from "react";
import styles from "./charts.module.css";
import type { Drawing } from "./drawing";
import type { Chart } from "./engine";
import { usePalette } from "./palette";

const none: ReadonlySet<string> = new Set();

// Loads while the server computes the values. If it fails, drawing tries again and shows the error.
import("./engine").catch(() => undefined);

interface PlotProps {
  drawing: Drawing;
  height: number;
  /** Width in pixels; the available width if undefined. */
  width?: string;
  hidden?: ReadonlySet<string>;
}

export function Plot({ drawing, height, width, hidden = none }: PlotProps) {
  const palette = usePalette();
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<Chart | null>(null);
  const [room, setRoom] = useState(0);

  useEffect(() => {
    const element = place.current!;
    const observer = new ResizeObserver(([entry]) => setRoom(Math.floor(entry!.contentRect.width)));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  useEffect(
    () => () => {
      chart.current?.dispose();
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
      place.current!.dataset["drawn"] = "";
      if (drawing.minWidth) {
        // The latest values are at the end.
        place.current!.parentElement!.scrollLeft = drawing.minWidth;
      }
    };
    void draw();
    return () => {
      gone = true;
    };
  }, [drawing, hidden, palette, room, height]);

  return (
    <div
      ref={place}
      className={width ? styles.ring : styles.plot}
      role="img"
      aria-label={drawing.label}
      style={{ height, width, minWidth: drawing.minWidth }}
    />
  );
}
