// The bar above figures: the range with its time zone, and "refresh".

import { ActionIcon, Group, SegmentedControl, Text, Tooltip } from "@mantine/core";
import { IconRefresh } from "@tabler/icons-react";
import { useIsFetching } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { type Range, type RangeName, zoneName } from "../core/range";
import { useTexts } from "../core/texts";
import { useAnsweredRange } from "./asked";
import { useWords } from "./words";

interface RangeBarProps {
  range: Range;
  setRange(name: RangeName): void;
  refresh(): void;
  names: readonly RangeName[];
  children?: ReactNode;
}

export function RangeBar({ range, setRange, refresh, names, children }: RangeBarProps) {
  const { texts } = useWords();
  const { common } = useTexts();
  const busy = useIsFetching() > 0;
  return (
    <Group gap="xs" wrap="wrap">
      {children}
      <SegmentedControl
        aria-label={texts.range}
        value={range.name}
        onChange={(name) => setRange(name as RangeName)}
        data={names.map((name) => ({ value: name, label: texts.ranges[name] }))}
      />
      <Tooltip label={common.refresh}>
        <ActionIcon variant="default" size={36} aria-label={common.refresh} onClick={refresh} aria-busy={busy}>
          <IconRefresh size={18} aria-hidden />
        </ActionIcon>
      </Tooltip>
    </Group>
  );
}

/** Start, end and time zone of the numbers on the page. */
export function RangeText({ range }: { range: Range }) {
  const about = useRangeText(useAnsweredRange(range));
  return (
    <Text size="sm" c="dimmed">
      {about}
    </Text>
  );
}

export function useRangeText(range: Range): string {
  const { texts, format } = useWords();
  const text = (seconds: number) =>
    range.granularity === "hour"
      ? `${format.day(seconds, range.offset)} ${format.hour(seconds, range.offset)}`
      : format.day(seconds, range.offset);
  return texts.zone(zoneName(range.offset), text(range.start), text(range.end));
}
