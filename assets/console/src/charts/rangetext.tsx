// The range of the figures of a page, as a text.

import { Text } from "@mantine/core";
import { type Range, zoneName } from "../core/range";
import { useAnsweredRange } from "./asked";
import { useWords } from "./words";

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
