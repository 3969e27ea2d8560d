// A filter for a date and time. The calendar is loaded after the list. Until then, a button that
// looks the same is shown; pressing it loads the calendar.

import { Input } from "@mantine/core";
import { useState } from "react";
import { part, usePart } from "../core/part";
import classes from "./moment.module.css";

export interface MomentProps {
  label: string;
  /** Label of the button that clears the value. */
  clearLabel: string;
  /** Unix seconds. */
  value: number | null;
  onChange(value: number | null): void;
}

const picker = part(async () => (await import("./picker")).Picker);

export function Moment(props: MomentProps) {
  const [pressed, press] = useState(false);
  const Picker = usePart(picker, pressed || props.value !== null);
  return Picker ? (
    <Picker {...props} opened={pressed} />
  ) : (
    <Input
      component="button"
      type="button"
      multiline
      flex="1 1 130px"
      maw={175}
      classNames={{ input: classes["input"]! }}
      aria-label={props.label}
      onClick={() => press(true)}
    >
      <Input.Placeholder>{props.label}</Input.Placeholder>
    </Input>
  );
}
