import { TextInput } from "@mantine/core";
import { useTexts } from "../core/texts";
import type { FieldProps } from "./field";
import { fromInput, toInput, zoneName } from "./zone";

/**
 * A field for a time in Unix seconds, or null. It uses the browser's own input, which supports
 * typing, dictation and picking, and which phones replace with theirs.
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
