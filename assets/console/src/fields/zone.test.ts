import { afterEach, expect, test, vi } from "vitest";
import { formatIn } from "../core/format";
import { fromText, zoneName } from "./zone";

// The formatter imports the language selection, which needs a browser.
vi.hoisted(() => vi.stubGlobal("window", new EventTarget()));

afterEach(() => vi.unstubAllEnvs());

test.each([
  ["en-GB", false],
  ["en-US", true],
  ["en-AU", false],
  ["en-CA", true],
  ["zh-CN", false],
  ["zh-TW", false],
  ["zh-HK", false],
])("a time that is shown in %s is understood when it is typed", (locale, monthFirst) => {
  for (let month = 0; month < 12; month++) {
    for (const [day, hour, minute] of [
      [1, 0, 0],
      [12, 12, 5],
      [28, 23, 59],
    ] as const) {
      const seconds = new Date(2026, month, day, hour, minute).getTime() / 1000;
      const text = formatIn(locale).time(seconds);
      expect(fromText(text, monthFirst), text).toBe(seconds);
    }
  }
});

test.each([
  "2024-02-29T12:30",
  "2024-02-29 12:30:15",
  "2024/2/29 12:30",
  "2024年2月29日 12:30",
  "29 Feb 2024 12:30",
  "29 february 2024, 12:30",
  "29-Feb-2024 12:30",
  "Feb 29, 2024 12:30 pm",
  " Feb.  29 2024,  12:30 p.m. ",
  "29.2.2024 12:30",
])("%j is 29 February 2024, 12:30 in the zone of the browser", (text) => {
  vi.stubEnv("TZ", "Asia/Shanghai");
  expect(fromText(text, false)).toBe(Date.UTC(2024, 1, 29, 4, 30) / 1000);
});

test("numbers alone are a day and a month in the order of the language, and a date alone is midnight", () => {
  vi.stubEnv("TZ", "UTC");
  expect(fromText("3/4/2026", true)).toBe(Date.UTC(2026, 2, 4) / 1000);
  expect(fromText("3/4/2026", false)).toBe(Date.UTC(2026, 3, 3) / 1000);
  expect(zoneName(0)).toBe("UTC");
});

test.each([
  "2026-11",
  "2026-13-01 00:00",
  "2026-02-30 00:00",
  "2026-02-03 24:00",
  "2026-02-03 10:60",
  "2026-02-03 13:00 pm",
  "3 Foo 2026",
  "3 Ma 2026",
  "1960-01-01 00:00",
  "12026-01-01 00:00",
  "12:30",
  "soon",
])("%j is no time", (text) => {
  vi.stubEnv("TZ", "UTC");
  expect(fromText(text, false)).toBeNaN();
});

test("nothing is no time, and no mistake", () => {
  expect(fromText("  ", false)).toBeNull();
});

test("the zone has the name of the browser's, and its offset", () => {
  vi.stubEnv("TZ", "Asia/Shanghai");
  expect(zoneName(0)).toBe("Asia/Shanghai, UTC+08:00");
});
