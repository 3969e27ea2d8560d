// Funnels: how many users go through two to eight events in sequence, and where they stop.

import { ActionIcon, Button, Group, Paper, SegmentedControl, Select, Text } from "@mantine/core";
import { IconArrowDown, IconArrowUp, IconPlus, IconTrash } from "@tabler/icons-react";
import { choiceParam, jsonParam, textParam, useParams } from "../../core/address";
import type { Range } from "../../core/range";
import { useTexts } from "../../core/texts";
import { type FunnelQuestion, fewestSteps, mostSteps, moved, type Step, stepsFrom, windows } from "./analysis";
import { useEditedCard } from "./cards";
import styles from "./events.module.css";
import { EventsFrame } from "./frame";
import { useEventNames } from "./names";
import { AddCondition, Conditions, EventPicker } from "./pickers";
import { Result } from "./result";

const params = {
  steps: jsonParam(stepsFrom),
  window: choiceParam(["604800", "3600", "86400", "2592000"]),
  entry: choiceParam(["first", "any"]),
  card: textParam,
};

export default function FunnelPage() {
  return (
    <EventsFrame page="funnel" operations={["analyseFunnel", "listEventDefinitions", "createCard"]}>
      {(range) => <Funnel range={range} />}
    </EventsFrame>
  );
}

function Funnel({ range }: { range: Range }) {
  const { events } = useTexts();
  const texts = events.funnel;
  const names = useEventNames(range);
  const [{ steps, window, entry, card: cardId }, change] = useParams(params);
  const card = useEditedCard(cardId);
  const question: FunnelQuestion = { kind: "funnel", steps, window_seconds: Number(window), entry };
  const set = (next: (steps: Step[]) => Step[]) => change(({ steps }) => ({ steps: next(steps) }));
  const put = (index: number, parts: (step: Step) => Partial<Step>) =>
    set((steps) => steps.map((step, at) => (at === index ? { ...step, ...parts(step) } : step)));
  const move = (index: number, by: number) => set((steps) => moved(steps, index, index + by));
  return (
    <>
      <Paper withBorder className={styles.editor}>
        {steps.map((step, index) => (
          <div key={index}>
            <div className={styles.line}>
              <span className={styles.letter}>{index + 1}</span>
              <EventPicker
                label={texts.step(index + 1)}
                value={step.event_name}
                names={names}
                onChange={(name) => put(index, () => ({ event_name: name }))}
              />
              <AddCondition filters={step.filters} onChange={(next) => put(index, ({ filters }) => ({ filters: next(filters) }))} />
              <Group gap={2} ml="auto">
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  aria-label={texts.up(index + 1)}
                  disabled={index === 0}
                  onClick={() => move(index, -1)}
                >
                  <IconArrowUp size={16} aria-hidden />
                </ActionIcon>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  aria-label={texts.down(index + 1)}
                  disabled={index === steps.length - 1}
                  onClick={() => move(index, 1)}
                >
                  <IconArrowDown size={16} aria-hidden />
                </ActionIcon>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  aria-label={texts.remove(index + 1)}
                  disabled={steps.length <= fewestSteps}
                  onClick={() => set((steps) => (steps.length > fewestSteps ? steps.filter((_, at) => at !== index) : steps))}
                >
                  <IconTrash size={16} aria-hidden />
                </ActionIcon>
              </Group>
            </div>
            {step.filters.length > 0 && (
              <div className={styles.conditions} style={{ marginTop: 8 }}>
                <Conditions
                  filters={step.filters}
                  event={step.event_name}
                  range={range}
                  onChange={(next) => put(index, ({ filters }) => ({ filters: next(filters) }))}
                />
              </div>
            )}
          </div>
        ))}
        <Group justify="space-between" gap="sm">
          <Button
            variant="light"
            size="xs"
            leftSection={<IconPlus size={14} aria-hidden />}
            disabled={steps.length >= mostSteps}
            onClick={() => set((steps) => (steps.length < mostSteps ? [...steps, { event_name: "", filters: [] }] : steps))}
          >
            {texts.add}
          </Button>
          <Group gap="sm">
            <Group gap={8}>
              <Text size="sm" c="dimmed">
                {texts.window}
              </Text>
              <Select
                aria-label={texts.window}
                size="xs"
                w={110}
                allowDeselect={false}
                value={window}
                data={windows.map((seconds) => ({ value: String(seconds), label: texts.windows[seconds] ?? String(seconds) }))}
                onChange={(next) => next && change({ window: next as typeof window })}
              />
            </Group>
            <Group gap={8}>
              <Text size="sm" c="dimmed">
                {texts.entry}
              </Text>
              <SegmentedControl
                aria-label={texts.entry}
                size="xs"
                value={entry}
                data={(["first", "any"] as const).map((value) => ({ value, label: texts.entries[value] }))}
                onChange={(next) => change({ entry: next as typeof entry })}
              />
            </Group>
          </Group>
        </Group>
      </Paper>
      <Result
        title={card?.title ?? texts.title}
        definition={events.definitionTexts.funnel}
        question={question}
        range={range}
        names={names}
        card={card}
        height={360}
        note
      />
    </>
  );
}
