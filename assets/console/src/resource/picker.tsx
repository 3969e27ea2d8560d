// A date and time picker for filters. Until it has been loaded, moment.tsx is shown in its place.

import "@mantine/dates/styles.layer.css";
import "dayjs/locale/zh-cn";
import { DateTimePicker } from "@mantine/dates";
import { useEffect, useId, useRef } from "react";
import { useLanguage } from "../core/texts";
import { fromPicker, toPicker } from "../fields/zone";
import type { MomentProps } from "./moment";

export function Picker({ label, clearLabel, value, onChange, opened }: MomentProps & { opened: boolean }) {
  const { language, texts } = useLanguage();
  const { common } = texts;
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
      locale={language === "zh" ? "zh-cn" : "en"}
      valueFormat={language === "zh" ? "YYYY/MM/DD HH:mm" : "D MMM YYYY, HH:mm"}
      monthLabelFormat={language === "zh" ? "YYYY年M月" : "MMMM YYYY"}
      previousLabel={common.earlier}
      nextLabel={common.later}
      timePickerProps={{ hoursInputLabel: common.hours, minutesInputLabel: common.minutes }}
      submitButtonProps={{ "aria-label": common.apply }}
      // The days of other months and the colour of weekends have too little contrast, so show
      // neither.
      hideOutsideDates
      weekendDays={[]}
      clearable
      clearButtonProps={{ "aria-label": clearLabel }}
      aria-label={label}
      placeholder={label}
      value={value === null ? null : toPicker(value)}
      onChange={(text) => onChange(text ? fromPicker(text) : null)}
    />
  );
}
