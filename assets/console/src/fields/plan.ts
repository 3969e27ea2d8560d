// The form values of a rollout: its steps below 100 %, and the clients to which it is limited.

import type { RolloutCohort, RolloutFields, RolloutStep } from "svc-sdk";

/** An empty input of a number is "". */
type Input = number | string;

export interface StepDraft {
  percent: Input;
  /** Time before the next step. */
  hours: Input;
  /** Users who must have been seen before the next step. */
  users: Input;
}

export interface Plan {
  /** The steps before the last one, which is always 100 %. */
  steps: StepDraft[];
  /** The share with which the rollout begins; "" is that of the first step. */
  percent: Input;
  auto_advance: boolean;
  health: boolean;
  platforms: string[];
  countries: string[];
  current_min: string;
  current_max: string;
}

const hour = 3600;

/** A plan for the first rollout of a project. */
const usual: RolloutStep[] = [
  { percent: 10, hold_seconds: 24 * hour, min_exposure: 0 },
  { percent: 50, hold_seconds: 48 * hour, min_exposure: 0 },
];

interface Known {
  steps: RolloutStep[];
  auto_advance: boolean;
  health: boolean;
  cohort: RolloutCohort | null;
  percent?: number | null;
}

/** Returns the form values for a rollout or for the default of a project. */
export function planOf({ steps, auto_advance, health, cohort, percent }: Known): Plan {
  return {
    steps: steps
      .filter((step) => step.percent < 100)
      .map((step) => ({ percent: step.percent, hours: step.hold_seconds / hour || "", users: step.min_exposure || "" })),
    percent: percent ?? "",
    auto_advance,
    health,
    platforms: cohort?.platforms ?? [],
    countries: cohort?.countries ?? [],
    current_min: cohort?.current_min ?? "",
    current_max: cohort?.current_max ?? "",
  };
}

export const newPlan = (): Plan => planOf({ steps: usual, auto_advance: true, health: true, cohort: null });

/** Converts the values to the form for the server. It omits the share if that is `known`. */
export function rolloutFields(plan: Plan, known: Input = ""): RolloutFields {
  const limited = plan.platforms.length > 0 || plan.countries.length > 0 || plan.current_min.trim() || plan.current_max.trim();
  return {
    steps: [
      ...plan.steps.map(({ percent, hours, users }) => ({
        percent: Number(percent),
        hold_seconds: Math.round(Number(hours) * hour),
        min_exposure: Number(users),
      })),
      { percent: 100 },
    ],
    ...(plan.percent !== "" && plan.percent !== known && { percent: Number(plan.percent) }),
    auto_advance: plan.auto_advance,
    health: plan.health,
    cohort: limited
      ? {
          platforms: plan.platforms as never,
          countries: plan.countries.map((country) => country.toUpperCase()),
          current_min: plan.current_min.trim() || null,
          current_max: plan.current_max.trim() || null,
        }
      : null,
  };
}

/** Reports whether the shares of the steps rise and are below 100. */
export const rises = ({ steps }: Plan): boolean =>
  steps.every(
    ({ percent }, at) =>
      percent !== "" && Number(percent) >= 0 && Number(percent) < 100 && (at === 0 || Number(percent) > Number(steps[at - 1]!.percent)),
  );
