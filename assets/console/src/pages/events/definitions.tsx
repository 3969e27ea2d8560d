// The page of event definitions. A definition has a display name and a description, and can be
// archived.

import { Textarea, TextInput } from "@mantine/core";
import { IconArchive, IconArchiveOff, IconChartLine } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useRef } from "react";
import type { EventDefinition } from "svc-sdk";
import { RangeText } from "../../charts/rangetext";
import { useFormat } from "../../core/format";
import { useGo } from "../../core/go";
import { useProjectKey } from "../../core/project";
import { within } from "../../core/range";
import { useTexts } from "../../core/texts";
import { Tone } from "../../core/tone";
import { useRange } from "../../core/userange";
import { plainText } from "../../fields/plain";
import { useChange } from "../../resource/change";
import { ResourcePage } from "../../resource/page";
import { RangeBar } from "../../resource/rangebar";
import type { Resource } from "../../resource/resource";
import { currentRange, EventsTabs, ranges } from "./frame";
import { FirstEvent } from "./start";

interface Draft {
  display_name: string;
  description: string;
}

export default function DefinitionsPage() {
  const texts = useTexts();
  const { definitions } = texts.events;
  const format = useFormat();
  const go = useGo();
  const queries = useQueryClient();
  const [project] = useProjectKey();
  const state = useRange(ranges);
  const { range } = state;
  const change = useChange<EventDefinition>(
    "definitions",
    ({ event_definition_id }) => event_definition_id,
    // The response to a change does not contain the count for the range, so keep the previous one.
    async (admin, before, { archived }) => ({
      ...(await admin.updateEventDefinition(before.event_definition_id, { archived })),
      range_count: before.range_count,
    }),
  );
  // The counts depend on the range, but the range is not a filter of the list. So request the list
  // again when the range changes.
  const asked = useRef(`${range.start} ${range.end}`);
  useEffect(() => {
    const next = `${range.start} ${range.end}`;
    if (asked.current !== next) {
      asked.current = next;
      void queries.invalidateQueries({ queryKey: ["definitions", project] });
    }
  }, [queries, project, range.start, range.end]);

  const resource = useMemo(
    (): Resource<EventDefinition, Draft> => ({
      name: "definitions",
      title: texts.frame.pages.events,
      noun: definitions.noun,
      id: ({ event_definition_id }) => event_definition_id,
      label: ({ name, display_name }) => display_name || name,
      columns: [
        { id: "name", title: definitions.name, width: 220, phone: true, render: ({ name }) => name, text: ({ name }) => name },
        {
          id: "display_name",
          title: definitions.displayName,
          width: 200,
          phone: true,
          render: ({ display_name }) => display_name,
          text: ({ display_name }) => display_name ?? "",
        },
        {
          id: "description",
          spare: true,
          title: definitions.description,
          render: ({ description }) => plainText(description ?? ""),
          text: ({ description }) => description ?? "",
        },
        {
          id: "range_count",
          title: definitions.count,
          width: 130,
          align: "right",
          phone: true,
          render: ({ range_count }) => format.number(range_count),
        },
        { id: "last_seen_time", title: definitions.lastSeen, width: 180, render: ({ last_seen_time }) => format.time(last_seen_time) },
        {
          id: "first_seen_time",
          title: definitions.firstSeen,
          width: 180,
          hidden: true,
          render: ({ first_seen_time }) => format.time(first_seen_time),
        },
        {
          id: "archived",
          spare: true,
          title: definitions.archived,
          width: 110,
          render: ({ archived }) => archived && <Tone tone="neutral">{definitions.archived}</Tone>,
          text: ({ archived }) => (archived ? texts.common.yes : texts.common.no),
        },
        {
          id: "event_definition_id",
          title: definitions.id,
          width: 240,
          hidden: true,
          render: ({ event_definition_id }) => event_definition_id,
        },
      ],
      filters: [{ id: "archived", kind: "switch", label: definitions.showArchived, query: () => ({ include_archived: "true" }) }],
      list: (admin, query, signal) => admin.listEventDefinitions({ ...query, ...within(range) } as never, { signal }),
      dimmed: ({ archived }) => archived,
      form: {
        empty: () => ({ display_name: "", description: "" }),
        from: ({ display_name, description }) => ({ display_name: display_name ?? "", description: description ?? "" }),
        render: ({ bind }) => (
          <>
            <TextInput label={definitions.displayName} maxLength={128} data-autofocus {...bind("display_name")} />
            <Textarea label={definitions.description} maxLength={512} autosize minRows={3} {...bind("description")} />
          </>
        ),
        update: (admin, { event_definition_id }, { display_name, description }) =>
          admin.updateEventDefinition(event_definition_id, {
            display_name: display_name.trim() || null,
            description: description.trim() || null,
          }),
      },
      actions: (record) => [
        {
          id: "explore",
          label: definitions.explore,
          icon: <IconChartLine size={14} aria-hidden />,
          run: ({ name }) => {
            const query = JSON.stringify({ type: "timeseries", events: [{ name, alias: "A" }] });
            go({ to: "/admin/events/explore", search: { query, project, ...currentRange() } });
          },
        },
        record.archived
          ? {
              id: "restore",
              label: definitions.restore,
              icon: <IconArchiveOff size={14} aria-hidden />,
              run: (one) => change(one, { archived: false }, definitions.restoredDone(one.name)),
            }
          : {
              id: "archive",
              label: definitions.archive,
              icon: <IconArchive size={14} aria-hidden />,
              run: (one) => change(one, { archived: true }, definitions.archivedDone(one.name)),
            },
      ],
      remove: {
        run: (admin, { event_definition_id }) => admin.deleteEventDefinition(event_definition_id),
        consequences: () => definitions.consequences,
      },
      about: <RangeText range={range} />,
      tools: <RangeBar state={state} names={ranges} />,
      above: <EventsTabs page="definitions" />,
      empty: <FirstEvent />,
      operations: ["listEventDefinitions", "updateEventDefinition", "deleteEventDefinition"],
    }),
    [texts, definitions, format, go, project, state, range, change],
  );
  return <ResourcePage resource={resource} />;
}
