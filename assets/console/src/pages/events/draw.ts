// Draws the results of queries about events.

import type { Metric, MetricBreakdown, MetricInput, MetricTimeseries, MetricValue, Retention } from "svc-sdk";
import type { Drawing } from "../../charts/drawing";
import { funnel } from "../../charts/funnel";
import { platformName, regionName } from "../../charts/names";
import { retention } from "../../charts/retention";
import { sankey } from "../../charts/sankey";
import { bars } from "../../charts/shares";
import { trend } from "../../charts/trend";
import { single } from "../../charts/value";
import type { Words } from "../../charts/words";
import type { Range } from "../../core/range";
import type { Texts } from "../../texts/en";
import type { Answer, Question } from "./analysis";

export interface Drawn {
  words: Words;
  texts: Texts["events"];
  labelOf(name: string): string;
  range: Range;
  /** The unit of a metric's numbers, if a user has entered one. */
  unit: string;
  /** Adds a condition to the query: the property by which it is grouped must have this value. */
  narrow?: ((value: string) => void) | undefined;
}

export function draw(question: Question, { kind, ...rest }: Answer, drawn: Drawn): Drawing {
  const { words, texts, labelOf } = drawn;
  if (kind === "funnel" && "answer" in rest) {
    const { data } = rest.answer as Extract<Answer, { kind: "funnel" }>["answer"];
    return funnel(
      data.map((step) => ({
        name: labelOf(step.event_name),
        users: step.users,
        dropped: step.dropped,
        conversion: step.conversion_rate,
        total: step.total_conversion_rate,
        median: step.median_seconds,
        totalMedian: step.total_median_seconds,
      })),
      words,
    );
  }
  if (kind === "retention") {
    return drawRetention(rest.answer as Retention, drawn);
  }
  if (kind === "paths") {
    const { data, truncated } = rest.answer as Extract<Answer, { kind: "paths" }>["answer"];
    const name = (event: string) => (event === "(other)" ? words.texts.others : labelOf(event));
    return {
      ...sankey(
        data.map((edge) => ({ step: edge.step, from: edge.from_event, to: edge.to_event, count: edge.count })),
        name,
        words,
      ),
      note: truncated ? texts.paths.cut : undefined,
    };
  }
  const metric = question.kind === "metric" ? question.query : { type: "value", events: [] };
  const { answer, before } = rest as { answer: Metric; before?: Metric };
  return drawMetric(metric, answer, before, drawn);
}

function drawRetention(answer: Retention, { words, texts, range }: Drawn): Drawing {
  const week = answer.period === "week";
  return retention(
    answer.cohorts.map(({ cohort, size, cells }) => ({ name: words.format.day(cohort, range.offset), size, cells })),
    answer.periods,
    (period) => (week ? texts.retention.week(period) : texts.retention.day(period)),
    words,
  );
}

/** Returns the display name of the query with the given alias. */
export function seriesName(query: MetricInput, alias: string, { texts, labelOf }: Pick<Drawn, "texts" | "labelOf">): string {
  const event = query.events.find((one) => one.alias === alias);
  if (!event) {
    return alias;
  }
  const measure = event.measure ?? "count";
  const name = labelOf(event.name);
  return measure === "count" ? name : `${name}, ${texts.measures[measure as keyof typeof texts.measures] ?? measure}`;
}

/**
 * Returns the unit of a metric. It is the unit that a user has entered or, if all queries count the
 * same thing, the name of that.
 */
export function unitOfMetric({ events, formula, type }: MetricInput, unit: string, texts: Texts["events"]): string {
  const measures = new Set((type === "breakdown" ? events.slice(0, 1) : events).map(({ measure = "count" }) => measure));
  const [measure] = measures;
  const own = type !== "breakdown" && formula?.trim();
  return unit || (own || measures.size !== 1 ? "" : (texts.measures[measure as keyof typeof texts.measures] ?? ""));
}

function drawMetric(query: MetricInput, answer: Metric, before: Metric | undefined, drawn: Drawn): Drawing {
  const { words, texts, labelOf, range, narrow } = drawn;
  const name = (alias: string) => seriesName(query, alias, drawn);
  const formula = query.formula?.trim();
  if (answer.type === "timeseries") {
    const { series } = answer as MetricTimeseries;
    const names = new Map<string, number>();
    const points = series[0]?.data ?? [];
    return trend(
      {
        buckets: points.map(({ bucket }) => bucket),
        granularity:
          points.length > 1 && points[1]!.bucket - points[0]!.bucket === 3600 ? "hour" : points.length > 1 ? "day" : range.granularity,
        offset: range.offset,
        now: range.end,
        series: series.map(({ key, data }) => {
          const label = key === "formula" ? (formula ?? key) : name(key);
          const count = (names.get(label) ?? 0) + 1;
          names.set(label, count);
          // If two queries count the same event, add their letters to distinguish them.
          return { name: count > 1 ? `${label} (${key})` : label, values: data.map((point) => point.count) };
        }),
        measure: formula || query.events.map(({ alias }) => name(alias)).join(", "),
      },
      words,
    );
  }
  if (answer.type === "breakdown") {
    const { buckets, total } = answer as MetricBreakdown;
    const kind = query.group_by?.kind;
    const label = ({ key, label: given }: { key: string; label: string }) => {
      if (kind === "platform") {
        return platformName(key, words);
      }
      if (kind === "region") {
        return regionName(key, words);
      }
      if (kind === "event") {
        return labelOf(key);
      }
      return key === "" ? (given === "" ? texts.emptyText : texts.notReported) : key;
    };
    return bars(
      {
        parts: buckets.map((bucket) => ({
          name: label(bucket),
          count: bucket.count,
          missing: kind === "property" && bucket.key === "",
          select: narrow && kind === "property" && bucket.key ? () => narrow(bucket.key) : undefined,
        })),
        total,
        overlapping: kind !== "event" && query.events[0]?.measure !== undefined && query.events[0].measure !== "count",
        kind: kind === "property" ? (query.group_by?.key ?? "") : texts.groups[(kind ?? "platform") as keyof typeof texts.groups],
        measure: kind === "event" ? texts.measures.count : name(query.events[0]?.alias ?? "A"),
        rest: words.texts.others,
      },
      words,
    );
  }
  const { result, values } = answer as MetricValue;
  return single(
    {
      result,
      before: before ? (before as MetricValue).result : undefined,
      parts: Object.entries(values).map(([alias, value]) => ({ name: name(alias), value })),
      name: formula || name(query.events[0]?.alias ?? "A"),
      unit: unitOfMetric(query, drawn.unit, texts),
    },
    words,
  );
}
