// What a group of logs looks like over time: the last 48 hours, versions, platforms, and the latest
// logs.

import { Anchor, List, Skeleton, Stack, Table, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { LogGroup } from "svc-sdk";
import { clientOf } from "../../core/client";
import { Failure } from "../../core/failure";
import { useFormat } from "../../core/format";
import { PageLink } from "../../core/go";
import { useTexts } from "../../core/texts";
import { PlatformName } from "../../fields/platforms";
import { firstLine, SentText } from "../sent";
import classes from "./group.module.css";

/** The number of logs that are listed. */
const latest = 5;

/** The height in pixels that is reserved while the details are being loaded. */
const height = 480;

export function GroupDetail({ project, id }: { project: string; id: string }) {
  const { common } = useTexts();
  const { data, error, refetch } = useQuery({
    queryKey: ["log-groups", project, "detail", id],
    queryFn: async ({ signal }) => {
      const { admin } = clientOf(project);
      const [group, logs] = await Promise.all([
        admin.getLogGroup(id, { signal }),
        admin.listLogs({ group_id: id, limit: latest, include_hidden: "true" }, { signal }),
      ]);
      return { group, logs };
    },
  });
  if (!data) {
    return error ? (
      <Failure error={error} retry={() => void refetch()} />
    ) : (
      <Skeleton height={height} role="status" aria-label={common.loading} />
    );
  }
  return (
    <Stack gap="md">
      <Hours group={data.group} />
      <Versions group={data.group} />
      <Platforms group={data.group} />
      <Latest project={project} id={id} logs={data.logs.data} />
    </Stack>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title}>
      <Text size="sm" fw={500} mb={4}>
        {title}
      </Text>
      {children}
    </section>
  );
}

/** The number of logs in each of the last 48 hours. */
function Hours({ group: { hours } }: { group: LogGroup }) {
  const { groups } = useTexts().logs;
  const format = useFormat();
  const most = Math.max(...hours, 1);
  const sum = hours.reduce((total, count) => total + count, 0);
  return (
    <Part title={groups.hours}>
      <svg className={classes.hours} viewBox={`0 0 ${hours.length} 100`} preserveAspectRatio="none" aria-hidden>
        {hours.map((count, hour) => (
          <rect key={hour} x={hour + 0.1} width={0.8} y={100 - (count / most) * 100} height={(count / most) * 100} />
        ))}
      </svg>
      <Text size="xs" c="dimmed">
        {groups.inHours(format.number(sum), format.number(hours.at(-1) ?? 0))}
      </Text>
    </Part>
  );
}

function Versions({ group: { versions } }: { group: LogGroup }) {
  const { groups } = useTexts().logs;
  const format = useFormat();
  return (
    <Part title={groups.versions}>
      <Table verticalSpacing={4}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{groups.version}</Table.Th>
            <Table.Th ta="end">{groups.count}</Table.Th>
            <Table.Th>{groups.lastSeen}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {versions.map(({ version, count, last_seen: at }) => (
            <Table.Tr key={version}>
              <Table.Td>{version === null ? groups.unknown : <SentText text={version} />}</Table.Td>
              <Table.Td ta="end">{format.number(count)}</Table.Td>
              <Table.Td>{format.time(at)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Part>
  );
}

function Platforms({ group: { platforms } }: { group: LogGroup }) {
  const { groups } = useTexts().logs;
  const format = useFormat();
  return (
    <Part title={groups.platforms}>
      <List size="sm" spacing={4}>
        {platforms.map(({ platform, count }) => (
          <List.Item key={platform}>
            {platform === null ? groups.unknown : <PlatformName platform={platform} />}: {format.number(count)}
          </List.Item>
        ))}
      </List>
    </Part>
  );
}

function Latest({ project, id, logs }: { project: string; id: string; logs: { id: string; content: string; created_at: number }[] }) {
  const { groups } = useTexts().logs;
  const format = useFormat();
  const link = (search: Record<string, string>, text: ReactNode) => (
    <Anchor size="sm" inherit renderRoot={(props) => <PageLink to="/admin/logs" search={{ project, ...search }} {...props} />}>
      {text}
    </Anchor>
  );
  return (
    <Part title={groups.latest}>
      <List size="sm" spacing={4}>
        {logs.map((log) => (
          <List.Item key={log.id}>
            {link({ open: log.id }, format.time(log.created_at))} <SentText text={firstLine(log.content)} />
          </List.Item>
        ))}
      </List>
      <Text size="sm" mt={4}>
        {link({ group: id }, groups.allLines)}
      </Text>
    </Part>
  );
}
