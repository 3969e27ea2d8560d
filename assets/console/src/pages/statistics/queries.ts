// The queries of the page. Some responses are shared by several figures.

import { useAsked } from "../../charts/asked";
import { calendarDays } from "../../charts/calendar";
import { inDays, type Range, rangeOf, within } from "../../core/range";
import { type Dimension, dimensions, useFilter } from "./filter";

type Part = { start: number; end: number };

/** The counters of versions have no region and no endpoint. */
export const ofVersions: readonly Dimension[] = ["platform"];

/** Nothing is filtered. */
export const ofNone: readonly Dimension[] = [];

export function useOverview(part: Part) {
  const filter = useFilter();
  return useAsked({
    key: ["overview", part, filter],
    ask: (admin, signal) => admin.getRequestOverview({ ...within(part), ...filter }, { signal }),
  });
}

export function useSeries(
  range: Range,
  group: "endpoint" | "platform" | null,
  part: Part = range,
  filters: readonly Dimension[] = dimensions,
  enabled = true,
) {
  const filter = useFilter(filters);
  return useAsked({
    enabled,
    key: ["series", part.start, part.end, range.granularity, group, filter],
    ask: (admin, signal) =>
      admin.getRequestTimeseries({ ...within(part), ...filter, granularity: range.granularity, group_by: group }, { signal }),
  });
}

/** Returns the update checks of each version over time, for each day of a range that is longer than two days. */
export function useAdoption(asked: Range, filters: readonly Dimension[] = ofVersions) {
  const filter = useFilter(filters);
  const range = inDays(asked);
  return useAsked({
    key: ["adoption", range.start, range.end, range.granularity, filter],
    ask: (admin, signal) => admin.getVersionAdoption({ ...within(range), ...filter, granularity: range.granularity, limit: 6 }, { signal }),
  });
}

export function useClientVersions(part: Part, limit: number) {
  const filter = useFilter(ofVersions);
  return useAsked({
    key: ["client-versions", part.start, part.end, limit, filter],
    ask: (admin, signal) => admin.getClientVersions({ ...within(part), ...filter, limit }, { signal }),
  });
}

export function useSystemVersions(part: Part) {
  const filter = useFilter(ofVersions);
  return useAsked({
    key: ["system-versions", part.start, part.end, filter],
    ask: (admin, signal) => admin.getPlatformVersions({ ...within(part), ...filter, limit: 16 }, { signal }),
  });
}

export function useWeek(part: Part) {
  const filter = useFilter();
  return useAsked({
    key: ["week", part.start, part.end, filter],
    ask: (admin, signal) => admin.getRequestHeatmap({ ...within(part), ...filter }, { signal }),
  });
}

export function useLevels(part: Part) {
  return useAsked({ key: ["levels", part.start, part.end], ask: (admin, signal) => admin.getLogLevelStats(within(part), { signal }) });
}

export function useRatings(part: Part) {
  return useAsked({
    key: ["ratings", part.start, part.end],
    ask: (admin, signal) => admin.getFeedbackRatingStats(within(part), { signal }),
  });
}

/** Returns the numbers of logs in each hour or day of a range. */
export function useLogSeries(range: Range) {
  return useAsked({
    key: ["log-series", range.start, range.end, range.granularity],
    ask: (admin, signal) => admin.getLogSeries({ ...within(range), interval: range.granularity }, { signal }),
  });
}

/** Returns the numbers of feedback records in each hour or day of a range. */
export function useFeedbackSeries(range: Range) {
  return useAsked({
    key: ["feedback-series", range.start, range.end, range.granularity],
    ask: (admin, signal) => admin.getFeedbackSeries({ ...within(range), interval: range.granularity }, { signal }),
  });
}

const week = 7 * 86_400;

/**
 * Returns the numbers of distinct senders of events on each day of a range, and at least of seven
 * days. Requests contain no identifier, so they cannot be used to count devices.
 */
export function useDevices({ start, end }: Part) {
  const part = { start: Math.min(start, end - week + 1), end };
  return useAsked({
    key: ["devices", part],
    ask: async (admin, signal) =>
      (await admin.getEventTimeseries({ ...within(part), granularity: "day", measure: "unique_users" }, { signal })).data,
  });
}

export function useCalendar(range: Range) {
  const filter = useFilter();
  const { start } = { ...rangeOf("1y", range.end, range.offset) };
  const part = { start: start + (365 - calendarDays) * 86_400, end: range.end };
  return useAsked({
    key: ["calendar", part.start, part.end, filter],
    ask: (admin, signal) => admin.getRequestTimeseries({ ...within(part), ...filter, granularity: "day" }, { signal }),
  });
}
