import type { LogSeriesEntry } from "svc-sdk";
import { expect, test } from "vitest";
import { pathsOf, peakNear, windowOf } from "./window";

const hour = 3600;
const day = 24 * hour;
const now = 1_800_000_000;
const end = Math.floor(now / hour) * hour + hour - 1;
const lastWeek = { start: end + 1 - 7 * day, end, interval: "hour" };

test("without a selected time it is the last week", () => {
  expect(windowOf(undefined, undefined, now)).toEqual(lastWeek);
});

test("a selected hour keeps its surroundings", () => {
  expect(windowOf(end - 30 * hour, end - 29 * hour, now)).toEqual(lastWeek);
  const [from, to] = [end + 1 - 60 * day, end - 60 * day + hour];
  const old = windowOf(from, to, now);
  expect(old.end - old.start).toBe(7 * day - 1);
  expect(old.start).toBeLessThan(from);
  expect(old.end).toBeGreaterThan(to);
});

test("a longer time is shown as it is, above two weeks by day", () => {
  expect(windowOf(end - 5 * day, end - 2 * day, now)).toEqual({ start: end - 5 * day, end: end - 2 * day, interval: "hour" });
  expect(windowOf(end - 90 * day, undefined, now)).toEqual({ start: end - 90 * day, end, interval: "day" });
  expect(windowOf(undefined, end, now)).toMatchObject({ start: end - 400 * day, interval: "day" });
});

test("levels are stacked, and one log is visible beside many", () => {
  const bars: LogSeriesEntry[] = [
    { time: 0, total: 1, levels: { "3": 1 } },
    { time: 1, total: 1000, levels: { "3": 500, "1": 500 } },
  ];
  expect(pathsOf(bars)).toEqual(["", "M1.1 0.00h.8v50.00h-.8z", "", "M0.1 96.00h.8v4.00h-.8zM1.1 50.00h.8v50.00h-.8z"]);
});

test("a finger means the highest bar near it", () => {
  const bars = [1, 2, 9, 3, 8].map((total, time) => ({ time, total, levels: {} }));
  expect(peakNear(bars, 1, 2)).toBe(2);
  expect(peakNear(bars, 4, 1)).toBe(4);
});
