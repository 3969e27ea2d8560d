import { describe, expect, it } from "vitest";
import {
  complete,
  editorOf,
  finishedMetric,
  formulaProblem,
  layoutOf,
  metricFrom,
  metricOf,
  moved,
  type Question,
  questionOf,
  sizeOf,
  stepsFrom,
} from "./analysis";

const funnel: Question = {
  kind: "funnel",
  steps: [
    { event_name: "open", filters: [{ property: "plan", op: "eq", value: "pro" }] },
    { event_name: "view", filters: [] },
    { event_name: "buy", filters: [{ property: "", op: "eq", value: "" }] },
  ],
  window_seconds: 86_400,
  entry: "any",
};

describe("what stands in the address", () => {
  it.each([undefined, null, 1, "x", [], {}, { events: [null, 7] }, { events: "x", group_by: 3, limit: -1 }])(
    "makes a question that can be edited of %j",
    (value) => {
      const query = metricFrom(value);
      expect(query.events.length).toBeGreaterThan(0);
      expect(new Set(query.events.map(({ alias }) => alias)).size).toBe(query.events.length);
      expect(stepsFrom(value).length).toBeGreaterThanOrEqual(2);
    },
  );
  it("keeps a whole question", () => {
    const query = metricFrom({
      type: "breakdown",
      events: [{ name: "buy", alias: "C", measure: "unique_users", filters: [{ property: "n", op: "gt", value: 3 }] }],
      group_by: { kind: "property", key: "plan" },
      limit: 5,
    });
    expect(query).toMatchObject({ type: "breakdown", limit: 5, group_by: { kind: "property", key: "plan" } });
    expect(query.events).toEqual([
      { name: "buy", alias: "C", measure: "unique_users", filters: [{ property: "n", op: "gt", value: "3" }] },
    ]);
  });
  it("has each alias once", () => {
    const events = [{ name: "a", alias: "B" }, { name: "b", alias: "B" }, { name: "c" }, { name: "d", alias: "A" }];
    expect(metricFrom({ events }).events.map(({ name, alias }) => [name, alias])).toEqual([
      ["a", "B"],
      ["b", "C"],
      ["c", "D"],
      ["d", "A"],
    ]);
  });
  it("holds no more than the interface takes", () => {
    const events = Array.from({ length: 9 }, () => ({ name: "a" }));
    expect(metricFrom({ events }).events).toHaveLength(6);
    expect(stepsFrom(events)).toHaveLength(8);
  });
});

describe("cards", () => {
  it.each<Question>([
    funnel,
    { kind: "retention", start_event: "open", return_event: "", period: "week", periods: 6 },
    { kind: "paths", start_event: "", scope: "user", depth: 3, branch_limit: 9 },
  ])("keep the question %j", (question) => {
    expect(questionOf(metricOf(question), layoutOf(question))).toEqual(question);
    expect(metricOf(question).events.length).toBeGreaterThan(0);
  });
  it("of other programs are metric queries", () => {
    const query = { type: "value", events: [{ name: "buy", alias: "A" }] };
    expect(questionOf(query, { w: 6, h: 2 })).toEqual({ kind: "metric", query });
    expect(questionOf(query, null)).toEqual({ kind: "metric", query });
  });
  it("of a funnel have the closest number as well", () => {
    const query = finishedMetric(metricOf(funnel));
    expect(query).toMatchObject({ type: "value", formula: "B / A * 100" });
    expect(query.events.map(({ name, measure, filters }) => [name, measure, filters?.length])).toEqual([
      ["open", "unique_users", 1],
      ["buy", "unique_users", 0],
    ]);
  });
  it("are edited where their question is", () => {
    expect(editorOf(funnel, "c1")).toMatchObject({ page: "funnel", search: { window: "86400", entry: "any", card: "c1" } });
    expect(editorOf({ kind: "metric", query: metricFrom(null) }, "c2").page).toBe("explore");
  });
});

describe("finishedMetric", () => {
  it("leaves out what its type does not use, and conditions without a property", () => {
    const query = metricFrom({
      type: "timeseries",
      events: [{ name: "a", filters: [{ property: "", op: "eq", value: "x" }] }],
      formula: " ",
      group_by: { kind: "event" },
      limit: 4,
    });
    expect(finishedMetric(query)).toEqual({
      type: "timeseries",
      events: [{ name: "a", alias: "A", measure: "count", filters: [] }],
      filters: [],
    });
  });
  it("sends no value where the condition has none", () => {
    const query = metricFrom({ type: "value", events: [{ name: "a", filters: [{ property: "p", op: "exists", value: "x" }] }] });
    expect(finishedMetric(query).events[0]?.filters).toEqual([{ property: "p", op: "exists" }]);
  });
});

describe("complete", () => {
  it("wants a name for each line, unless names are what is asked for", () => {
    expect(complete({ ...funnel, steps: stepsFrom([]) } as Question)).toBe(false);
    expect(complete(funnel)).toBe(true);
    expect(complete({ kind: "metric", query: metricFrom({ type: "breakdown", group_by: { kind: "event" } }) })).toBe(true);
    expect(
      complete({ kind: "metric", query: metricFrom({ type: "breakdown", events: [{ name: "a" }], group_by: { kind: "property" } }) }),
    ).toBe(false);
  });
});

describe("moved", () => {
  it.each([
    [0, 2, ["b", "c", "a"]],
    [2, 0, ["c", "a", "b"]],
    [1, 9, ["a", "c", "b"]],
  ])("from %i to %i", (from, to, list) => expect(moved(["a", "b", "c"], from, to)).toEqual(list));
});

describe("formulaProblem", () => {
  const letters = ["A", "B"];
  it.each(["", " ", "A", "A / B * 100", "(A - B) / -2.5", "-(A)"])("accepts %j", (formula) =>
    expect(formulaProblem(formula, letters)).toBeNull(),
  );
  it.each(["A /", "A B", "(A", "A)", "* A", "A − B"])("says that %j is incomplete or wrong", (formula) =>
    expect(formulaProblem(formula, letters)).toBe("syntax"),
  );
  it("names a letter without a query", () => expect(formulaProblem("A / C", letters)).toEqual({ letter: "C" }));
});

describe("sizeOf", () => {
  it.each([
    [null, 6, 2],
    [{ w: 12, h: 1 }, 12, 1],
    [{ w: 3, h: 9 }, 4, 2],
    [{ w: "x" }, 6, 2],
  ])("of the layout %j is %i wide and %i high", (layout, w, h) => expect(sizeOf(layout)).toEqual({ w, h }));
});
