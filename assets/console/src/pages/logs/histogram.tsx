// A histogram of logs by hour or day, and by level. Selecting a part of it limits the list to that
// time. The histogram has the same filters as the list.

import { useQuery } from "@tanstack/react-query";
import { type KeyboardEvent, type PointerEvent, useMemo, useRef, useState } from "react";
import type { LogSeriesEntry } from "svc-sdk";
import { useAddress } from "../../core/address";
import { clientOf } from "../../core/client";
import { now } from "../../core/clock";
import { useFormat } from "../../core/format";
import { zoneOffset } from "../../core/range";
import { useTexts } from "../../core/texts";
import { type Filter, queryOf } from "../../resource/resource";
import type { Heights } from "../../resource/rows";
import classes from "./histogram.module.css";
import { pathsOf, peakNear, windowOf } from "./window";

/** Heights of the histogram and the gap below it, on a phone with the tools. They must match histogram.module.css. */
export const histogramHeights: Heights = { wide: 116, phone: 137 };

const every = 60_000;
/** Distance from a finger, in pixels, within which the highest bar is selected. */
const reach = 14;

export function Histogram({ project, filters }: { project: string; filters: Filter[] }) {
  const { logs, common } = useTexts();
  const texts = logs.histogram;
  const format = useFormat();
  const [address, change] = useAddress();
  const { start_time, end_time, ...conditions } = queryOf(filters, address) as Record<string, number | undefined>;
  const shown = windowOf(start_time, end_time, now());
  const offset = zoneOffset();
  const query = { ...conditions, ...(address["q"] && { search: address["q"] }) };
  const { data, error } = useQuery({
    queryKey: ["logs", project, "series", JSON.stringify(query), shown.start, shown.end, shown.interval],
    queryFn: ({ signal }) =>
      clientOf(project).admin.getLogSeries(
        { ...query, start_time: shown.start, end_time: shown.end, interval: shown.interval, tz_offset_minutes: offset },
        { signal },
      ),
    enabled: project !== "",
    refetchInterval: every,
    // Never show the counts of another project, not even briefly.
    placeholderData: (before, last) => (last?.queryKey[1] === project ? before : undefined),
  });
  const bars = data?.data ?? [];
  const length = data?.interval === "day" ? 86_400 : 3600;
  const paths = useMemo(() => pathsOf(bars), [bars]);
  const peak = useMemo(() => bars.reduce((best, bar, at) => (bar.total > (bars[best]?.total ?? 0) ? at : best), bars.length - 1), [bars]);
  const [pointed, point] = useState<number | null>(null);
  const [dragged, drag] = useState<{ from: number; to: number } | null>(null);
  const [focused, focus] = useState(false);
  const finger = useRef(false);
  const current = Math.min(pointed ?? peak, bars.length - 1);

  const select = (one: number, other: number) => {
    const [from, to] = [bars[Math.min(one, other)], bars[Math.max(one, other)]];
    if (from && to) {
      change({ time_from: String(from.time), time_to: String(to.time + length - 1), page: undefined, rows: undefined, open: undefined });
    }
  };
  const at = ({ currentTarget, clientX }: PointerEvent) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    return Math.min(Math.max(Math.floor(((clientX - left) / width) * bars.length), 0), bars.length - 1);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const steps: Record<string, number> = { ArrowLeft: current - 1, ArrowRight: current + 1, Home: 0, End: bars.length - 1 };
    const next = steps[event.key];
    if (next !== undefined) {
      event.preventDefault();
      point(Math.min(Math.max(next, 0), bars.length - 1));
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      select(current, current);
    }
  };
  const hour = (bar: LogSeriesEntry) =>
    length === 3600 ? `${format.day(bar.time, offset)}, ${format.hour(bar.time, offset)}` : format.day(bar.time, offset);
  const describe = (bar: LogSeriesEntry) =>
    [
      `${hour(bar)}: ${format.number(bar.total)}`,
      ...levelsOf(bar).map(([level, count]) => `${logs.levels[level]} ${format.number(count)}`),
    ].join(" · ");
  const [first, last] = [bars[0], bars.at(-1)];
  const range = first && last ? `${hour(first)} – ${hour(last)}` : "\u00a0";
  const bar = bars[current];
  const pointing = (pointed !== null || focused) && bar;
  const position = (from: number, to: number) => ({
    insetInlineStart: `${(from / bars.length) * 100}%`,
    width: `${((to - from + 1) / bars.length) * 100}%`,
  });
  const marked = bars.length > 0 && start_time && end_time ? markedOf(bars, length, start_time, end_time) : null;
  return (
    <section className={classes["histogram"]} aria-label={texts.title}>
      <div className={classes["line"]}>
        <span>
          {error && !data
            ? texts.failed
            : pointing
              ? describe(bar)
              : [range, data?.truncated && texts.truncated].filter(Boolean).join(" · ")}
        </span>
        <span className={classes["legend"]} aria-hidden>
          {logs.levels.map((name, level) => (
            <span key={name} data-level={level}>
              {name}
            </span>
          ))}
        </span>
      </div>
      <div
        className={classes["bars"]}
        role="slider"
        tabIndex={0}
        aria-label={texts.choose}
        aria-valuemin={0}
        aria-valuemax={Math.max(bars.length - 1, 0)}
        aria-valuenow={Math.max(current, 0)}
        aria-valuetext={bar ? describe(bar) : common.none}
        onKeyDown={onKeyDown}
        onFocus={() => focus(true)}
        onBlur={() => {
          focus(false);
          point(null);
        }}
        onPointerDown={(event) => {
          if (event.button === 0 && bars.length > 0) {
            finger.current = event.pointerType === "touch";
            event.currentTarget.setPointerCapture(event.pointerId);
            drag({ from: at(event), to: at(event) });
          }
        }}
        onPointerMove={(event) => {
          if (bars.length > 0) {
            point(at(event));
            drag(dragged && { ...dragged, to: at(event) });
          }
        }}
        onPointerUp={({ currentTarget }) => {
          if (dragged) {
            const near = Math.ceil((reach / currentTarget.clientWidth) * bars.length);
            const one = finger.current && Math.abs(dragged.to - dragged.from) <= near ? peakNear(bars, dragged.from, near) : null;
            select(one ?? dragged.from, one ?? dragged.to);
          }
          drag(null);
        }}
        onPointerCancel={() => drag(null)}
        onPointerLeave={() => !dragged && point(null)}
      >
        {marked && <div className={classes["marked"]} style={position(...marked)} />}
        {pointing && <div className={classes["pointed"]} style={position(current, current)} />}
        {dragged && (
          <div className={classes["marked"]} style={position(Math.min(dragged.from, dragged.to), Math.max(dragged.from, dragged.to))} />
        )}
        {bars.length > 0 && (
          <svg viewBox={`0 0 ${bars.length} 100`} preserveAspectRatio="none" aria-hidden>
            {paths.map((path, level) => (
              <path key={logs.levels[level]} data-level={level} d={path} />
            ))}
          </svg>
        )}
      </div>
    </section>
  );
}

/** Returns the levels that have logs in a bar, the highest level first. */
function levelsOf({ levels }: LogSeriesEntry): [level: number, count: number][] {
  return [3, 2, 1, 0].map((level): [number, number] => [level, levels[level] ?? 0]).filter(([, count]) => count > 0);
}

/** Returns the first and the last bar within a time, or null if the time is outside of all bars. */
function markedOf(bars: LogSeriesEntry[], length: number, start: number, end: number): [from: number, to: number] | null {
  const from = bars.findIndex(({ time }) => time + length > start);
  const after = bars.findIndex(({ time }) => time > end);
  const to = (after < 0 ? bars.length : after) - 1;
  return from >= 0 && to >= from ? [from, to] : null;
}
