// Filters of the page by a platform, a region or an endpoint. They are in the address, and shown as
// chips that remove them.

import { Button, Group, Text } from "@mantine/core";
import { IconX } from "@tabler/icons-react";
import { useCallback, useMemo, useRef } from "react";
import { platformName, regionName } from "../../charts/names";
import { useWords } from "../../charts/words";
import { choiceParam, type Param, useParams } from "../../core/address";
import { useTexts } from "../../core/texts";
import styles from "./filter.module.css";

export const dimensions = ["platform", "region", "endpoint"] as const;

export type Dimension = (typeof dimensions)[number];

/** The filters that are set. */
export type Filter = Partial<Record<Dimension, string>>;

/** A country by its letters, or one of the regions without a country. */
const regionParam: Param<string> = {
  parse: (text = "") => (/^([A-Z]{2}|LOCAL|UNKNOWN)$/.test(text) ? text : ""),
  format: (value) => value || undefined,
};

const params = {
  platform: choiceParam(["", "WINDOWS", "LINUX", "MACOS", "IOS", "ANDROID", "WEB", "OTHERS"]) as Param<string>,
  region: regionParam,
  endpoint: choiceParam([
    "",
    "PROJECT_DETAIL",
    "VERSION_LIST",
    "VERSION_LATEST",
    "VERSION_LATEST_PREVIEW",
    "VERSION_BY_VERSION",
    "VERSION_ASSETS",
    "VERSION_NOTES",
    "FEED",
    "VERSION_CHECK_UPDATE",
    "ANNOUNCEMENT_LIST",
    "ANNOUNCEMENT_LATEST",
    "FEEDBACK_SUBMIT",
    "LOG_UPLOAD",
    "EVENT_INGEST",
  ]) as Param<string>,
};

/** The filters in the address, of all dimensions or of some. */
export function useFilter(of: readonly Dimension[] = dimensions): Filter {
  const [values] = useParams(params);
  return useMemo(() => Object.fromEntries(of.filter((name) => values[name]).map((name) => [name, values[name]])), [values, of]);
}

/** Properties of a bar that filters the page by its value, or removes that filter. */
export function useSelect(dimension: Dimension) {
  const [values, change] = useParams(params);
  const selected = values[dimension];
  return useCallback(
    (value: string) => ({
      id: value,
      selected: selected === value,
      select: () => change({ [dimension]: selected === value ? "" : value }),
    }),
    [change, dimension, selected],
  );
}

/** The name of a filtered value. */
function useNames(): (dimension: Dimension, value: string) => string {
  const { statistics: texts } = useTexts();
  const words = useWords();
  const names: Record<Dimension, (value: string) => string> = {
    platform: (value) => platformName(value, words),
    region: (value) => regionName(value, words),
    endpoint: (value) => texts.endpointNames[value] ?? value,
  };
  return (dimension, value) => names[dimension](value);
}

/** The filters that apply to a figure, as texts, and a sentence about those that cannot. */
export function useApplied(applied: readonly Dimension[]): { names: string[]; caveat: string | undefined } {
  const { filter: texts } = useTexts().statistics;
  const { format } = useWords();
  const nameOf = useNames();
  const filter = useFilter();
  const set = dimensions.filter((name) => filter[name]);
  const others = set.filter((name) => !applied.includes(name));
  return {
    names: set.filter((name) => applied.includes(name)).map((name) => nameOf(name, filter[name]!)),
    caveat: others.length > 0 ? texts.unfiltered(format.list(others.map((name) => texts.names[name]))) : undefined,
  };
}

/** The filters as chips, or how to set one. It has the same height in both cases. */
export function FilterBar() {
  const { statistics: texts, common } = useTexts();
  const bar = useRef<HTMLDivElement>(null);
  const nameOf = useNames();
  const [values, change] = useParams(params);
  const set = dimensions.filter((name) => values[name]);
  const remove = (names: readonly Dimension[]) => {
    change(Object.fromEntries(names.map((name) => [name, ""])));
    // The pressed chip is about to disappear.
    bar.current?.focus({ preventScroll: true });
  };
  const kinds: Record<Dimension, string> = { platform: texts.platform, region: texts.origin, endpoint: texts.endpoint };
  return (
    <Group
      ref={bar}
      className={styles["bar"] ?? ""}
      gap={8}
      role="group"
      aria-label={texts.filter.label}
      tabIndex={-1}
      data-set={set.length > 0 || undefined}
    >
      {set.length === 0 && (
        <Text size="sm" c="dimmed">
          {texts.filter.hint}
        </Text>
      )}
      {set.map((name) => (
        <Button
          key={name}
          size="compact-sm"
          variant="light"
          rightSection={<IconX size={14} aria-hidden />}
          aria-label={texts.filter.remove(kinds[name], nameOf(name, values[name]))}
          onClick={() => remove([name])}
        >
          {kinds[name]}&ensp;<bdi className={styles["value"]}>{nameOf(name, values[name])}</bdi>
        </Button>
      ))}
      {set.length > 1 && (
        <Button size="compact-sm" variant="subtle" onClick={() => remove(set)}>
          {common.reset}
        </Button>
      )}
    </Group>
  );
}
