// A date and time among filters. The calendar is loaded after the list. Until then an
// identical-looking input is shown, which loads the calendar when it is pressed.

import { Input } from "@mantine/core";
import { useState } from "react";
import { part, usePart } from "../core/part";
import classes from "./moment.module.css";

export interface MomentProps {
  label: string;
  /** Label of the button that clears it. */
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
      w={175}
      classNames={{ input: classes["input"]! }}
      aria-label={props.label}
      onClick={() => press(true)}
    >
      <Input.Placeholder>{props.label}</Input.Placeholder>
    </Input>
  );
}
