// The time range of a page with numbers, and the time zone of its days.

export type RangeName = "24h" | "7d" | "30d" | "90d" | "1y";

export type Granularity = "hour" | "day";

export interface Range {
  /** The name of the range, or null for a range with a start and an end of its own. */
  name: RangeName | null;
  /** Unix seconds; both ends are inclusive. */
  start: number;
  end: number;
  /** The range of the same length immediately before. */
  previous: { start: number; end: number };
  granularity: Granularity;
  /** Offset of the time zone in minutes east of UTC. */
  offset: number;
}

const days: Record<RangeName, number> = { "24h": 1, "7d": 7, "30d": 30, "90d": 90, "1y": 365 };

/**
 * Returns the range with the given name that ends at `end`. A range of up to a week begins at a
 * full hour and is divided into hours. A longer one begins at midnight and is divided into days.
 */
export function rangeOf(name: RangeName, end: number, offset: number): Range {
  const granularity = days[name] <= 7 ? "hour" : "day";
  const step = granularity === "hour" ? 3600 : 86_400;
  const shift = granularity === "hour" ? 0 : offset * 60;
  const length = days[name] * 86_400;
  const start = Math.floor((end + shift) / step) * step - shift + step - length;
  return { name, start, end, previous: { start: start - length, end: start - 1 }, granularity, offset };
}

/**
 * The longest range that a user can enter, in seconds. It is limited because charts draw every hour
 * or day of a range.
 */
const longest = 366 * 86_400;

/**
 * Returns the range from `from` to `to`, or null if it is empty, too long, or begins after `now`. A
 * range of up to eight days is extended to full hours, and a longer one to full days, but not
 * beyond `now`. The limit is not seven days, because a week that does not begin at a full hour is
 * longer after the extension.
 */
export function rangeBetween(from: number, to: number, now: number, offset: number): Range | null {
  const end = Math.min(to, now);
  if (!(from >= 0 && from < end && end - from <= longest)) {
    return null;
  }
  const granularity = end - from <= 8 * 86_400 ? "hour" : "day";
  const step = granularity === "hour" ? 3600 : 86_400;
  const shift = granularity === "hour" ? 0 : offset * 60;
  const start = Math.floor((from + shift) / step) * step - shift;
  const last = Math.min(now, Math.ceil((end + 1 + shift) / step) * step - shift - 1);
  const length = last - start + 1;
  return { name: null, start, end: last, previous: { start: Math.max(0, start - length), end: start - 1 }, granularity, offset };
}

/**
 * Returns the range divided into days, beginning at midnight, or the range itself if it is no longer
 * than two days. It is for numbers that differ between day and night more than from day to day.
 */
export function inDays(range: Range): Range {
  const { start, end, granularity, offset } = range;
  if (granularity === "day" || end - start < 2 * 86_400) {
    return range;
  }
  const shift = offset * 60;
  return { ...range, start: Math.floor((start + shift) / 86_400) * 86_400 - shift, granularity: "day" };
}

/** Returns the number of days that a range overlaps. */
export function daysIn({ start, end, offset }: Range): number {
  const day = (seconds: number) => Math.floor((seconds + offset * 60) / 86_400);
  return day(end) - day(start) + 1;
}

/** Returns the number of weeks that a range overlaps. A week begins on Monday. */
export function weeksIn({ start, end, offset }: Range): number {
  // 1970 began on a Thursday.
  const week = (seconds: number) => Math.floor((seconds + offset * 60 + 3 * 86_400) / (7 * 86_400));
  return week(end) - week(start) + 1;
}

/** Returns the current offset of the browser's time zone in minutes east of UTC. */
export function zoneOffset(): number {
  const offset = -new Date().getTimezoneOffset();
  return offset === 0 ? 0 : offset;
}

/** Formats the offset of a time zone as "UTC+05:30". */
export function zoneName(offset: number): string {
  const minutes = Math.abs(offset);
  const text = `${String(Math.floor(minutes / 60)).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}`;
  return offset === 0 ? "UTC" : `UTC${offset < 0 ? "−" : "+"}${text}`;
}

/** Returns the fields that all queries about a range contain. */
export function within(range: { start: number; end: number }): { start_time: number; end_time: number; tz_offset_minutes: number } {
  return { start_time: range.start, end_time: range.end, tz_offset_minutes: zoneOffset() };
}
