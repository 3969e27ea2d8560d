// The page for custom queries. It shows up to six counts of events: over time, by group, or as a
// single number.

import { ActionIcon, Button, Divider, Group, NumberInput, Paper, Select, Text, TextInput } from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import type { MetricInput } from "svc-sdk";
import { jsonParam, textParam, useParams } from "../../core/address";
import { useDraft } from "../../core/draft";
import type { Range } from "../../core/range";
import { useTexts } from "../../core/texts";
import { Segments } from "../../fields/segments";
import { aliases, filtersFrom, formulaProblem, measures, metricFrom } from "./analysis";
import { useEditedCard } from "./cards";
import styles from "./events.module.css";
import { EventsFrame } from "./frame";
import { useEventNames } from "./names";
import { AddCondition, Conditions, EventPicker, KeyInput } from "./pickers";
import { Result } from "./result";

const params = { query: jsonParam(metricFrom), card: textParam };

export default function ExplorePage() {
  return (
    <EventsFrame page="explore" operations={["analyseMetric", "listEventDefinitions", "createCard"]}>
      {(range) => <Explore range={range} />}
    </EventsFrame>
  );
}

function Explore({ range }: { range: Range }) {
  const { events: all } = useTexts();
  const texts = all.explore;
  const names = useEventNames(range);
  const [{ query, card: cardId }, change] = useParams(params);
  const card = useEditedCard(cardId);
  const set = (parts: Partial<MetricInput> | ((query: MetricInput) => Partial<MetricInput>)) =>
    change(({ query }) => ({ query: { ...query, ...(typeof parts === "function" ? parts(query) : parts) } }));
  const { type, events, group_by: group } = query;
  const formula = useDraft(query.formula ?? "", (text) => set({ formula: text }));
  const shared = filtersFrom(query.filters);
  const problem = formulaProblem(
    query.formula ?? "",
    events.map(({ alias }) => alias),
  );
  const breakdown = type === "breakdown";
  const byEvent = breakdown && group?.kind === "event";
  // A breakdown uses only the first query.
  const shown = breakdown ? events.slice(0, 1) : events;
  const put = (alias: string, parts: (event: (typeof events)[number]) => Partial<(typeof events)[number]>) =>
    set(({ events }) => ({ events: events.map((event) => (event.alias === alias ? { ...event, ...parts(event) } : event)) }));
  const add = () =>
    set(({ events }) => {
      const alias = aliases.find((letter) => !events.some((event) => event.alias === letter));
      return alias ? { events: [...events, { name: "", alias, measure: "count", filters: [] }] } : {};
    });
  return (
    <>
      <Paper withBorder className={styles.editor}>
        <Group gap="md" align="flex-end">
          <Segments
            label={texts.type}
            value={type}
            choices={(["timeseries", "breakdown", "value"] as const).map((value) => ({ value, label: texts.types[value] }))}
            onChange={(next) => set({ type: next })}
          />
          {type === "timeseries" && (
            <Select
              label={texts.granularity}
              w={140}
              allowDeselect={false}
              value={query.granularity ?? ""}
              data={(["", "hour", "day"] as const).map((value) => ({ value, label: texts.granularities[value] }))}
              onChange={(next) => {
                change(({ query: { granularity: _, ...rest } }) => ({ query: next ? { ...rest, granularity: next } : rest }));
              }}
            />
          )}
          {breakdown && (
            <>
              <Select
                label={texts.group}
                w={140}
                allowDeselect={false}
                value={group?.kind ?? "platform"}
                data={(["platform", "region", "event", "property"] as const).map((value) => ({ value, label: all.groups[value] }))}
                onChange={(kind) => kind && set(({ group_by }) => ({ group_by: { kind, key: group_by?.key ?? "" } }))}
              />
              {group?.kind === "property" && (
                <KeyInput
                  showLabel
                  label={texts.key}
                  value={group.key ?? ""}
                  onChange={(key) => set(({ group_by }) => ({ group_by: { kind: group_by?.kind ?? "property", key } }))}
                  event={events[0]?.name ?? ""}
                  range={range}
                />
              )}
              <NumberInput
                label={texts.limit}
                w={90}
                min={1}
                max={50}
                value={query.limit ?? 10}
                onChange={(limit) => typeof limit === "number" && limit >= 1 && limit <= 50 && set({ limit })}
              />
            </>
          )}
        </Group>
        <Divider />
        {shown.map((event) => {
          const filters = filtersFrom(event.filters);
          return (
            <div key={event.alias}>
              <div className={styles.line}>
                <span className={styles.letter}>{event.alias}</span>
                {!byEvent && (
                  <EventPicker
                    label={texts.query(event.alias)}
                    value={event.name}
                    names={names}
                    onChange={(name) => put(event.alias, () => ({ name }))}
                  />
                )}
                <Select
                  aria-label={`${texts.query(event.alias)}: ${all.measure}`}
                  size="sm"
                  w={160}
                  allowDeselect={false}
                  value={event.measure ?? "count"}
                  data={measures.map((measure) => ({ value: measure, label: all.measures[measure] }))}
                  onChange={(measure) => measure && put(event.alias, () => ({ measure }))}
                />
                {!byEvent && (
                  <AddCondition
                    filters={filters}
                    onChange={(next) => put(event.alias, ({ filters }) => ({ filters: next(filtersFrom(filters)) }))}
                  />
                )}
                {events.length > 1 && !breakdown && (
                  <ActionIcon
                    ml="auto"
                    variant="subtle"
                    color="gray"
                    aria-label={texts.remove(event.alias)}
                    onClick={() => set(({ events }) => ({ events: events.filter(({ alias }) => alias !== event.alias) }))}
                  >
                    <IconTrash size={16} aria-hidden />
                  </ActionIcon>
                )}
              </div>
              {filters.length > 0 && !byEvent && (
                <div className={styles.conditions} style={{ marginTop: 8 }}>
                  <Conditions
                    filters={filters}
                    event={event.name}
                    range={range}
                    onChange={(next) => put(event.alias, ({ filters }) => ({ filters: next(filtersFrom(filters)) }))}
                  />
                </div>
              )}
            </div>
          );
        })}
        {!breakdown && (
          <Group gap="md" align="flex-end">
            <Button
              variant="light"
              size="xs"
              leftSection={<IconPlus size={14} aria-hidden />}
              disabled={events.length >= aliases.length}
              onClick={add}
            >
              {texts.add}
            </Button>
          </Group>
        )}
        <div className={styles.line}>
          <Text size="sm" c="dimmed">
            {texts.allConditions}
          </Text>
          <AddCondition filters={shared} onChange={(next) => set(({ filters }) => ({ filters: next(filtersFrom(filters)) }))} />
        </div>
        {shared.length > 0 && (
          <div className={styles.conditions}>
            <Conditions
              filters={shared}
              event={byEvent ? "" : (events[0]?.name ?? "")}
              range={range}
              onChange={(next) => set(({ filters }) => ({ filters: next(filtersFrom(filters)) }))}
            />
          </div>
        )}
        {!breakdown && (
          <TextInput
            label={texts.formula}
            description={texts.formulaHint}
            maw={420}
            maxLength={256}
            spellCheck={false}
            value={formula.value}
            onChange={(event) => formula.onChange(event.currentTarget.value)}
            onBlur={formula.onBlur}
            error={problem && (problem === "syntax" ? texts.formulaWrong : texts.noQuery(problem.letter))}
          />
        )}
      </Paper>
      <Result
        title={card?.title ?? all.result}
        definition={all.definitionTexts.explore}
        question={{ kind: "metric", query }}
        range={range}
        names={names}
        card={card}
        height={300}
        legend={type === "timeseries"}
        narrow={(value) =>
          set(({ filters, group_by }) => ({
            filters: [
              ...filtersFrom(filters).filter(({ property }) => property !== group_by?.key),
              { property: group_by?.key ?? "", op: "eq" as const, value },
            ],
          }))
        }
        wrong={!breakdown && problem !== null}
      />
    </>
  );
}
