// Queries about events, in the form in which addresses and cards store them.

import type { EventFilter, Funnel, FunnelInput, Metric, MetricInput, Paths, PathsInput, Retention, RetentionInput } from "svc-sdk";
import type { Admin } from "../../core/client";
import { type Range, within } from "../../core/range";

export const operators = ["eq", "neq", "in", "not_in", "contains", "gt", "gte", "lt", "lte", "exists", "not_exists"] as const;
export const measures = ["count", "unique_users", "count_per_user"] as const;
export const aliases = ["A", "B", "C", "D", "E", "F"] as const;
export const windows = [3600, 86_400, 604_800, 2_592_000] as const;

export type Operator = (typeof operators)[number];
export type Measure = (typeof measures)[number];

/** A condition that is being edited. Its value is a text. */
export interface Filter {
  property: string;
  op: Operator;
  value: string;
}

export interface Step {
  event_name: string;
  filters: Filter[];
}

export interface FunnelQuestion {
  kind: "funnel";
  steps: Step[];
  window_seconds: number;
  entry: "first" | "any";
}

export interface RetentionQuestion {
  kind: "retention";
  start_event: string;
  /** The event with which users return; "" for any event. */
  return_event: string;
  period: "day" | "week";
  periods: number;
}

export interface PathsQuestion {
  kind: "paths";
  /** The event with which paths begin; "" for the first event of each path. */
  start_event: string;
  scope: "session" | "user";
  depth: number;
  branch_limit: number;
}

export interface MetricQuestion {
  kind: "metric";
  query: MetricInput;
}

export type Question = FunnelQuestion | RetentionQuestion | PathsQuestion | MetricQuestion;

export type Answer =
  | { kind: "funnel"; answer: Funnel }
  | { kind: "retention"; answer: Retention }
  | { kind: "paths"; answer: Paths }
  | { kind: "metric"; answer: Metric; before?: Metric };

type Loose = Record<string, unknown>;

const object = (value: unknown): Loose => (value && typeof value === "object" && !Array.isArray(value) ? (value as Loose) : {});
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const text = (value: unknown): string => (typeof value === "string" ? value : "");
const one = <const T>(choices: readonly T[], value: unknown): T => choices.find((choice) => choice === value) ?? choices[0]!;
const whole = (value: unknown, least: number, most: number, initial: number): number =>
  typeof value === "number" && Number.isInteger(value) && value >= least && value <= most ? value : initial;

/**
 * Returns the reason why a formula cannot be computed: a letter without a query, or "syntax". It
 * returns null for a valid or empty formula.
 */
export function formulaProblem(formula: string, letters: readonly string[]): { letter: string } | "syntax" | null {
  const parts = formula.match(/\d+(\.\d+)?|\.\d+|[A-Za-z]+|\S/g) ?? [];
  if (parts.length === 0) {
    return null;
  }
  const unknown = parts.find((part) => /^[A-Za-z]+$/.test(part) && !letters.includes(part));
  if (unknown) {
    return { letter: unknown };
  }
  let open = 0;
  // Whether a number, a letter or "(" comes next.
  let operand = true;
  for (const part of parts) {
    if (operand) {
      if (part === "(") {
        open++;
      } else if (/^[\d.A-Z]/.test(part)) {
        operand = false;
      } else if (part !== "-") {
        return "syntax";
      }
    } else if (part === ")" && open > 0) {
      open--;
    } else if (/^[-+*/]$/.test(part)) {
      operand = true;
    } else {
      return "syntax";
    }
  }
  return operand || open > 0 ? "syntax" : null;
}

/** Returns the valid conditions in any value from the address. There are at most 10, which is the limit of the API. */
export function filtersFrom(value: unknown): Filter[] {
  return list(value)
    .slice(0, 10)
    .map((item) => {
      const { property, op, value: operand } = object(item);
      const shown = Array.isArray(operand) ? operand.join(",") : operand === undefined || operand === null ? "" : String(operand);
      return { property: text(property).slice(0, 128), op: one(operators, op), value: shown };
    });
}

/** Minimum and maximum number of steps of a funnel. */
export const fewestSteps = 2;
export const mostSteps = 8;

export function stepsFrom(value: unknown): Step[] {
  const steps = list(value)
    .slice(0, mostSteps)
    .map((item) => ({ event_name: text(object(item)["event_name"]), filters: filtersFrom(object(item)["filters"]) }));
  while (steps.length < fewestSteps) {
    steps.push({ event_name: "", filters: [] });
  }
  return steps;
}

/** Converts any value from the address to a metric query that the editor can show. */
export function metricFrom(value: unknown): MetricInput {
  const given = object(value);
  const items = list(given["events"]).slice(0, aliases.length);
  // An alias identifies one query. Keep existing aliases that are unique, because the formula
  // refers to them, and assign unused ones to the other queries.
  const kept = items.map((item, index) => {
    const alias = aliases.find((letter) => letter === object(item)["alias"]);
    const first = items.findIndex((other) => object(other)["alias"] === alias);
    return first === index ? alias : undefined;
  });
  const free = aliases.filter((letter) => !kept.includes(letter));
  const events = items.map((item, index) => ({
    name: text(object(item)["name"]),
    alias: kept[index] ?? free.shift()!,
    measure: one(measures, object(item)["measure"]),
    filters: filtersFrom(object(item)["filters"]),
  }));
  const group = object(given["group_by"]);
  const granularity = given["granularity"];
  return {
    type: one(["timeseries", "breakdown", "value"], given["type"]),
    events: events.length ? events : [{ name: "", alias: "A", measure: "count", filters: [] }],
    filters: filtersFrom(given["filters"]),
    formula: text(given["formula"]).slice(0, 256),
    group_by: { kind: one(["platform", "region", "event", "property"], group["kind"]), key: text(group["key"]) },
    ...((granularity === "hour" || granularity === "day") && { granularity }),
    limit: whole(given["limit"], 1, 50, 10),
  };
}

/**
 * Returns the query of a card. If the layout contains one, it is that one; otherwise it is the
 * metric query of the card.
 */
export function questionOf(query: MetricInput, layout: Record<string, unknown> | null): Question {
  const kept = object(layout?.["analysis"]);
  switch (kept["kind"]) {
    case "funnel":
      return {
        kind: "funnel",
        steps: stepsFrom(kept["steps"]),
        window_seconds: one([604_800, ...windows], kept["window_seconds"]),
        entry: one(["first", "any"], kept["entry"]),
      };
    case "retention":
      return {
        kind: "retention",
        start_event: text(kept["start_event"]),
        return_event: text(kept["return_event"]),
        period: one(["day", "week"], kept["period"]),
        periods: whole(kept["periods"], 2, 30, 14),
      };
    case "paths":
      return {
        kind: "paths",
        start_event: text(kept["start_event"]),
        scope: one(["session", "user"], kept["scope"]),
        depth: whole(kept["depth"], 2, 6, 4),
        branch_limit: whole(kept["branch_limit"], 1, 20, 5),
      };
    default:
      return { kind: "metric", query };
  }
}

/**
 * Returns a metric query for a card whose own query is of another kind. The API requires a metric
 * query for every card. This is the one with the most similar result, for programs that do not know
 * the layout.
 */
export function metricOf(question: Question): MetricInput {
  switch (question.kind) {
    case "metric":
      return question.query;
    case "funnel": {
      const [first, last] = [question.steps[0]!, question.steps[question.steps.length - 1]!];
      return {
        type: "value",
        events: [
          { name: first.event_name, alias: "A", measure: "unique_users", filters: sent(first.filters) },
          { name: last.event_name, alias: "B", measure: "unique_users", filters: sent(last.filters) },
        ],
        formula: "B / A * 100",
      };
    }
    case "retention":
      return { type: "value", events: [{ name: question.start_event, alias: "A", measure: "unique_users" }] };
    case "paths":
      return question.start_event
        ? { type: "value", events: [{ name: question.start_event, alias: "A", measure: "count" }] }
        : { type: "breakdown", events: [{ name: "*", alias: "A" }], group_by: { kind: "event" } };
  }
}

/** Widths of cards in twelfths of the page: a third, a half, or the whole page. */
export const cardWidths = [4, 6, 12] as const;

/** Heights of cards: a low one, for a single number, and a tall one. */
export const cardHeights = [1, 2] as const;

export interface CardSize {
  w: (typeof cardWidths)[number];
  h: (typeof cardHeights)[number];
}

/** Returns the size of a card. If another program has stored an invalid size, it returns a valid one. */
export function sizeOf(layout: Record<string, unknown> | null): CardSize {
  const [w, h] = [Number(layout?.["w"]), Number(layout?.["h"])];
  return { w: w >= 12 ? 12 : w > 0 && w <= 4 ? 4 : 6, h: h === 1 ? 1 : 2 };
}

/** Returns the unit that a user has entered for a card's numbers, or "" if there is none. */
export const unitOf = (layout: Record<string, unknown> | null): string => text(layout?.["unit"]).slice(0, mostUnit);

/** Maximum length of a unit. */
export const mostUnit = 16;

/** Returns the data that a card stores besides its metric query. */
export function layoutOf(question: Question): CardSize & Record<string, unknown> {
  if (question.kind === "metric") {
    return question.query.type === "value" ? { w: 4, h: 1 } : { w: 6, h: 2 };
  }
  return { w: question.kind === "funnel" ? 6 : 12, h: 2, analysis: question };
}

/** Converts conditions to the form for the server. It omits incomplete conditions, which have no property. */
export function sent(filters: readonly EventFilter[]): EventFilter[] {
  return filters
    .filter(({ property }) => property.trim())
    .map(({ property, op, value }) => (op === "exists" || op === "not_exists" ? { property, op } : { property, op, value: value ?? "" }));
}

/** Converts a metric query to the form for the server. It omits the fields that the type of the query does not use. */
export function finishedMetric(query: MetricInput): MetricInput {
  const { type, events, filters = [], formula, group_by, granularity, limit } = query;
  return {
    type,
    // The API requires a name, even in a breakdown by event, which counts all names.
    events: events.map((event) => ({ ...event, name: event.name || "*", filters: sent(event.filters ?? []) })),
    filters: sent(filters),
    ...(type !== "breakdown" && formula?.trim() && { formula }),
    ...(type === "breakdown" && group_by && { group_by: group_by.kind === "property" ? group_by : { kind: group_by.kind } }),
    ...(type === "breakdown" && limit && { limit }),
    ...(type === "timeseries" && granularity && { granularity }),
  };
}

/** Reports whether a query is complete, so that it can be sent. */
export function complete(question: Question): boolean {
  switch (question.kind) {
    case "funnel":
      return question.steps.every(({ event_name }) => event_name);
    case "retention":
      return question.start_event !== "";
    case "paths":
      return true;
    case "metric": {
      const { type, events, group_by } = question.query;
      const byEvent = type === "breakdown" && group_by?.kind === "event";
      return (
        (byEvent || events.every(({ name }) => name)) && (type !== "breakdown" || group_by?.kind !== "property" || Boolean(group_by.key))
      );
    }
  }
}

/** Sends a query for a range. If the result is a single number, it also requests the number of the previous period. */
export async function ask(admin: Admin, question: Question, range: Range, signal: AbortSignal): Promise<Answer> {
  switch (question.kind) {
    case "funnel": {
      const { steps, window_seconds, entry } = question;
      const body: FunnelInput = {
        ...within(range),
        steps: steps.map((step) => ({ event_name: step.event_name, filters: sent(step.filters) })),
        window_seconds,
        entry,
      };
      return { kind: "funnel", answer: await admin.getFunnel(body, { signal }) };
    }
    case "retention": {
      const { start_event, return_event, period, periods } = question;
      const body: RetentionInput = { ...within(range), start_event, period, periods, ...(return_event && { return_event }) };
      return { kind: "retention", answer: await admin.getRetention(body, { signal }) };
    }
    case "paths": {
      const { start_event, scope, depth, branch_limit } = question;
      const body: PathsInput = { ...within(range), scope, depth, branch_limit, ...(start_event && { start_event }) };
      return { kind: "paths", answer: await admin.getPaths(body, { signal }) };
    }
    case "metric": {
      const query = finishedMetric(question.query);
      const granularity = query.type === "timeseries" ? { granularity: query.granularity ?? range.granularity } : {};
      const runs = [admin.runEventQuery({ ...query, ...granularity, ...within(range) }, { signal })];
      if (query.type === "value") {
        runs.push(admin.runEventQuery({ ...query, ...within(range.previous) }, { signal }));
      }
      const [answer, before] = await Promise.all(runs);
      return { kind: "metric", answer: answer!, ...(before && { before }) };
    }
  }
}

/** Returns the list with one item moved to another position. */
export function moved<T>(list: readonly T[], from: number, to: number): T[] {
  const next = [...list];
  const [item] = next.splice(from, 1);
  next.splice(Math.max(0, Math.min(to, next.length)), 0, item!);
  return next;
}

/** Returns the page that edits a query, with the parameters of its address. */
export function editorOf(
  question: Question,
  card: string,
): { page: "funnel" | "retention" | "paths" | "explore"; search: Record<string, string> } {
  switch (question.kind) {
    case "funnel":
      return {
        page: "funnel",
        search: { steps: JSON.stringify(question.steps), window: String(question.window_seconds), entry: question.entry, card },
      };
    case "retention":
      return {
        page: "retention",
        search: {
          start: question.start_event,
          return: question.return_event,
          period: question.period,
          periods: String(question.periods),
          card,
        },
      };
    case "paths":
      return {
        page: "paths",
        search: {
          start: question.start_event,
          scope: question.scope,
          depth: String(question.depth),
          branches: String(question.branch_limit),
          card,
        },
      };
    case "metric":
      return { page: "explore", search: { query: JSON.stringify(question.query), card } };
  }
}
