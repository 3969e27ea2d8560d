import { expect, test } from "vitest";
import { failures } from "./failures";

const bucket = (t: number, exposure: number, failed: number, baseline: number, others: number) => ({
  t,
  exposure,
  failures: failed,
  baseline_exposure: baseline,
  baseline_failures: others,
});

test("shares are counted from the beginning, and stay in periods without users", () => {
  expect(failures([bucket(600, 4, 1, 10, 0), bucket(1800, 4, 3, 10, 1)], 600)).toEqual({
    times: [600, 1200, 1800],
    shares: [0.25, 0.25, 0.5],
    others: [0, 0, 0.05],
  });
});

test("many buckets are drawn by the hour", () => {
  const day = Array.from({ length: 144 }, (_, at) => bucket(at * 600, 1, at === 143 ? 1 : 0, 2, 0));
  const { times, shares } = failures(day, 600);
  expect(times.length).toBe(24);
  expect(shares.at(-1)).toBeCloseTo(1 / 144);
});

test("what is counted of the baseline after the rollout is left out", () => {
  expect(failures([bucket(600, 4, 1, 10, 0), bucket(1200, 0, 0, 10, 5)], 600).others).toEqual([0]);
});

test("without counts there is nothing", () => {
  expect(failures([], 600).times).toEqual([]);
});
