// The queries of the page. Several figures share a response.

import { useAsked } from "../../charts/asked";
import { calendarDays } from "../../charts/calendar";
import { type Range, rangeOf, within } from "../../core/range";

type Part = { start: number; end: number };

export function useOverview(part: Part) {
  return useAsked({ key: ["overview", part], ask: (admin, signal) => admin.getRequestOverview(within(part), { signal }) });
}

export function useSeries(range: Range, group: "endpoint" | "platform" | null, part: Part = range) {
  return useAsked({
    key: ["series", part.start, part.end, range.granularity, group],
    ask: (admin, signal) => admin.getRequestTimeseries({ ...within(part), granularity: range.granularity, group_by: group }, { signal }),
  });
}

export function useAdoption(range: Range) {
  return useAsked({
    key: ["adoption", range.start, range.end, range.granularity],
    ask: (admin, signal) => admin.getVersionAdoption({ ...within(range), granularity: range.granularity, limit: 6 }, { signal }),
  });
}

export function useClientVersions(part: Part, limit: number) {
  return useAsked({
    key: ["client-versions", part.start, part.end, limit],
    ask: (admin, signal) => admin.getClientVersions({ ...within(part), limit }, { signal }),
  });
}

export function useSystemVersions(part: Part) {
  return useAsked({
    key: ["system-versions", part.start, part.end],
    ask: (admin, signal) => admin.getPlatformVersions({ ...within(part), limit: 16 }, { signal }),
  });
}

export function useWeek(part: Part) {
  return useAsked({ key: ["week", part.start, part.end], ask: (admin, signal) => admin.getRequestHeatmap(within(part), { signal }) });
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

/** Divides a range into parts of equal length, for curves of values without a series on the server. */
export function partsOf(range: Range, count: number): Part[] {
  const length = (range.end - range.start + 1) / count;
  return Array.from({ length: count }, (_, at) => ({
    start: Math.floor(range.start + at * length),
    end: Math.floor(range.start + (at + 1) * length) - 1,
  }));
}

const curveParts = 8;

/** Number of error logs, and mean rating, in each part of a range. */
export function useErrorCurve(range: Range) {
  return useAsked({
    key: ["error-curve", range.start, range.end],
    ask: async (admin, signal) => {
      const parts = await Promise.all(partsOf(range, curveParts).map((part) => admin.getLogLevelStats(within(part), { signal })));
      return parts.map((part) => part.by_level.find(({ level }) => level === 3)?.count ?? 0);
    },
  });
}

export function useRatingCurve(range: Range) {
  return useAsked({
    key: ["rating-curve", range.start, range.end],
    ask: async (admin, signal) => {
      const parts = await Promise.all(partsOf(range, curveParts).map((part) => admin.getFeedbackRatingStats(within(part), { signal })));
      return parts.map((part) => part.average_rating);
    },
  });
}

export function useCalendar(range: Range) {
  const { start } = { ...rangeOf("1y", range.end, range.offset) };
  const part = { start: start + (365 - calendarDays) * 86_400, end: range.end };
  return useAsked({
    key: ["calendar", part.start, part.end],
    ask: (admin, signal) => admin.getRequestTimeseries({ ...within(part), granularity: "day" }, { signal }),
  });
}
