import { ActionIcon, Popover, TextInput } from "@mantine/core";
import { IconCalendar } from "@tabler/icons-react";
import { useState } from "react";
import { useFormat } from "../core/format";
import { part, usePart } from "../core/part";
import { useTexts } from "../core/texts";
import type { FieldProps } from "./field";
import classes from "./fields.module.css";
import { fromText, zoneName } from "./zone";

const calendar = part(async () => (await import("./calendar")).Calendar);

/** A day whose number can be neither a month nor a part of the year. */
const sample = Date.UTC(2001, 10, 22, 12) / 1000;

interface Props extends FieldProps<number | null> {
  /**
   * Whether the field is in a popover. A press outside of it closes the popover, so the calendar
   * must be inside.
   */
  nested?: boolean;
}

/**
 * A field for a time in Unix seconds, or null. The time is typed, or chosen in a calendar. A text
 * that is no time is NaN, which a form must refuse.
 */
export function TimeField({ value, onChange, description, error, nested = false, ...props }: Props) {
  const { fields } = useTexts();
  const format = useFormat();
  const [typed, setTyped] = useState("");
  const [left, setLeft] = useState(true);
  const [opened, show] = useState(false);
  const Calendar = usePart(calendar, opened);
  const monthFirst = !format.date(sample).startsWith("22");
  const wrong = Number.isNaN(value);
  const time = wrong ? null : value;
  // The text stays as the user typed it while the field has the focus, or while it is not a valid time.
  const kept = (wrong || !left) && Object.is(fromText(typed, monthFirst), value);
  return (
    <TextInput
      {...props}
      autoComplete="off"
      spellCheck={false}
      placeholder={fields.time.placeholder}
      value={kept ? typed : time === null ? "" : format.time(time)}
      onChange={({ currentTarget }) => {
        setLeft(false);
        setTyped(currentTarget.value);
        onChange(fromText(currentTarget.value, monthFirst));
      }}
      onBlur={() => setLeft(true)}
      onKeyDown={(event) => {
        if (event.key === "Enter" && wrong) {
          event.preventDefault();
          setLeft(true);
        }
      }}
      error={error || (wrong && left && fields.time.wrong)}
      description={description ?? fields.time.zone(zoneName(time ?? undefined))}
      rightSectionWidth={44}
      rightSection={
        <Popover
          opened={opened}
          onChange={show}
          trapFocus
          returnFocus
          withinPortal={!nested}
          position="bottom-end"
          shadow="md"
          // Where there is no room above or below the field, as on a phone, the calendar covers it.
          middlewares={{ flip: true, shift: { crossAxis: true, padding: 4 } }}
        >
          <Popover.Target>
            <ActionIcon
              variant="subtle"
              color="gray"
              disabled={props.disabled}
              aria-label={fields.time.calendar(props.label)}
              onClick={() => show(!opened)}
            >
              <IconCalendar size={16} aria-hidden />
            </ActionIcon>
          </Popover.Target>
          <Popover.Dropdown className={classes["calendar"]!}>
            {Calendar && (
              <Calendar
                value={time}
                onChange={(next) => {
                  setLeft(true);
                  onChange(next);
                }}
                onClose={() => show(false)}
              />
            )}
          </Popover.Dropdown>
        </Popover>
      }
    />
  );
}
