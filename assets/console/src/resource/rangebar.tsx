// The bar above figures. It selects the range, by its name or by a start and an end, and has a
// button that refreshes the figures.

import { ActionIcon, Button, Group, Popover, SegmentedControl, Stack, Text, Tooltip } from "@mantine/core";
import { IconCalendar, IconRefresh } from "@tabler/icons-react";
import { useIsFetching } from "@tanstack/react-query";
import { type FormEvent, useRef, useState } from "react";
import { now } from "../core/clock";
import { type Range, type RangeName, rangeBetween } from "../core/range";
import { useTexts } from "../core/texts";
import type { RangeState } from "../core/userange";
import { useChosenInView } from "../fields/segments";
import { TimeField } from "../fields/time";

interface RangeBarProps {
  state: RangeState;
  names: readonly RangeName[];
}

export function RangeBar({ state: { range, setRange, setBetween, refresh }, names }: RangeBarProps) {
  const { common, charts: texts } = useTexts();
  const busy = useIsFetching() > 0;
  const segments = useRef<HTMLDivElement>(null);
  useChosenInView(segments, range.name ?? "");
  return (
    <Group gap={4} wrap="nowrap" maw="100%">
      <SegmentedControl
        ref={segments}
        miw={0}
        aria-label={texts.range}
        value={range.name ?? ""}
        onChange={(name) => setRange(name as RangeName)}
        data={names.map((name) => ({ value: name, label: texts.ranges[name] }))}
      />
      <OwnRange range={range} setBetween={setBetween} />
      <Tooltip label={common.refresh}>
        <ActionIcon variant="default" size={36} aria-label={common.refresh} onClick={refresh} aria-busy={busy}>
          <IconRefresh size={18} aria-hidden />
        </ActionIcon>
      </Tooltip>
    </Group>
  );
}

/** A form for the start and the end of the range. */
function OwnRange({ range, setBetween }: { range: Range; setBetween: RangeState["setBetween"] }) {
  const { charts: texts } = useTexts();
  const [opened, show] = useState(false);
  const own = range.name === null;
  return (
    <Popover opened={opened} onChange={show} trapFocus returnFocus position="bottom-end" shadow="md" width={280}>
      <Popover.Target>
        <Tooltip label={texts.own.open}>
          <ActionIcon
            variant={own ? "filled" : "default"}
            size={36}
            aria-label={texts.own.open}
            aria-pressed={own}
            onClick={() => show(!opened)}
          >
            <IconCalendar size={18} aria-hidden />
          </ActionIcon>
        </Tooltip>
      </Popover.Target>
      <Popover.Dropdown aria-label={texts.own.open}>
        {opened && (
          <RangeForm
            range={range}
            onChosen={(from, to) => {
              setBetween(from, to);
              show(false);
            }}
          />
        )}
      </Popover.Dropdown>
    </Popover>
  );
}

function RangeForm({ range, onChosen }: { range: Range; onChosen(from: number, to: number): void }) {
  const { charts: texts } = useTexts();
  const [from, setFrom] = useState<number | null>(range.start);
  const [to, setTo] = useState<number | null>(range.end);
  const [error, setError] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (from !== null && to !== null && rangeBetween(from, to, Math.floor(now()), range.offset)) {
      onChosen(from, to);
    } else {
      setError(texts.own.wrong);
    }
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <TimeField label={texts.own.from} value={from} onChange={setFrom} error={error} description="" nested />
        <TimeField label={texts.own.to} value={to} onChange={setTo} nested />
        <Text size="xs" c="dimmed">
          {texts.own.hint}
        </Text>
        <Button type="submit" size="xs">
          {texts.own.apply}
        </Button>
      </Stack>
    </form>
  );
}
