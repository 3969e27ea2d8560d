// A date and time that is picked, as in filters. See moment.tsx, which is there before.

import "@mantine/dates/styles.layer.css";
import { DateTimePicker } from "@mantine/dates";
import { useEffect, useRef } from "react";
import { fromPicker, toPicker } from "../fields/zone";
import type { MomentProps } from "./moment";

export function Picker({ label, clearLabel, value, onChange, opened }: MomentProps & { opened: boolean }) {
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
      w={175}
      clearable
      clearButtonProps={{ "aria-label": clearLabel }}
      aria-label={label}
      placeholder={label}
      value={value === null ? null : toPicker(value)}
      onChange={(text) => onChange(text ? fromPicker(text) : null)}
    />
  );
}
