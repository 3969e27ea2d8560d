import { afterEach, expect, test, vi } from "vitest";
import { fromInput, toInput, zoneName } from "./zone";

afterEach(() => vi.unstubAllEnvs());

test.each(["UTC", "Asia/Shanghai", "America/St_Johns"])("text and seconds in %s are the same moment", (zone) => {
  vi.stubEnv("TZ", zone);
  for (const seconds of [0, 1_700_000_040, 1_782_000_000]) {
    expect(fromInput(toInput(seconds))).toBe(seconds);
  }
});

test("the text is in the zone of the browser", () => {
  vi.stubEnv("TZ", "Asia/Shanghai");
  expect(toInput(0)).toBe("1970-01-01T08:00");
  expect(zoneName(0)).toBe("Asia/Shanghai, UTC+08:00");
});

test.each(["", "2026-11", "2026-13-01T00:00", "1960-01-01T00:00", "soon"])("%j is no moment", (text) => {
  vi.stubEnv("TZ", "UTC");
  expect(fromInput(text)).toBeNull();
});

test("no moment has no text", () => {
  expect(toInput(null)).toBe("");
});
