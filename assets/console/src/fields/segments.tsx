// A field with a few options, shown side by side below its label.

import { SegmentedControl, Stack, Text } from "@mantine/core";
import { useEffect, useRef } from "react";

interface Props<T extends string> {
  label: string;
  value: T;
  choices: { value: T; label: string }[];
  onChange(value: T): void;
}

export function Segments<T extends string>({ label, value, choices, onChange }: Props<T>) {
  const root = useRef<HTMLDivElement>(null);
  // If there is no room for all options, the control scrolls sideways. Show the chosen one.
  useEffect(() => {
    const control = root.current;
    const chosen = control?.querySelector("label[data-active]");
    if (control && chosen) {
      control.scrollLeft += chosen.getBoundingClientRect().right - control.getBoundingClientRect().right;
    }
  }, []);
  return (
    <Stack gap={4} align="flex-start" maw="100%">
      <Text size="sm" fw={600}>
        {label}
      </Text>
      <SegmentedControl ref={root} aria-label={label} value={value} data={choices} onChange={(next) => onChange(next as T)} />
    </Stack>
  );
}
