import { TextInput } from "@mantine/core";
import { useTexts } from "../core/texts";
import type { FieldProps } from "./field";
import { fromInput, toInput, zoneName } from "./zone";

/**
 * A moment as Unix seconds, or null. The input is the browser's own: it can be typed, spoken and
 * picked, and phones show theirs.
 */
export function TimeField({ value, onChange, description, ...props }: FieldProps<number | null>) {
  const { fields } = useTexts();
  return (
    <TextInput
      type="datetime-local"
      min="1970-01-01T00:00"
      max="9999-12-31T23:59"
      {...props}
      value={toInput(value)}
      onChange={(event) => onChange(fromInput(event.currentTarget.value))}
      description={description ?? fields.time.zone(zoneName(value ?? undefined))}
    />
  );
}
