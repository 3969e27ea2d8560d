// Groups of equal logs as a resource. Each is a problem with a state: open, resolved or muted.

import { SegmentedControl, Stack, Textarea, TextInput } from "@mantine/core";
import { IconBellOff, IconCheck, IconRotate } from "@tabler/icons-react";
import { useMemo } from "react";
import type { ListLogGroupsQuery, LogGroupSummary, LogGroupUpdate } from "svc-sdk";
import { Beginning } from "../../core/example";
import { useFormat } from "../../core/format";
import { useTexts } from "../../core/texts";
import { Tone, type ToneName } from "../../core/tone";
import { TimeField } from "../../fields/time";
import { useChange } from "../../resource/change";
import type { Action, FormDescription, Inputs, Resource } from "../../resource/resource";
import { SentText } from "../sent";
import { Mode } from "./mode";

export const levels: ToneName[] = ["neutral", "info", "warning", "bad"];

export const tones: Record<string, ToneName> = { open: "bad", resolved: "good", muted: "neutral" };

/** The maximum length of a version that a log reports. */
const longestVersion = 64;

const states = ["open", "resolved", "muted"] as const;

interface Draft {
  state: string;
  resolved_in: string;
  muted_until: number | null;
  note: string;
}

/** Converts the values to the form for the server. An unchanged state is left out, because setting it has effects. */
function fieldsOf({ state, resolved_in, muted_until, note }: Draft, stored: LogGroupSummary): LogGroupUpdate {
  const version = resolved_in.trim() || null;
  return {
    ...(state !== stored.state && { state }),
    ...(state === "resolved" && version !== stored.resolved_in && { resolved_in: version }),
    ...(state === "muted" && muted_until !== stored.muted_until && { muted_until }),
    note: note.trim() || null,
  };
}

export type Groups = Resource<LogGroupSummary, Draft> & { form: FormDescription<LogGroupSummary, Draft> };

export function useGroups(project: string): Groups {
  const texts = useTexts();
  const format = useFormat();
  const change = useChange<LogGroupSummary>(
    "log-groups",
    ({ id }) => id,
    (admin, { id }, { state }) => admin.updateLogGroup(id, { state }),
  );
  return useMemo(() => {
    const { logs } = texts;
    const { groups } = logs;
    const action = (state: (typeof states)[number], icon: Action<LogGroupSummary>["icon"]) => ({
      id: state,
      label: groups.set[state],
      icon,
      run: (group: LogGroupSummary) => change(group, { state }, groups.done[state]),
    });
    const actions = [action("resolved", <IconCheck size={16} aria-hidden />), action("muted", <IconBellOff size={16} aria-hidden />)];
    const reopen = action("open", <IconRotate size={16} aria-hidden />);
    return {
      name: "log-groups",
      title: texts.frame.pages.logs,
      noun: groups.noun,
      id: ({ id }) => id,
      label: ({ title }) => title,
      page: "/admin/logs/group",
      columns: [
        {
          id: "title",
          title: groups.name,
          main: true,
          phone: true,
          render: ({ title }) => <SentText text={title} />,
          text: ({ title }) => title,
        },
        {
          id: "state",
          title: groups.state,
          width: 110,
          phone: true,
          render: ({ state }) => <Tone tone={tones[state]}>{groups.states[state] ?? state}</Tone>,
          text: ({ state }) => groups.states[state] ?? state,
        },
        {
          id: "level",
          title: logs.level,
          width: 100,
          render: ({ level }) => <Tone tone={levels[level]}>{logs.levels[level]}</Tone>,
          text: ({ level }) => logs.levels[level] ?? String(level),
        },
        { id: "count", title: groups.count, sort: "count", align: "right", width: 100, render: ({ count }) => format.number(count) },
        {
          id: "occurrences",
          title: groups.occurrences,
          hidden: true,
          align: "right",
          width: 120,
          render: (group) => format.number(group.occurrences),
        },
        {
          id: "last_seen",
          title: groups.lastSeen,
          sort: "last_seen",
          phone: true,
          width: 140,
          render: ({ last_seen: at }) => format.ago(at),
          detail: ({ last_seen: at }) => format.time(at),
          text: ({ last_seen: at }) => format.time(at),
        },
        {
          id: "first_seen",
          title: groups.firstSeen,
          sort: "first_seen",
          spare: true,
          width: 186,
          render: (group) => format.time(group.first_seen),
        },
        { id: "first_version", title: groups.firstVersion, spare: true, width: 120, render: ({ first_version: version }) => version },
        { id: "last_version", title: groups.lastVersion, spare: true, width: 120, render: ({ last_version: version }) => version },
        { id: "source", title: logs.source, hidden: true, width: 120, render: ({ source }) => source && <SentText text={source} /> },
        { id: "resolved_in", title: groups.resolvedIn, detailOnly: true, render: ({ resolved_in: version }) => version },
        {
          id: "regressed_at",
          title: groups.regressedAt,
          detailOnly: true,
          render: ({ regressed_at: at }) => at !== null && format.time(at),
        },
        { id: "muted_until", title: groups.mutedUntil, detailOnly: true, render: ({ muted_until: at }) => at !== null && format.time(at) },
        { id: "note", title: groups.note, detailOnly: true, render: ({ note }) => note },
      ],
      sorted: "last_seen",
      filters: [
        {
          kind: "choice",
          id: "state",
          label: groups.state,
          choices: states.map((value) => ({ value, label: groups.states[value] ?? value })),
        },
        {
          kind: "choice",
          id: "level",
          label: logs.level,
          choices: [2, 3].map((level) => ({ value: String(level), label: logs.levels[level] ?? String(level) })),
        },
        { kind: "text", id: "version", label: groups.version, maxLength: longestVersion },
        { kind: "text", id: "first_version", label: groups.firstVersion, maxLength: longestVersion },
      ],
      list: (admin, query, signal) => admin.listLogGroups(query as ListLogGroupsQuery, { signal }),
      get: (admin, id, signal) => admin.getLogGroup(id, { signal }),
      dimmed: ({ state }) => state === "muted",
      form: {
        empty: () => ({ state: "open", resolved_in: "", muted_until: null, note: "" }),
        from: ({ state, resolved_in, muted_until, note }) => ({ state, resolved_in: resolved_in ?? "", muted_until, note: note ?? "" }),
        update: (admin, group, draft, ifMatch) => admin.updateLogGroup(group.id, fieldsOf(draft, group), { ifMatch }),
        render: (inputs) => <GroupInputs inputs={inputs} />,
        size: "md",
      },
      actions: ({ state }) => (state === "open" ? actions : [reopen]),
      tools: <Mode project={project} mode="groups" />,
      empty: <Beginning title={groups.empty.title} text={groups.empty.text} />,
      operations: ["listLogGroups", "getLogGroup", "updateLogGroup"],
    };
  }, [texts, format, project, change]);
}

function GroupInputs({ inputs: { values, bind, set } }: { inputs: Inputs<Draft> }) {
  const { groups } = useTexts().logs;
  return (
    <Stack gap="md">
      <SegmentedControl
        aria-label={groups.state}
        value={values.state}
        onChange={(state) => set("state", state)}
        data={states.map((value) => ({ value, label: groups.states[value] ?? value }))}
      />
      {values.state === "resolved" && (
        <TextInput label={groups.resolvedIn} description={groups.resolvedInHint} maxLength={longestVersion} {...bind("resolved_in")} />
      )}
      {values.state === "muted" && <TimeField label={groups.mutedUntil} description={groups.mutedUntilHint} {...bind("muted_until")} />}
      <Textarea label={groups.note} autosize minRows={3} maxRows={10} maxLength={2000} {...bind("note")} />
    </Stack>
  );
}
