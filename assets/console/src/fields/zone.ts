// Converts between Unix seconds and the texts of date pickers and inputs in the browser's time zone.

import dayjs from "dayjs";

/** Converts Unix seconds to the text of a date picker. */
export function toPicker(seconds: number): string {
  return dayjs.unix(seconds).format("YYYY-MM-DD HH:mm:ss");
}

/** Converts the text of a date picker to Unix seconds. */
export function fromPicker(text: string): number {
  return dayjs(text).unix();
}

const two = (value: number) => String(value).padStart(2, "0");

/**
 * Converts Unix seconds to the text of a date and time input, such as "2026-11-22T22:30". The
 * result for null is "".
 */
export function toInput(seconds: number | null): string {
  if (seconds === null) {
    return "";
  }
  const at = new Date(seconds * 1000);
  const year = String(at.getFullYear()).padStart(4, "0");
  return `${year}-${two(at.getMonth() + 1)}-${two(at.getDate())}T${two(at.getHours())}:${two(at.getMinutes())}`;
}

/**
 * Converts the text of a date and time input to Unix seconds. The result is null if the text is
 * empty or the time is before 1970.
 */
export function fromInput(text: string): number | null {
  const at = /^\d{4,6}-\d\d-\d\dT\d\d:\d\d/.test(text) ? Math.floor(new Date(text).getTime() / 1000) : Number.NaN;
  return Number.isFinite(at) && at >= 0 ? at : null;
}

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
