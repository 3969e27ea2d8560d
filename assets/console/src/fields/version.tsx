import { Box, Button, Group, TextInput } from "@mantine/core";
import { isComparableVersion } from "svc-sdk";
import { useTexts } from "../core/texts";
import { deriveComparable } from "./comparable";
import type { FieldProps } from "./field";

/** A field for a comparable version. Its button derives the value from `from`, the display version. */
export function VersionField({ from, error, ...props }: FieldProps<string> & { from?: string; placeholder?: string }) {
  const { fields } = useTexts();
  const invalid = props.value !== "" && !isComparableVersion(props.value);
  const derived = from === undefined ? null : deriveComparable(from);
  return (
    <TextInput
      maxLength={64}
      placeholder="1.2.0"
      autoComplete="off"
      spellCheck={false}
      {...props}
      onChange={(event) => props.onChange(event.currentTarget.value)}
      error={error ?? (invalid ? fields.version.invalid : undefined)}
      // Put the button beside the input, and the error below both.
      inputContainer={(input) =>
        from === undefined ? (
          input
        ) : (
          <Group gap="xs" wrap="nowrap">
            <Box flex={1}>{input}</Box>
            <Button variant="default" disabled={!derived || derived === props.value} onClick={() => derived && props.onChange(derived)}>
              {fields.version.derive}
            </Button>
          </Group>
        )
      }
    />
  );
}
