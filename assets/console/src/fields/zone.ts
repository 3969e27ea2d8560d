// Converts between Unix seconds and the texts of calendars and fields in the browser's time zone.

import dayjs from "dayjs";

/** Converts Unix seconds to the text of a calendar. */
export function toPicker(seconds: number): string {
  return dayjs.unix(seconds).format("YYYY-MM-DD HH:mm:ss");
}

/** Converts the text of a calendar to Unix seconds. */
export function fromPicker(text: string): number {
  return dayjs(text).unix();
}

const months = ["january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"];

/** Returns the number of a month, given its English name or at least the first three letters of it. */
function monthOf(name: string): number {
  return name.length < 3 ? 0 : months.findIndex((month) => month.startsWith(name)) + 1;
}

/** Finds year, month and day in the text of a date. The result is null if the text is no date. */
function dateIn(text: string, monthFirst: boolean): [year: number, month: number, day: number] | null {
  const yearFirst = /^(\d{4})[-/.年](\d\d?)[-/.月](\d\d?)日?$/.exec(text);
  if (yearFirst) {
    return [Number(yearFirst[1]), Number(yearFirst[2]), Number(yearFirst[3])];
  }
  const yearLast = /^(\d\d?)[-/.](\d\d?)[-/.](\d{4})$/.exec(text);
  if (yearLast) {
    const [first, second, year] = [Number(yearLast[1]), Number(yearLast[2]), Number(yearLast[3])];
    return monthFirst ? [year, first, second] : [year, second, first];
  }
  const dayThenName = /^(\d\d?)[ -]([a-z]+)\.?,?[ -](\d{4})$/.exec(text);
  if (dayThenName) {
    return [Number(dayThenName[3]), monthOf(dayThenName[2]!), Number(dayThenName[1])];
  }
  const nameThenDay = /^([a-z]+)\.? (\d\d?),? (\d{4})$/.exec(text);
  return nameThenDay && [Number(nameThenDay[3]), monthOf(nameThenDay[1]!), Number(nameThenDay[2])];
}

/**
 * Converts a typed date and time to Unix seconds, such as "2026-11-22 22:30", "22 Nov 2026, 22:30",
 * "Nov 22, 2026, 10:30 PM" or "2026/11/22 下午10:30". Without a time, it is midnight. `monthFirst`
 * decides what "3/4/2026" means. The result is null for an empty text, and NaN for any other text
 * that is no time from 1970 to 9999.
 */
export function fromText(text: string, monthFirst: boolean): number | null {
  const line = text.trim().replace(/\s+/g, " ").toLowerCase();
  if (line === "") {
    return null;
  }
  const time = /(?:,? |t)(凌晨|清晨|早上|上午|中午|下午|晚上)?(\d\d?):(\d\d)(?::\d\d)?(?: ?([ap])\.?m\.?)?$/.exec(line);
  const date = dateIn(time ? line.slice(0, time.index) : line, monthFirst);
  if (!date) {
    return Number.NaN;
  }
  const [, ofChinese, hours = "0", minutes = "0", ofEnglish] = time ?? [];
  const half = ofChinese ? (/中午|下午|晚上/.test(ofChinese) ? "p" : "a") : ofEnglish;
  const hour = half ? (Number(hours) % 12) + (half === "p" ? 12 : 0) : Number(hours);
  const [year, month, day] = date;
  const at = new Date(year, month - 1, day, hour, Number(minutes));
  const exists =
    at.getMonth() === month - 1 && at.getDate() === day && hour < 24 && Number(minutes) < 60 && (!half || between(1, Number(hours), 12));
  return exists && at.getTime() >= 0 ? at.getTime() / 1000 : Number.NaN;
}

const between = (least: number, value: number, most: number) => least <= value && value <= most;

const two = (value: number) => String(value).padStart(2, "0");

/**
 * Returns the name of the browser's time zone with its offset at a time, such as "Europe/Paris,
 * UTC+01:00" in winter.
 */
export function zoneName(seconds: number = Date.now() / 1000): string {
  const minutes = -new Date(seconds * 1000).getTimezoneOffset();
  const offset = `UTC${minutes < 0 ? "−" : "+"}${two(Math.floor(Math.abs(minutes) / 60))}:${two(Math.abs(minutes) % 60)}`;
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  return timeZone && timeZone !== "UTC" ? `${timeZone}, ${offset}` : "UTC";
}
