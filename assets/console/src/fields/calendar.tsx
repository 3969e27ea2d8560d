// A calendar with a field for the time of day.

import "@mantine/dates/styles.layer.css";
import "dayjs/locale/zh-cn";
import { InlineDateTimePicker } from "@mantine/dates";
import { useLanguage } from "../core/texts";
import { fromPicker, toPicker } from "./zone";

/** Returns the properties of all calendars, in the chosen language. */
export function useCalendar() {
  const { language, texts } = useLanguage();
  const { common } = texts;
  return {
    locale: language === "zh" ? "zh-cn" : "en",
    monthLabelFormat: language === "zh" ? "YYYY年M月" : "MMMM YYYY",
    previousLabel: common.earlier,
    nextLabel: common.later,
    timePickerProps: { hoursInputLabel: common.hours, minutesInputLabel: common.minutes },
    submitButtonProps: { "aria-label": common.apply },
    // The days of other months and the colour of weekends have too little contrast, so show
    // neither.
    hideOutsideDates: true,
    weekendDays: [],
  };
}

interface Props {
  /** Unix seconds. */
  value: number | null;
  onChange(value: number): void;
  onClose(): void;
}

export function Calendar({ value, onChange, onClose }: Props) {
  return (
    <InlineDateTimePicker
      {...useCalendar()}
      fullWidth={false}
      value={value === null ? null : toPicker(value)}
      onChange={(text) => text && onChange(fromPicker(text))}
      onSubmit={onClose}
    />
  );
}
