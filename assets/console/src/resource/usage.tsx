// The decisions of the update check about the apps in use: the current ones, and those after a
// change that has not been saved.

import { Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type GetVersionUsageQuery, isComparableVersion } from "svc-sdk";
import { clientOf } from "../core/client";
import { useFormat } from "../core/format";
import { Room } from "../core/room";
import { useTexts } from "../core/texts";
import { isAbove } from "../fields/comparable";

/**
 * Returns the update checks of the last seven days, by decision and version. If `change` describes
 * a change, the decisions are those after the change.
 */
export function useUsage(project: string, change: GetVersionUsageQuery = {}, enabled = true) {
  return useQuery({
    // The key begins with "versions", so that changes of versions also refresh these numbers.
    queryKey: ["versions", project, "usage", JSON.stringify(change)],
    queryFn: ({ signal }) => clientOf(project).admin.getVersionUsage(change, { signal }),
    enabled: enabled && project !== "",
    staleTime: 60_000,
    retry: false,
    placeholderData: keepPreviousData,
  });
}

/** A number of update checks that stands for one that has not been loaded yet. */
const typical = 10_000;

/** Shows how many apps would have to update, and to which version, if a version were deprecated. */
export function DeprecationEffect({ project, id }: { project: string; id: string }) {
  const { effect: texts } = useTexts().fields;
  const format = useFormat();
  const now = useUsage(project);
  const then = useUsage(project, { deprecate: id });
  if (then.error && !then.data) {
    // If the change would be refused, the form itself explains that, so show nothing here.
    return null;
  }
  const text = () => {
    if (!now.data || !then.data) {
      return texts.counting;
    }
    const line = then.data.data.find((one) => one.id === id);
    if (!line) {
      return texts.nobody;
    }
    const said = texts.deprecation(format.number(line.checks), line.target ?? "");
    return line.target && !line.target_has_file ? `${said} ${texts.noFile(line.target)}` : said;
  };
  return <Room of={texts.deprecation(format.number(typical), "10.10.10")}>{text()}</Room>;
}

/** Shows how many apps would have to update with another range of optional updates. */
export function RangeEffect({ project, min, max }: { project: string; min: string; max: string }) {
  const { effect: texts } = useTexts().fields;
  const format = useFormat();
  const [change] = useDebouncedValue(
    { optional_update_min_comparable_version: min.trim(), optional_update_max_comparable_version: max.trim() },
    250,
  );
  const now = useUsage(project);
  const bounds = [change.optional_update_min_comparable_version, change.optional_update_max_comparable_version] as const;
  const valid = bounds.every((bound) => bound === "" || isComparableVersion(bound)) && !isAbove(...bounds);
  const then = useUsage(project, change, valid);
  const counts = (usage: { required: number; optional: number }) => [format.number(usage.required), format.number(usage.optional)] as const;
  const many = format.number(typical);
  const text = () => {
    if (!valid || then.error) {
      return "";
    }
    if (!now.data || !then.data) {
      return texts.counting;
    }
    const [before, after] = [counts(now.data), counts(then.data)];
    return before.join() === after.join() ? texts.unchanged(...after) : texts.range(...before, ...after);
  };
  return (
    <Text size="sm" role="status">
      <Room of={texts.range(many, many, many, many)}>{text()}</Room>
    </Text>
  );
}
