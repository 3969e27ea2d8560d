// A date and time picker for filters. Until it has been loaded, moment.tsx is shown in its place.

import { DateTimePicker } from "@mantine/dates";
import { useEffect, useId, useRef } from "react";
import { useLanguage } from "../core/texts";
import { useCalendar } from "../fields/calendar";
import { fromPicker, toPicker } from "../fields/zone";
import type { MomentProps } from "./moment";

export function Picker({ label, clearLabel, value, onChange, opened }: MomentProps & { opened: boolean }) {
  const { language } = useLanguage();
  const id = useId();
  const input = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (opened) {
      input.current?.focus();
      input.current?.click();
    }
  }, []);
  return (
    <DateTimePicker
      ref={input}
      id={id}
      // The calendar is named after the input.
      popoverProps={{ id, returnFocus: true }}
      flex="1 1 130px"
      maw={175}
      {...useCalendar()}
      valueFormat={language === "zh" ? "YYYY/MM/DD HH:mm" : "D MMM YYYY, HH:mm"}
      clearable
      clearButtonProps={{ "aria-label": clearLabel }}
      aria-label={label}
      placeholder={label}
      value={value === null ? null : toPicker(value)}
      onChange={(text) => onChange(text ? fromPicker(text) : null)}
    />
  );
}
