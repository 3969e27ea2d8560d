import { expect, test } from "vitest";
import { newPlan, planOf, rises, rolloutFields } from "./plan";

test("a plan ends at 100 %, which has no inputs", () => {
  const { steps } = newPlan();
  expect(steps).toEqual([
    { percent: 10, hours: 24, users: "" },
    { percent: 50, hours: 48, users: "" },
  ]);
  expect(rolloutFields(newPlan())).toEqual({
    steps: [
      { percent: 10, hold_seconds: 86_400, min_exposure: 0 },
      { percent: 50, hold_seconds: 172_800, min_exposure: 0 },
      { percent: 100 },
    ],
    auto_advance: true,
    health: true,
    cohort: null,
  });
});

test("a share is sent only if it was changed", () => {
  const plan = planOf({
    steps: [{ percent: 100, hold_seconds: 0, min_exposure: 0 }],
    auto_advance: false,
    health: true,
    cohort: null,
    percent: 5,
  });
  expect(rolloutFields(plan, 5)).not.toHaveProperty("percent");
  expect(rolloutFields({ ...plan, percent: 0 }, 5)).toMatchObject({ percent: 0 });
});

test("blank limits are none", () => {
  expect(rolloutFields({ ...newPlan(), countries: ["de"], current_min: " 1.0 " }).cohort).toEqual({
    platforms: [],
    countries: ["DE"],
    current_min: "1.0",
    current_max: null,
  });
});

test("steps rise", () => {
  const steps = (...shares: (number | string)[]) => ({ ...newPlan(), steps: shares.map((percent) => ({ percent, hours: "", users: "" })) });
  expect([steps(), steps(1, 2), steps(2, 2), steps(""), steps(100)].map(rises)).toEqual([true, true, false, false, false]);
});
