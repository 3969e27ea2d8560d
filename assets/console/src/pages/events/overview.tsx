// The overview of user activity: numbers of events, users and sessions, over time, by region and by
// platform.

import { Button, Group, SegmentedControl, SimpleGrid } from "@mantine/core";
import { IconX } from "@tabler/icons-react";
import type { UseQueryResult } from "@tanstack/react-query";
import type { EventOverview, MetricValue } from "svc-sdk";
import { useAsked } from "../../charts/asked";
import { type Asked, Figure } from "../../charts/figure";
import { platformName, regionName } from "../../charts/names";
import { useRangeText } from "../../charts/rangetext";
import { WhenSeen } from "../../charts/seen";
import { bars, doughnut } from "../../charts/shares";
import { Tile, type TileValues } from "../../charts/tile";
import { trend } from "../../charts/trend";
import { week } from "../../charts/week";
import { useWords } from "../../charts/words";
import { choiceParam, textParam, useParams } from "../../core/address";
import { type Range, within } from "../../core/range";
import { useTexts } from "../../core/texts";
import { EventsFrame } from "./frame";
import { namesQuestion, useEventNames } from "./names";
import { FirstEvent } from "./start";

const params = { split: choiceParam(["total", "event", "platform", "region"]), event: textParam };

export default function EventsOverviewPage() {
  return (
    <EventsFrame
      page="overview"
      operations={["getEventOverview", "getEventSeries", "getEventBreakdown", "getEventHeatmap", "listEventDefinitions", "ingestEvents"]}
    >
      {(range) => <Overview range={range} />}
    </EventsFrame>
  );
}

function useOverview(part: { start: number; end: number }) {
  return useAsked({
    key: ["event-overview", part.start, part.end],
    ask: (admin, signal) => admin.getEventOverview(within(part), { signal }),
  });
}

/** Returns the event to which the user has limited the page, or "" for all events. */
function useOnly(): string {
  return useParams(params)[0].event;
}

const named = (event: string) => (event ? { event_name: event } : {});

function useSeries(range: Range, group: "event" | "platform" | "region" | null) {
  const only = useOnly();
  return useAsked({
    key: ["event-series", range.start, range.end, range.granularity, group, only],
    ask: (admin, signal) =>
      admin.getEventTimeseries({ ...within(range), granularity: range.granularity, group_by: group, ...named(only) }, { signal }),
  });
}

function useBreakdown(range: Range, dimension: "platform" | "region", limit: number) {
  const event = useOnly();
  return useAsked({
    key: ["event-breakdown", range.start, range.end, dimension, limit, event],
    ask: (admin, signal) => admin.getEventBreakdown({ ...within(range), dimension, limit, ...named(event) }, { signal }),
  });
}

function Overview({ range }: { range: Range }) {
  const { events: texts } = useTexts();
  const names = useEventNames(range);
  const overview = useOverview(range);
  const [{ event: only }, change] = useParams(params);
  if (names.ready && names.list.length === 0 && overview.data?.total === 0) {
    return <FirstEvent />;
  }
  return (
    <>
      {only ? (
        <Only range={range} event={only} label={names.labelOf(only)} clear={() => change({ event: "" })} />
      ) : (
        <Tiles range={range} overview={overview} />
      )}
      <Trend range={range} />
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
        <TopEvents range={range} />
        <Week range={range} />
      </SimpleGrid>
      <WhenSeen height={{ phone: 756, wide: 354 }}>
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
          <Breakdown range={range} dimension="platform" title={texts.platforms} definition={texts.definitionTexts.platforms} limit={20} />
          <Breakdown range={range} dimension="region" title={texts.regions} definition={texts.definitionTexts.regions} limit={10} />
        </SimpleGrid>
      </WhenSeen>
    </>
  );
}

function Tiles({ range, overview }: { range: Range; overview: UseQueryResult<EventOverview> }) {
  const { events: texts } = useTexts();
  const { format } = useWords();
  const before = useOverview(range.previous);
  const series = useSeries(range, null);
  const of = (field: "total" | "unique_users" | "unique_sessions" | "event_types"): Asked<TileValues> => ({
    data:
      overview.data && before.data
        ? { figure: format.number(overview.data[field]), now: overview.data[field], before: before.data[field] }
        : undefined,
    error: overview.error ?? before.error,
    isFetching: overview.isFetching || before.isFetching,
    isPlaceholderData: overview.isPlaceholderData || before.isPlaceholderData,
    refetch: () => Promise.all([overview.error && overview.refetch(), before.error && before.refetch()]),
  });
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }} spacing="md">
      <Tile
        title={texts.events}
        definition={texts.definitionTexts.events}
        query={of("total")}
        curve={series.data?.data.map(({ count }) => count) ?? []}
      />
      <Tile title={texts.users} definition={texts.definitionTexts.users} query={of("unique_users")} />
      <Tile title={texts.sessions} definition={texts.definitionTexts.sessions} query={of("unique_sessions")} />
      <Tile title={texts.kinds} definition={texts.definitionTexts.kinds} query={of("event_types")} />
    </SimpleGrid>
  );
}

interface OnlyProps {
  range: Range;
  event: string;
  label: string;
  clear(): void;
}

/** Shows the event to which the page is limited, its numbers, and a button that removes the limit. */
function Only({ range, event, label, clear }: OnlyProps) {
  const { events: texts } = useTexts();
  const { format } = useWords();
  const series = useSeries(range, null);
  const metric = (part: { start: number; end: number }) => ({
    type: "value" as const,
    events: [
      { name: event, alias: "A", measure: "count" as const },
      { name: event, alias: "B", measure: "unique_users" as const },
    ],
    ...within(part),
  });
  const query = useAsked({
    key: ["event-only", event, range.start, range.end],
    ask: async (admin, signal) => {
      const answers = await Promise.all(
        [range, range.previous].map(async (part) => (await admin.runEventQuery(metric(part), { signal })) as MetricValue),
      );
      return answers.map(({ values }) => values);
    },
  });
  const of = (alias: "A" | "B"): Asked<TileValues> => {
    const [now, before] = (query.data ?? []).map((values) => values[alias] ?? 0);
    return { ...query, data: now === undefined ? undefined : { figure: format.number(now), now, before: before ?? null } };
  };
  return (
    <>
      <Group>
        <Button variant="light" size="compact-sm" rightSection={<IconX size={14} aria-hidden />} onClick={clear}>
          {texts.only(label)}
          <span className="offscreen">. {texts.showAll}</span>
        </Button>
      </Group>
      <SimpleGrid cols={{ base: 2, md: 4 }} spacing="md">
        <Tile
          title={texts.events}
          definition={texts.definitionTexts.events}
          query={of("A")}
          curve={series.data?.data.map(({ count }) => count) ?? []}
        />
        <Tile title={texts.users} definition={texts.definitionTexts.users} query={of("B")} />
      </SimpleGrid>
    </>
  );
}

function Trend({ range }: { range: Range }) {
  const { events: texts } = useTexts();
  const about = useRangeText(range);
  const names = useEventNames(range);
  const [{ split }, change] = useParams(params);
  const query = useSeries(range, split === "total" ? null : split);
  return (
    <Figure
      id="events-trend"
      title={texts.trend}
      definition={texts.definitionTexts.trend}
      about={about}
      query={query}
      height={280}
      legend={split !== "total"}
      deps={[split, names, range]}
      controls={
        <SegmentedControl
          size="xs"
          aria-label={texts.split}
          value={split}
          data={(["total", "event", "platform", "region"] as const).map((value) => ({ value, label: texts.splits[value] }))}
          onChange={(next) => change({ split: next as typeof split })}
        />
      }
      draw={(data, words) => {
        const nameOf = {
          total: String,
          event: names.labelOf,
          platform: (key: string) => platformName(key, words),
          region: (key: string) => regionName(key, words),
        }[split];
        const parts =
          split === "total" ? null : data.series?.map((one) => ({ name: nameOf(one.key), values: one.data.map(({ count }) => count) }));
        const rest = data.data.map(({ count }, at) => count - (parts ?? []).reduce((sum, part) => sum + (part.values[at] ?? 0), 0));
        const others = parts && rest.some((count) => count > 0) ? [{ name: words.texts.others, values: rest, rest: true }] : [];
        return trend(
          {
            buckets: data.data.map(({ bucket }) => bucket),
            granularity: range.granularity,
            offset: range.offset,
            now: range.end,
            series: parts ? [...parts, ...others] : [{ name: texts.events, values: data.data.map(({ count }) => count) }],
            stacked: split !== "total",
            measure: texts.events,
          },
          words,
        );
      }}
    />
  );
}

const mostEvents = 12;

/**
 * The most frequent events, as counted by the definitions. The list always shows all events, so
 * that the user can choose another one.
 */
function TopEvents({ range }: { range: Range }) {
  const { events: texts } = useTexts();
  const about = useRangeText(range);
  const query = useAsked(namesQuestion(range));
  const [, change] = useParams(params);
  return (
    <Figure
      id="events-event"
      title={texts.top}
      definition={texts.definitionTexts.top}
      about={about}
      query={query}
      height={300}
      draw={(names, words) =>
        bars(
          {
            parts: names
              .filter(({ count }) => count > 0)
              .slice(0, mostEvents)
              .map(({ name, label, count }) => ({ name: label, count, select: () => change({ event: name }) })),
            total: names.reduce((sum, { count }) => sum + count, 0),
            kind: texts.groups.event,
            measure: texts.events,
            rest: words.texts.others,
          },
          words,
        )
      }
    />
  );
}

interface BreakdownProps {
  range: Range;
  dimension: "platform" | "region";
  title: string;
  definition: string;
  limit: number;
}

function Breakdown({ range, dimension, title, definition, limit }: BreakdownProps) {
  const { events: texts } = useTexts();
  const about = useRangeText(range);
  return (
    <Figure
      id={`events-${dimension}`}
      title={title}
      definition={definition}
      about={about}
      query={useBreakdown(range, dimension, limit)}
      height={300}
      draw={({ data, total }, words) => {
        const nameOf = {
          platform: (key: string) => platformName(key, words),
          region: (key: string) => regionName(key, words),
        }[dimension];
        return (dimension === "platform" ? doughnut : bars)(
          {
            parts: data.map(({ key, count }) => ({
              name: nameOf(key),
              count,
              missing: dimension === "region" && key in words.texts.regions,
            })),
            total,
            kind: texts.groups[dimension],
            measure: texts.events,
            rest: words.texts.others,
          },
          words,
        );
      }}
    />
  );
}

function Week({ range }: { range: Range }) {
  const { events: texts } = useTexts();
  const about = useRangeText(range);
  const only = useOnly();
  const query = useAsked({
    key: ["event-week", range.start, range.end, only],
    ask: (admin, signal) => admin.getEventHeatmap({ ...within(range), ...named(only) }, { signal }),
  });
  return (
    <Figure
      id="events-week"
      title={texts.week}
      definition={texts.definitionTexts.week}
      about={about}
      query={query}
      height={300}
      draw={({ data }, words) => week(data, texts.events, words)}
    />
  );
}
