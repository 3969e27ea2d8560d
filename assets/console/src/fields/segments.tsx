// A field with a few options, shown side by side below its label. In a narrow place, their texts wrap.

import { SegmentedControl, Stack, Text } from "@mantine/core";
import { type RefObject, useEffect, useRef } from "react";
import classes from "./fields.module.css";

interface Props<T extends string> {
  label: string;
  value: T;
  choices: { value: T; label: string }[];
  onChange(value: T): void;
}

/** Scrolls a control that has no room for all its options, so that the chosen one is visible. */
export function useChosenInView(root: RefObject<HTMLElement | null>, value: string): void {
  useEffect(() => {
    const control = root.current;
    const chosen = control?.querySelector("label[data-active]");
    if (control && chosen) {
      const [area, box] = [control.getBoundingClientRect(), chosen.getBoundingClientRect()];
      control.scrollLeft += Math.max(0, box.right - area.right) - Math.max(0, area.left - box.left);
    }
  }, [root, value]);
}

export function Segments<T extends string>({ label, value, choices, onChange }: Props<T>) {
  const root = useRef<HTMLDivElement>(null);
  useChosenInView(root, value);
  return (
    <Stack gap={4} align="flex-start" maw="100%">
      <Text size="sm" fw={600}>
        {label}
      </Text>
      <SegmentedControl
        ref={root}
        classNames={{ control: classes["segment"]!, label: classes["segmentLabel"]! }}
        aria-label={label}
        value={value}
        data={choices}
        onChange={(next) => onChange(next as T)}
      />
    </Stack>
  );
}
