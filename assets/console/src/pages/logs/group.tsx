// The page of a group of equal logs. It shows the last 48 hours, versions, platforms and the latest
// logs, and changes the state and the note.

import { Anchor, Button, Group, Paper, SimpleGrid, Skeleton, Stack, Table, Text, Title } from "@mantine/core";
import { IconArrowLeft, IconEdit } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useMemo, useState } from "react";
import type { Log, LogGroup } from "svc-sdk";
import { type Asked, Figure } from "../../charts/figure";
import { bars } from "../../charts/shares";
import { trend } from "../../charts/trend";
import { textParam, useAddress, useParams } from "../../core/address";
import { clientOf, statusOf } from "../../core/client";
import { now } from "../../core/clock";
import { Failure } from "../../core/failure";
import { useFormat } from "../../core/format";
import { PageLink, useGo } from "../../core/go";
import { useShortcuts } from "../../core/keys";
import { part, usePart } from "../../core/part";
import { useProjectKey } from "../../core/project";
import { zoneOffset } from "../../core/range";
import { addRecent } from "../../core/recent";
import { useTexts } from "../../core/texts";
import { Tone } from "../../core/tone";
import { PlatformName, usePlatformName } from "../../fields/platforms";
import { Fields } from "../../resource/fields";
import { PageHead } from "../../resource/head";
import { firstLine, SentText } from "../sent";
import classes from "./group.module.css";
import { levels, tones, useGroups } from "./groupresource";

const formDialog = part(async () => (await import("../../resource/form")).FormDialog);

/** Milliseconds between two requests for the group. */
const every = 60_000;

/** The number of logs that are listed. */
const latest = 10;

/** The number of versions that are listed until the user asks for more. */
const versionsAtFirst = 8;

/** The fields that are not repeated in the details. */
const shownAbove = ["title", "state", "level"];

const hour = 3600;

const params = { open: textParam };

export default function GroupPage() {
  const { common, logs } = useTexts();
  const { groups: texts } = logs;
  const go = useGo();
  const [project] = useProjectKey();
  const [{ open: id }] = useParams(params);
  const [address, change] = useAddress();
  const resource = useGroups(project);
  const query = useQuery({
    queryKey: [resource.name, project, "record", id],
    queryFn: ({ signal }) => clientOf(project).admin.getLogGroup(id, { signal }),
    enabled: project !== "" && id !== "",
    refetchInterval: every,
  });
  const { data: group, error } = query;
  useEffect(() => {
    // Without an ID, for example after another project was selected, show all groups.
    if (!id) {
      go({ to: "/admin/logs/groups", search: project ? { project } : {}, replace: true });
    }
  }, [id, project, go]);
  const title = group?.title;
  useEffect(() => {
    if (title) {
      addRecent({ path: "/admin/logs/group", project, open: id, label: title });
    }
  }, [title, project, id]);
  const edit = () => change({ edit: id });
  useShortcuts(group ? [{ key: "e", label: common.edit, run: edit }] : []);
  const FormDialog = usePart(formDialog, Boolean(address["edit"]));
  const list = useMemo(
    () => ({ project, data: group ? { total: 1, data: [group] } : null, stale: query.isPlaceholderData }),
    [project, group, query.isPlaceholderData],
  );
  return (
    <Stack gap="md">
      <PageHead
        title={texts.page}
        tools={
          <Button
            variant="default"
            leftSection={<IconArrowLeft size={16} aria-hidden />}
            renderRoot={(props) => <PageLink to="/admin/logs/groups" search={{ project }} {...props} />}
          >
            {texts.title}
          </Button>
        }
        action={
          <Button leftSection={<IconEdit size={16} aria-hidden />} disabled={!group} onClick={edit}>
            {common.edit}
          </Button>
        }
        operations={["getLogGroup", "updateLogGroup", "listLogs"]}
      />
      {group ? (
        <>
          <Heading group={group} />
          <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
            <Hours query={query} />
            <Part title={texts.details}>
              <Fields columns={resource.columns.filter(({ id, render }) => !shownAbove.includes(id) && render(group))} record={group} />
            </Part>
            <Versions group={group} />
            <Platforms query={query} />
          </SimpleGrid>
          <Latest project={project} id={id} />
        </>
      ) : statusOf(error) === 404 ? (
        <Text c="dimmed">{common.recordGone}</Text>
      ) : error ? (
        <Failure error={error} retry={() => void query.refetch()} />
      ) : (
        <Skeleton height={720} role="status" aria-label={common.loading} />
      )}
      {FormDialog && <FormDialog resource={resource} form={resource.form} list={list} />}
    </Stack>
  );
}

/** The title, state and level of the group, and the actions that change the state. */
function Heading({ group }: { group: LogGroup }) {
  const [project] = useProjectKey();
  const { logs } = useTexts();
  const { actions } = useGroups(project);
  return (
    <Group justify="space-between" align="flex-start" gap="sm">
      <Stack gap={8} flex="1 1 260px" miw={0}>
        <Title order={2} size="h3" className="lines">
          <SentText text={group.title} />
        </Title>
        <Group gap="xs">
          <Tone tone={tones[group.state]}>{logs.groups.states[group.state] ?? group.state}</Tone>
          <Tone tone={levels[group.level]}>{logs.levels[group.level]}</Tone>
        </Group>
      </Stack>
      <Group gap="xs">
        {actions?.(group).map(({ id, label, icon, run }) => (
          <Button key={id} variant="default" leftSection={icon} onClick={() => void run(group)}>
            {label}
          </Button>
        ))}
      </Group>
    </Group>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Paper withBorder component="section" aria-label={title} className={classes.part}>
      <Title order={2} fz="md" fw={600}>
        {title}
      </Title>
      {children}
    </Paper>
  );
}

/** The number of logs in each of the last 48 hours. */
function Hours({ query }: { query: Asked<LogGroup> }) {
  const { groups } = useTexts().logs;
  return (
    <Figure
      id="group-hours"
      title={groups.hours}
      query={query}
      height={260}
      note
      none={groups.noneInHours}
      draw={({ hours }, words) => {
        const at = now();
        const { format } = words;
        const sum = hours.reduce((total, count) => total + count, 0);
        const drawing = trend(
          {
            // The last bucket counts the current hour.
            buckets: hours.map((_, i) => (Math.floor(at / hour) - hours.length + 1 + i) * hour),
            granularity: "hour",
            offset: zoneOffset(),
            now: at,
            series: [{ name: groups.count, values: hours }],
            measure: groups.count,
          },
          words,
        );
        return { ...drawing, note: groups.inHours(format.number(sum), format.number(hours.at(-1) ?? 0)) };
      }}
    />
  );
}

function Versions({ group: { versions } }: { group: LogGroup }) {
  const { charts, logs } = useTexts();
  const { groups } = logs;
  const format = useFormat();
  const [all, showAll] = useState(false);
  const shown = all ? versions : versions.slice(0, versionsAtFirst);
  return (
    <Part title={groups.versions}>
      <Table verticalSpacing={4}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{groups.version}</Table.Th>
            <Table.Th ta="end">{groups.count}</Table.Th>
            <Table.Th visibleFrom="lg">{groups.firstSeen}</Table.Th>
            <Table.Th>{groups.lastSeen}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {shown.map(({ version, count, first_seen: first, last_seen: last }) => (
            <Table.Tr key={version}>
              <Table.Td className="lines">{version === null ? groups.unknown : <SentText text={version} />}</Table.Td>
              <Table.Td ta="end">{format.number(count)}</Table.Td>
              <Table.Td visibleFrom="lg" className={classes.date}>
                {format.date(first)}
              </Table.Td>
              <Table.Td className={classes.date}>{format.date(last)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {shown.length < versions.length && (
        <Button variant="subtle" size="compact-sm" onClick={() => showAll(true)}>
          {charts.more(format.number(versions.length - shown.length))}
        </Button>
      )}
    </Part>
  );
}

function Platforms({ query }: { query: Asked<LogGroup> }) {
  const { logs, sent } = useTexts();
  const { groups } = logs;
  const name = usePlatformName();
  return (
    <Figure
      id="group-platforms"
      title={groups.platforms}
      query={query}
      height={240}
      draw={({ platforms, count: total }, words) =>
        bars(
          {
            parts: platforms.map(({ platform, count }) =>
              platform === null ? { name: groups.unknown, count, missing: true } : { name: name(platform), count },
            ),
            total,
            kind: sent.platform,
            measure: groups.count,
          },
          words,
        )
      }
    />
  );
}

/** The latest logs of the group, each with a link to it. */
function Latest({ project, id }: { project: string; id: string }) {
  const { common, logs } = useTexts();
  const { groups } = logs;
  const format = useFormat();
  const { data, error, refetch } = useQuery({
    queryKey: ["logs", project, "group", id],
    queryFn: ({ signal }) => clientOf(project).admin.listLogs({ group_id: id, limit: latest, include_hidden: "true" }, { signal }),
  });
  return (
    <Part title={groups.latest}>
      {data ? (
        <>
          <ul className={classes.logs}>
            {data.data.map((log) => (
              <li key={log.id}>
                <PageLink to="/admin/logs" search={{ project, group: id, open: log.id }} className={classes.log}>
                  <span>{format.time(log.created_at)}</span>
                  <Sender log={log} />
                  <span className={classes.line}>
                    <SentText text={firstLine(log.content)} />
                  </span>
                </PageLink>
              </li>
            ))}
          </ul>
          <Anchor
            size="sm"
            className="lone"
            renderRoot={(props) => <PageLink to="/admin/logs" search={{ project, group: id }} {...props} />}
          >
            {groups.allLines}
          </Anchor>
        </>
      ) : error ? (
        <Failure error={error} retry={() => void refetch()} />
      ) : (
        <Skeleton height={360} role="status" aria-label={common.loading} />
      )}
    </Part>
  );
}

/** The version of the app that sent a log, and its platform. */
function Sender({ log: { app_version: version, platform } }: { log: Log }) {
  return (
    <span className={classes.sender}>
      {version !== null && <SentText text={version} />}
      {platform && <PlatformName platform={platform} />}
    </span>
  );
}
