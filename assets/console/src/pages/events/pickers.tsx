// Inputs of the editors: an event among the received ones, and conditions on properties.

import { ActionIcon, Autocomplete, Button, Select, Text } from "@mantine/core";
import { IconFilterPlus, IconX } from "@tabler/icons-react";
import { useState } from "react";
import { useAsked } from "../../charts/asked";
import { useWords } from "../../charts/words";
import { useDraft } from "../../core/draft";
import { useProjectKey } from "../../core/project";
import { type Range, within } from "../../core/range";
import { useRemembered } from "../../core/storage";
import { useTexts } from "../../core/texts";
import { type Filter, type Operator, operators } from "./analysis";
import styles from "./events.module.css";
import type { EventNames } from "./names";

interface EventPickerProps {
  label: string;
  value: string;
  names: EventNames;
  onChange(name: string): void;
  /** The label of the choice ""; if undefined, the user must choose an event. */
  any?: string;
  showLabel?: boolean;
  width?: number | string;
}

/** A field that selects an event by its name or display name. The most frequent events come first. */
export function EventPicker({ label, value, names, onChange, any, showLabel = false, width = 320 }: EventPickerProps) {
  const { events: texts } = useTexts();
  const { format } = useWords();
  const known = new Map(names.list.map((event) => [event.name, event]));
  const seen = (name: string) => {
    const event = known.get(name);
    return event?.count ? format.number(event.count) : event ? texts.lastSeen(format.ago(event.seen)) : texts.neverSeen;
  };
  const data = names.list
    .filter(({ name, archived }) => !archived || name === value)
    .map(({ name, label: shown }) => ({ value: name, label: shown === name ? name : `${shown} (${name})` }));
  // The address may contain the name of an event that has no definition.
  const unknown = value && !known.has(value) ? [{ value, label: value }] : [];
  const options = [...data, ...unknown];
  return (
    <Select
      {...(showLabel ? { label } : { "aria-label": label })}
      w={width}
      maw="100%"
      size="sm"
      title={options.find((option) => option.value === value)?.label}
      classNames={{ input: styles.chosen ?? "" }}
      searchable
      clearable={any !== undefined && value !== ""}
      placeholder={any ?? texts.choose}
      nothingFoundMessage={texts.noSuchEvent}
      data={options}
      value={value || null}
      onChange={(next) => onChange(next ?? "")}
      limit={200}
      {...(names.ready &&
        value &&
        !known.get(value)?.count && { description: seen(value), inputWrapperOrder: ["label", "input", "description"] })}
      renderOption={({ option }) => (
        <span className={styles.option}>
          <span className={styles.optionName}>{option.label}</span>
          <span className={styles.optionCount}>{seen(option.value)}</span>
        </span>
      )}
    />
  );
}

const rememberedKeys = 30;

/** Returns the most recently used keys of properties, newest first, and the function that adds one. */
function useKnownKeys(): [string[], (key: string) => void] {
  const [project] = useProjectKey();
  const [text, remember] = useRemembered(`properties.${project}`);
  const keys = (text ?? "").split("\n").filter(Boolean);
  return [
    keys,
    (key) => {
      if (key && keys[0] !== key) {
        remember([key, ...keys.filter((other) => other !== key)].slice(0, rememberedKeys).join("\n"));
      }
    },
  ];
}

interface KeyInputProps {
  value: string;
  onChange(key: string): void;
  label: string;
  showLabel?: boolean;
  /** The event whose keys are offered; "" offers those of all events. */
  event: string;
  range: Range;
}

/** The key of a property: one that events of the range have, a recently used one, or any text. */
export function KeyInput({ value, onChange, label, showLabel = false, event, range }: KeyInputProps) {
  const [recent, noteKey] = useKnownKeys();
  const [used, setUsed] = useState(false);
  const { data: seen = [] } = useAsked({
    key: ["property-keys", event, range.start, range.end],
    ask: (admin, signal) => admin.getPropertyKeys({ ...within(range), limit: 200, ...(event && { event_name: event }) }, { signal }),
    select: ({ data }) => data.map(({ key }) => key),
    enabled: used, // the first view of a page has more urgent questions
  });
  const draft = useDraft(value, (key) => {
    noteKey(key);
    onChange(key);
  });
  return (
    <Autocomplete
      {...(showLabel ? { label } : { "aria-label": label })}
      size="sm"
      w={160}
      placeholder={label}
      data={[...new Set([...seen, ...recent])]}
      limit={200}
      onFocus={() => setUsed(true)}
      maxLength={128}
      autoCapitalize="off"
      spellCheck={false}
      {...draft}
    />
  );
}

interface ConditionProps {
  filter: Filter;
  onChange(parts: Partial<Filter>): void;
  onRemove(): void;
  /** The event that provides the offered keys and values. */
  event: string;
  range: Range;
}

function Condition({ filter, onChange, onRemove, event, range }: ConditionProps) {
  const { events } = useTexts();
  const texts = events.conditions;
  const draft = useDraft(filter.value, (value) => onChange({ value }));
  const { data: values } = useAsked({
    key: ["property-values", event, filter.property, range.start, range.end],
    ask: async (admin, signal) => {
      const { data } = await admin.getEventBreakdown(
        { ...within(range), dimension: "property", property_key: filter.property, limit: 50, ...(event && { event_name: event }) },
        { signal },
      );
      return [...new Set(data.map(({ key }) => key).filter(Boolean))];
    },
    enabled: filter.property !== "",
  });
  const withValue = filter.op !== "exists" && filter.op !== "not_exists";
  const many = filter.op === "in" || filter.op === "not_in";
  return (
    <div className={styles.line}>
      <Text size="sm" c="dimmed">
        {texts.where}
      </Text>
      <KeyInput
        value={filter.property}
        onChange={(property) => onChange({ property })}
        label={texts.property}
        event={event}
        range={range}
      />
      <Select
        aria-label={texts.operator}
        size="sm"
        w={140}
        allowDeselect={false}
        value={filter.op}
        data={operators.map((op) => ({ value: op, label: texts.operators[op] }))}
        onChange={(op) => op && onChange({ op: op as Operator })}
      />
      {withValue && (
        <Autocomplete
          aria-label={many ? texts.list : texts.value}
          placeholder={many ? texts.list : texts.value}
          size="sm"
          w={200}
          maxLength={512}
          data={many ? [] : (values ?? [])}
          autoCapitalize="off"
          spellCheck={false}
          {...draft}
        />
      )}
      <ActionIcon variant="subtle" color="gray" aria-label={texts.remove} onClick={onRemove}>
        <IconX size={16} aria-hidden />
      </ActionIcon>
    </div>
  );
}

interface ConditionsProps {
  filters: readonly Filter[];
  /** Called with a function that computes the new conditions from the current ones. */
  onChange(next: (filters: readonly Filter[]) => Filter[]): void;
  event: string;
  range: Range;
}

/** Fields for conditions, all of which an event must meet. */
export function Conditions({ filters, onChange, event, range }: ConditionsProps) {
  return filters.map((filter, index) => (
    <Condition
      key={index}
      filter={filter}
      event={event}
      range={range}
      onChange={(parts) => onChange((filters) => filters.map((other, at) => (at === index ? { ...other, ...parts } : other)))}
      onRemove={() => onChange((filters) => filters.filter((_, at) => at !== index))}
    />
  ));
}

/** A button that adds a condition. There can be at most ten. */
export function AddCondition({ filters, onChange }: Pick<ConditionsProps, "filters" | "onChange">) {
  const { events } = useTexts();
  return (
    <Button
      variant="subtle"
      size="compact-sm"
      leftSection={<IconFilterPlus size={14} aria-hidden />}
      disabled={filters.length >= 10}
      onClick={() => onChange((filters) => [...filters, { property: "", op: "eq", value: "" }])}
    >
      {events.conditions.add}
    </Button>
  );
}
