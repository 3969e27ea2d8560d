// A field with a few options, shown side by side below its label. If there is no room for that, the
// options are stacked.

import { SegmentedControl, Stack, Text } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";

const narrow = "(max-width: 28em)";

interface Props<T extends string> {
  label: string;
  value: T;
  choices: { value: T; label: string }[];
  onChange(value: T): void;
}

export function Segments<T extends string>({ label, value, choices, onChange }: Props<T>) {
  const below = useMediaQuery(narrow, false, { getInitialValueInEffect: false });
  return (
    <Stack gap={4} align="flex-start" maw="100%">
      <Text size="sm" fw={600}>
        {label}
      </Text>
      <SegmentedControl
        aria-label={label}
        orientation={below ? "vertical" : "horizontal"}
        value={value}
        data={choices}
        onChange={(next) => onChange(next as T)}
      />
    </Stack>
  );
}
