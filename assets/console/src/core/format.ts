// Formats numbers, times and sizes in the chosen language.

import { now as serverNow } from "./clock";
import { localeOf } from "./locale";
import { useLanguage } from "./texts";

export interface Format {
  number(value: number): string;
  /** Formats a share from 0 to 1 as a percentage. */
  percent(share: number, digits?: number): string;
  /** Formats shares that are shown below each other. Either all are whole percents or all have one decimal. */
  percents(shares: readonly number[]): string[];
  bytes(count: number): string;
  /** Formats Unix seconds as date and time in the browser's time zone. */
  time(seconds: number): string;
  /** Formats Unix seconds as a date in the browser's time zone. */
  date(seconds: number): string;
  /** Formats Unix seconds relative to now, such as "3 hours ago". */
  ago(seconds: number, now?: number): string;
  /** Like `time`, for small spaces: without the year if it is the current one. */
  shortTime(seconds: number, now?: number): string;
  /** Formats Unix seconds for the smallest spaces: the hour of a moment today, or else the date. */
  hourOrDate(seconds: number, now?: number): string;
  /** Formats seconds as a duration, such as "1 hr 20 min". */
  duration(seconds: number): string;
  /** Formats seconds in one unit, such as "3 min" or "1.5 hr". */
  span(seconds: number): string;
  /** Joins items into a list, such as "a, b and c". */
  list(items: string[]): string;
  /**
   * Formats a number in a short form, such as "1.2K", for axes and small spaces. `digits` is the
   * number of decimals below a thousand.
   */
  compact(value: number, digits?: number): string;
  /** Formats a number with at most two decimals. */
  decimal(value: number): string;
  /** Formats Unix seconds as "3 Nov". `offset` is the time zone in minutes east of UTC. */
  day(seconds: number, offset: number): string;
  /** Formats Unix seconds as "14:00". `offset` is the time zone in minutes east of UTC. */
  hour(seconds: number, offset: number): string;
  /** Formats Unix seconds as "Monday, 3 November 2025". `offset` is the time zone in minutes east of UTC. */
  weekdayAndDate(seconds: number, offset: number): string;
  /** Returns the name of a weekday; 0 is Sunday. */
  weekday(index: number): string;
  /** Returns the name of a month; 0 is January. */
  month(index: number): string;
  /** Returns the name of a country, given its two-letter code. */
  country(code: string): string;
}

const steps: [limit: number, size: number, unit: Intl.RelativeTimeFormatUnit][] = [
  [60, 1, "second"],
  [3600, 60, "minute"],
  [86_400, 3600, "hour"],
  [30 * 86_400, 86_400, "day"],
  [365 * 86_400, 30 * 86_400, "month"],
  [Number.POSITIVE_INFINITY, 365 * 86_400, "year"],
];

const units: [size: number, name: string][] = [
  [86_400, "day"],
  [3600, "hour"],
  [60, "minute"],
];

/** The beginning, in milliseconds, of the day of a moment in the browser's time zone. */
function midnight(seconds: number): number {
  return new Date(seconds * 1000).setHours(0, 0, 0, 0);
}

/** The year of a moment in the browser's time zone. */
function yearOf(seconds: number): number {
  return new Date(seconds * 1000).getFullYear();
}

const made = new Map<string, Format>();

/**
 * Returns the format of a language, which is given as a BCP 47 tag. Every call for the same
 * language returns the same object.
 */
export function formatIn(tag: string): Format {
  const format = made.get(tag) ?? newFormat(tag);
  made.set(tag, format);
  return format;
}

/**
 * Creates a formatter when it is first used. Creating one takes the browser milliseconds, and a
 * page needs only a few of them.
 */
function lazy<T>(make: () => T): () => T {
  let value: T | undefined;
  return () => (value ??= make());
}

function newFormat(tag: string): Format {
  const numbers = (options?: Intl.NumberFormatOptions) => lazy(() => new Intl.NumberFormat(tag, options));
  const times = (options: Intl.DateTimeFormatOptions) => lazy(() => new Intl.DateTimeFormat(tag, options));
  const number = numbers();
  const size = numbers({ maximumFractionDigits: 1 });
  const decimal = numbers({ maximumFractionDigits: 2 });
  // Chinese uses the short form, "2026/11/23 16:45", because its medium form is wider than a
  // column.
  const dateStyle = tag.startsWith("zh") ? "short" : "medium";
  const time = times({ dateStyle, timeStyle: "short" });
  const date = times({ dateStyle });
  const ofYear = { day: "numeric", month: dateStyle === "short" ? "numeric" : "short" } as const;
  const dayOfYear = times(ofYear);
  const dayAndTime = times({ ...ofYear, hour: "2-digit", minute: "2-digit" });
  const clock = times({ timeStyle: "short" });
  const day = times({ timeZone: "UTC", day: "numeric", month: "short" });
  const hour = times({ timeZone: "UTC", hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  const full = times({ timeZone: "UTC", dateStyle: "full" });
  const weekday = times({ timeZone: "UTC", weekday: "short" });
  const month = times({ timeZone: "UTC", month: "short" });
  const relative = lazy(() => new Intl.RelativeTimeFormat(tag, { numeric: "auto" }));
  const list = lazy(() => new Intl.ListFormat(tag, { type: "conjunction" }));
  // Whether a space separates two units depends on the language.
  const measures = lazy(() => new Intl.ListFormat(tag, { type: "unit", style: "narrow" }));
  const countries = lazy(() => new Intl.DisplayNames(tag, { type: "region" }));
  const percent0 = numbers({ style: "percent", maximumFractionDigits: 0 });
  const percent1 = numbers({ style: "percent", minimumFractionDigits: 1, maximumFractionDigits: 1 });
  const percents: Intl.NumberFormat[] = []; // by digits after the point
  const compacts: Intl.NumberFormat[] = []; // likewise
  const shifted = (seconds: number, offset: number) => (seconds + offset * 60) * 1000;
  const unit = (value: number, name: string, maximumFractionDigits = 0) =>
    new Intl.NumberFormat(tag, { style: "unit", unit: name, unitDisplay: "short", maximumFractionDigits }).format(value);
  return {
    number: (value) => number().format(value),
    percent(share, digits = 1) {
      percents[digits] ??= new Intl.NumberFormat(tag, { style: "percent", maximumFractionDigits: digits });
      return percents[digits].format(share);
    },
    percents(shares) {
      const whole = shares.every((share) => Math.abs(share * 100 - Math.round(share * 100)) < 1e-9);
      return shares.map((share) => (whole ? percent0() : percent1()).format(share));
    },
    bytes(count) {
      const power = count < 1024 ? 0 : Math.min(Math.floor(Math.log2(count) / 10), 4);
      return `${size().format(count / 1024 ** power)} ${["B", "KiB", "MiB", "GiB", "TiB"][power]}`;
    },
    time: (seconds) => time().format(seconds * 1000),
    date: (seconds) => date().format(seconds * 1000),
    ago(seconds, now = serverNow()) {
      const past = seconds - now;
      const [, length, name] = steps.find(([limit]) => Math.abs(past) < limit) ?? steps[steps.length - 1]!;
      // "Yesterday" is a day of the calendar, not 24 hours.
      const count = name === "day" ? (midnight(seconds) - midnight(now)) / 86_400_000 : past / length;
      return relative().format(Math.round(count), name);
    },
    shortTime: (seconds, now = serverNow()) => (yearOf(seconds) === yearOf(now) ? dayAndTime : time)().format(seconds * 1000),
    hourOrDate(seconds, now = serverNow()) {
      const format = midnight(seconds) === midnight(now) ? clock : yearOf(seconds) === yearOf(now) ? dayOfYear : date;
      return format().format(seconds * 1000);
    },
    duration(seconds) {
      const parts = [
        [Math.floor(seconds / 86_400), "day"],
        [Math.floor(seconds / 3600) % 24, "hour"],
        [Math.floor(seconds / 60) % 60, "minute"],
        [Math.floor(seconds) % 60, "second"],
      ] as const;
      const shown = parts.filter(([value]) => value > 0).slice(0, 2);
      return shown.length ? measures().format(shown.map(([value, name]) => unit(value, name))) : unit(0, "second");
    },
    span(seconds) {
      const [size, name] = units.find(([size]) => seconds >= size) ?? [1, "second"];
      return unit(seconds / size, name, seconds / size < 10 ? 1 : 0);
    },
    list: (items) => list().format(items),
    compact(value, digits = 1) {
      const shown = Math.abs(value) < 1000 ? digits : 1;
      compacts[shown] ??= new Intl.NumberFormat(tag, { notation: "compact", maximumFractionDigits: shown });
      return compacts[shown].format(value);
    },
    decimal: (value) => decimal().format(value),
    day: (seconds, offset) => day().format(shifted(seconds, offset)),
    hour: (seconds, offset) => hour().format(shifted(seconds, offset)),
    weekdayAndDate: (seconds, offset) => full().format(shifted(seconds, offset)),
    // 1970 began on a Thursday, so its first Sunday was 4 January.
    weekday: (index) => weekday().format((index + 3) * 86_400_000),
    month: (index) => month().format(Date.UTC(2001, index)),
    country(code) {
      try {
        return countries().of(code) ?? code;
      } catch {
        return code;
      }
    },
  };
}

/** Returns the format of the chosen language. */
export function useFormat(): Format {
  const { language } = useLanguage();
  return formatIn(localeOf(language, navigator.languages));
}
