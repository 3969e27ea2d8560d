// The page of logs from apps. A log is evidence, so it can only be hidden, not edited.

import { Anchor, Button, Group, Select, SimpleGrid, Switch, Textarea, TextInput } from "@mantine/core";
import { IconEye, IconEyeOff, IconHistory, IconStack2, IconTrash } from "@tabler/icons-react";
import { useMemo } from "react";
import type { Log } from "svc-sdk";
import { useAddressPart } from "../../core/address";
import type { Admin } from "../../core/client";
import { Beginning } from "../../core/example";
import { examplesOf } from "../../core/examples";
import { useFormat } from "../../core/format";
import { PageLink } from "../../core/go";
import { useProjectKey } from "../../core/project";
import { useTexts } from "../../core/texts";
import { Tone, type ToneName } from "../../core/tone";
import { madeAt } from "../../core/uuid";
import { JsonField } from "../../fields/json";
import { formatObject } from "../../fields/object";
import { usePlatformName } from "../../fields/platforms";
import { type BulkChange, useBulk } from "../../resource/bulk";
import { useChange } from "../../resource/change";
import { ResourcePage } from "../../resource/page";
import type { Filter, Resource } from "../../resource/resource";
import { appVersionColumn, firstLine, objectOf, objectProblem, platformChoices, SentText, sentColumns, treeColumn } from "../sent";
import { Histogram, histogramHeights } from "./histogram";
import { Mode } from "./mode";
import { Prune, usePrune } from "./prune";

const tones: ToneName[] = ["neutral", "info", "warning", "bad"];

interface Draft {
  level: string;
  content: string;
  source: string;
  platform: string | null;
  platform_version: string;
  device_info: string;
  custom_data: string;
  is_hidden: boolean;
}

const hiddenChange: BulkChange<Log, boolean> = {
  send: (admin, ids, hidden) => admin.updateLogs({ ids, hidden }),
  former: ({ is_hidden }) => is_hidden,
};

export default function LogsPage() {
  const [project] = useProjectKey();
  return (
    <>
      <ResourcePage resource={useLogs(project)} />
      <Prune project={project} />
    </>
  );
}

function useLogs(project: string): Resource<Log, Draft> {
  const texts = useTexts();
  const format = useFormat();
  const platformName = usePlatformName();
  const prune = usePrune();
  const group = useAddressPart("group");
  const bulk = useBulk("logs");
  const change = useChange<Log>(
    "logs",
    ({ id }) => id,
    (admin, { id }, { is_hidden }) => admin.updateLog(id, { is_hidden }),
  );
  return useMemo(() => {
    const { logs, sent } = texts;
    const columns = sentColumns<Log>(texts, format);
    const levels = logs.levels.map((label, level) => ({ value: String(level), label }));
    const filters: Filter[] = [
      { id: "level", kind: "choice", label: logs.level, choices: levels },
      { id: "platform", kind: "choice", label: sent.platform, choices: platformChoices(platformName) },
      { id: "time", kind: "range", label: sent.time, from: "start_time", to: "end_time" },
      // There are too many groups to choose from, so the filter only shows the group in the address.
      ...(group
        ? [
            {
              id: "group",
              kind: "choice" as const,
              label: logs.groups.group,
              choices: [{ value: group, label: logs.groups.group }],
              query: () => ({ group_id: group }),
            },
          ]
        : []),
      { id: "hidden", kind: "switch", label: sent.showHidden, query: () => ({ include_hidden: "true" }) },
    ];
    return {
      name: "logs",
      title: texts.frame.pages.logs,
      noun: logs.noun,
      id: ({ id }) => id,
      label: ({ level, content }) => `${logs.levels[level]} ${firstLine(content)}`,
      columns: [
        {
          id: "level",
          title: logs.level,
          width: 100,
          sort: "level",
          phone: true,
          render: ({ level }) => <Tone tone={tones[level]}>{logs.levels[level]}</Tone>,
          text: ({ level }) => logs.levels[level] ?? String(level),
        },
        columns.content,
        appVersionColumn<Log>(sent.version),
        { id: "source", spare: true, title: logs.source, width: 110, render: ({ source }) => source && <SentText text={source} /> },
        { ...columns.platform, spare: true },
        { ...columns.time, sort: "created_at" },
        columns.ip,
        columns.country,
        columns.region,
        columns.city,
        columns.user_agent,
        treeColumn("device_info", logs.deviceInfo),
        columns.custom_data,
        columns.is_hidden,
        columns.id,
      ],
      filters,
      chart: <Histogram project={project} filters={filters} />,
      otherHeights: histogramHeights,
      sorted: "created_at",
      list: (admin, query, signal) => admin.listLogs(query, { signal }),
      get: readLog,
      dimmed: ({ is_hidden }) => is_hidden,
      form: {
        empty: () => ({
          level: "1",
          content: "",
          source: "",
          platform: null,
          platform_version: "",
          device_info: "",
          custom_data: "",
          is_hidden: false,
        }),
        from: (log) => ({
          level: String(log.level),
          content: log.content,
          source: log.source ?? "",
          platform: log.platform,
          platform_version: log.platform_version ?? "",
          device_info: formatObject(log.device_info),
          custom_data: formatObject(log.custom_data),
          is_hidden: log.is_hidden,
        }),
        check: ({ device_info, custom_data }) => ({
          ...objectProblem(texts, "device_info", device_info),
          ...objectProblem(texts, "custom_data", custom_data),
        }),
        render: ({ bind, values, set }) => (
          <>
            <SimpleGrid cols={{ base: 1, xs: 2 }}>
              <Select label={logs.level} data={levels} allowDeselect={false} {...bind("level")} />
              <TextInput label={logs.source} maxLength={128} {...bind("source")} />
            </SimpleGrid>
            <Textarea label={sent.content} autosize minRows={3} maxRows={12} maxLength={4096} data-autofocus {...bind("content")} />
            <SimpleGrid cols={{ base: 1, xs: 2 }}>
              <Select label={sent.platform} data={platformChoices(platformName)} clearable {...bind("platform")} />
              <TextInput label={sent.platformVersion} maxLength={32} {...bind("platform_version")} />
            </SimpleGrid>
            <JsonField label={logs.deviceInfo} {...bind("device_info")} />
            <JsonField label={sent.customData} {...bind("custom_data")} />
            <Switch
              label={sent.isHidden}
              checked={values.is_hidden}
              onChange={({ currentTarget }) => set("is_hidden", currentTarget.checked)}
            />
          </>
        ),
        create: (admin, { level, device_info, custom_data, ...rest }) =>
          admin.createLog({
            ...rest,
            level: Number(level),
            source: rest.source || null,
            platform_version: rest.platform_version || null,
            device_info: objectOf(device_info),
            custom_data: objectOf(custom_data),
          }),
      },
      actions: (log) => [
        log.is_hidden
          ? {
              id: "show",
              label: sent.show,
              icon: <IconEye size={16} aria-hidden />,
              run: () => change(log, { is_hidden: false }, sent.shownNow),
            }
          : {
              id: "hide",
              label: sent.hide,
              icon: <IconEyeOff size={16} aria-hidden />,
              run: () => change(log, { is_hidden: true }, sent.hiddenNow),
            },
      ],
      bulk: [true, false].map((hidden) => ({
        id: hidden ? "hide" : "show",
        label: hidden ? sent.hide : sent.show,
        front: true,
        run: (some: Log[]) => bulk(some, hidden, hiddenChange, hidden ? sent.hiddenNow : sent.shownNow),
      })),
      more: (log) => (
        <>
          <SameHour log={log} />
          {log.group_id && <SameGroup group={log.group_id} />}
        </>
      ),
      tools: (
        <>
          <Mode project={project} mode="lines" />
          <Button variant="default" leftSection={<IconTrash size={16} aria-hidden />} onClick={prune}>
            {logs.prune.open}
          </Button>
        </>
      ),
      empty: (
        <Beginning
          title={logs.empty.title}
          text={logs.empty.text}
          examples={examplesOf(project, {
            curl: { path: `/public/${project}/logs`, body: { level: 3, content: "E42: could not save", source: "editor" } },
            typescript: 'client.logs.install(); // reports uncaught errors\nclient.logs.capture(new Error("could not save"));',
            go: "defer client.Logs.Install(nil)() // reports records of log/slog from level error on\nclient.Logs.Capture(err, nil)",
            python: 'client.logs.install()  # reports uncaught errors\nclient.logs.capture(ValueError("could not save"))',
            rust: "client.logs().capture(&error);",
          })}
        />
      ),
      operations: ["listLogs", "getLogSeries", "createLog", "hideLog", "pruneLogs", "uploadLog"],
    };
  }, [texts, format, platformName, project, change, bulk, group]);
}

/**
 * Returns the log with the given ID. The API cannot read a single log. But the ID contains the
 * log's time, and there are few logs of that time, so this function lists those.
 */
async function readLog(admin: Admin, id: string, signal: AbortSignal): Promise<Log | null> {
  const at = madeAt(id);
  if (at !== null) {
    const moment = { start_time: Math.max(at - 2, 0), end_time: at + 2, include_hidden: "true" };
    for await (const log of admin.iterLogs(moment, { signal })) {
      if (log.id === id) {
        return log;
      }
    }
  }
  return null;
}

/** A link to the group of a log. */
function SameGroup({ group }: { group: string }) {
  const { groups } = useTexts().logs;
  return (
    <Group gap={6} wrap="nowrap">
      <IconStack2 size={16} aria-hidden />
      <Anchor
        size="sm"
        className="lone"
        renderRoot={(props) => <PageLink to="/admin/logs/group" search={({ project }) => ({ project, open: group })} {...props} />}
      >
        {groups.group}
      </Anchor>
    </Group>
  );
}

const hour = 3600;

/** A link to all logs of the same hour. */
function SameHour({ log }: { log: Log }) {
  const texts = useTexts();
  const platformName = usePlatformName();
  const from = log.created_at - (log.created_at % hour);
  const { platform } = log;
  return (
    <Group gap={6} wrap="nowrap">
      <IconHistory size={16} aria-hidden />
      <Anchor
        size="sm"
        className="lone"
        renderRoot={(props) => (
          <PageLink
            to="/admin/logs"
            search={({ project }) => ({ project, platform, time_from: String(from), time_to: String(from + hour - 1) })}
            {...props}
          />
        )}
      >
        {platform ? texts.logs.sameHour(platformName(platform)) : texts.logs.sameHourAnywhere}
      </Anchor>
    </Group>
  );
}
