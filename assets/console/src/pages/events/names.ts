// Display names of events, with their counts.

import { useMemo } from "react";
import { useAsked } from "../../charts/asked";
import type { Admin } from "../../core/client";
import { type Range, within } from "../../core/range";

export interface EventName {
  name: string;
  /** The display name or, if there is none, the name. */
  label: string;
  /** The number of events in the range. */
  count: number;
  /** Unix seconds of the newest event. */
  seen: number;
  archived: boolean;
}

export interface EventNames {
  list: readonly EventName[];
  labelOf(name: string): string;
  /** Whether the names have been loaded. */
  ready: boolean;
}

/** Returns the query for all names of events, the most frequent first. */
export const namesQuestion = (range: Range) => ({
  key: ["event-names", range.start, range.end],
  ask: async (admin: Admin, signal: AbortSignal) => {
    const names: EventName[] = [];
    const query = { ...within(range), include_archived: true };
    for await (const event of admin.iterEventDefinitions(query as never, { signal })) {
      const { name, display_name, range_count: count, last_seen_time: seen, archived } = event;
      names.push({ name, label: display_name || name, count, seen, archived });
    }
    return names.sort((a, b) => b.count - a.count || a.name.localeCompare(b.name));
  },
});

export function useEventNames(range: Range): EventNames {
  const { data } = useAsked(namesQuestion(range));
  return useMemo(() => {
    const labels = new Map(data?.map(({ name, label }) => [name, label]));
    return { list: data ?? [], labelOf: (name) => labels.get(name) ?? name, ready: data !== undefined };
  }, [data]);
}
