// The page of a release. It shows the adoption, errors, ratings and downloads, the clients that do
// not run it yet, and a comparison with its predecessor.

import { Button, Group, SimpleGrid, Skeleton, Stack, Table, Text } from "@mantine/core";
import { IconArrowLeft } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { ReleaseReport } from "svc-sdk";
import { useAsked } from "../../charts/asked";
import { type Asked, Figure } from "../../charts/figure";
import { bars } from "../../charts/shares";
import { trend } from "../../charts/trend";
import { textParam, useParams } from "../../core/address";
import { clientOf } from "../../core/client";
import { now } from "../../core/clock";
import { Failure } from "../../core/failure";
import { useFormat } from "../../core/format";
import { PageLink } from "../../core/go";
import { useProjectKey } from "../../core/project";
import { zoneOffset } from "../../core/range";
import { Room } from "../../core/room";
import { useTexts } from "../../core/texts";
import { PageHead } from "../../resource/head";
import { useHealth, useRollout } from "../../resource/rollout";
import { useUsage } from "../../resource/usage";
import { shareAt } from "./adoption";
import { Assets } from "./assets";
import { DeedDialog, useDeed } from "./deeds";
import { Health } from "./health";
import { History, RolloutPanel } from "./rollout";
import styles from "./versions.module.css";

const params = { release: textParam };

const day = 86_400;

export default function ReleasePage() {
  const { common, rollouts, versions } = useTexts();
  const texts = versions.release;
  const format = useFormat();
  const [, act] = useDeed();
  const [project] = useProjectKey();
  const [{ release }] = useParams(params);
  // If the address names no release, show the latest one.
  const usage = useUsage(project, {}, release === "");
  const id = release || (usage.data?.latest?.id ?? "");
  const query = useAsked({
    key: ["release", id],
    ask: (admin, signal) => admin.getVersionReport(id, { signal }),
    enabled: id !== "",
  });
  const { data, error } = query;
  const record = useQuery({
    queryKey: ["versions", project, "record", id],
    queryFn: ({ signal }) => clientOf(project).admin.getVersion(id, { signal }),
    enabled: project !== "" && id !== "",
  });
  const rollout = useRollout(project, id);
  const health = useHealth(project, id, Boolean(rollout.data));
  // The rollout is above everything else, so nothing else is shown before its height is known.
  const waits = id !== "" && (rollout.isPending || record.isPending || (Boolean(rollout.data) && health.isPending));
  const published = (at: number) => texts.published(format.time(at));
  const one = <T,>(read: (data: NonNullable<typeof query.data>) => T): Asked<T> => ({ ...query, data: data && read(data) });
  return (
    <Stack gap="md">
      <PageHead
        title={data ? texts.title(data.version.version) : texts.noun}
        about={<Room of={published(now() - 12 * day)}>{data && published(data.version.published_at)}</Room>}
        tools={
          <>
            <Button
              variant="default"
              leftSection={<IconArrowLeft size={16} aria-hidden />}
              renderRoot={(props) => <PageLink to="/admin/versions" search={{ project }} {...props} />}
            >
              {versions.title}
            </Button>
            <Button variant="default" disabled={!record.data || record.data.yanked_at !== null} onClick={() => act({ deed: "yank" })}>
              {rollouts.yank.open}
            </Button>
          </>
        }
        operations={[
          "getVersionReport",
          "getVersionUsage",
          "getRollout",
          "setRollout",
          "getRolloutHealth",
          "pauseRollout",
          "resumeRollout",
          "advanceRollout",
          "completeRollout",
          "abortRollout",
          "yankVersion",
          "unyankVersion",
          "listVersionAssets",
          "updateVersionAsset",
        ]}
      />
      {error && !data ? (
        <Failure error={error} retry={() => void query.refetch()} />
      ) : usage.data && !id ? (
        <Text c="dimmed">{texts.none}</Text>
      ) : waits ? (
        <Skeleton height={420} aria-label={common.loading} />
      ) : (
        <>
          {record.data && (
            <>
              <RolloutPanel key={id} version={record.data} rollout={rollout.data ?? null} health={health.data} />
              {rollout.data && rollout.data.started_at !== null && <Health version={record.data.version} query={health} />}
              <DeedDialog {...{ project }} version={record.data} rollout={rollout.data ?? null} health={health.data} />
            </>
          )}
          <Text size="lg" fw={600} role="status">
            <Room of={texts.arrivedBeside("100 %", "10.10.10", format.duration(12.5 * day), "10.10.10", "100 %")}>
              {data && <Arrived version={data.version} previous={data.previous} />}
            </Room>
          </Text>
          <Figure
            id="release-adoption"
            title={texts.adoption}
            definition={texts.definitions.adoption}
            query={query}
            height={260}
            legend
            draw={({ version, previous }, words) => {
              const times = version.adoption.map(({ time }) => time);
              const hourly = times.length < 2 || times[1]! - times[0]! < day;
              return trend(
                {
                  buckets: times,
                  granularity: hourly ? "hour" : "day",
                  offset: zoneOffset(),
                  now: now(),
                  series: [
                    { name: version.version, values: version.adoption.map(({ share }) => share) },
                    ...(previous
                      ? [
                          {
                            name: texts.atSameAge(previous.version),
                            rest: true,
                            values: times.map((time) => shareAt(previous, time - times[0]!)),
                          },
                        ]
                      : []),
                  ],
                  measure: texts.share,
                  percent: true,
                },
                words,
              );
            }}
          />
          <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
            <Figure
              id="release-behind"
              title={texts.behind}
              definition={texts.definitions.behind}
              query={one(({ version }) => version)}
              height={230}
              none={
                data && !isOffered(data.version)
                  ? texts.offeredToNobody
                  : data && isUnchecked(data.version)
                    ? texts.noChecks
                    : texts.nobodyBehind
              }
              draw={(version, words) =>
                bars(
                  {
                    parts: (isOffered(version) ? version.behind.reasons : []).map(({ reason, checks: count }) => ({
                      name: texts.reasons[reason as keyof typeof texts.reasons] ?? reason,
                      count,
                    })),
                    total: isOffered(version) ? version.behind.checks : 0,
                    kind: texts.reason,
                    measure: texts.checks,
                  },
                  words,
                )
              }
            />
            <Figure
              id="release-downloads"
              title={texts.downloads}
              definition={texts.definitions.downloads}
              query={one(({ version }) => version.downloads)}
              height={230}
              none={texts.noDownloads}
              draw={(files, words) =>
                bars(
                  {
                    parts: files.map(({ name, count }) => ({ name: name ?? texts.deletedFile, count, missing: name === null })),
                    total: files.reduce((sum, { count }) => sum + count, 0),
                    kind: texts.file,
                    measure: texts.downloads,
                  },
                  words,
                )
              }
            />
          </SimpleGrid>
          {data && <Comparison project={project} version={data.version} previous={data.previous} />}
          {rollout.data && <History rollout={rollout.data} />}
          {data && <Assets project={project} version={id} />}
        </>
      )}
    </Stack>
  );
}

interface Releases {
  version: ReleaseReport;
  previous: ReleaseReport | null;
}

/** Reports whether no app has checked for updates in the last 24 hours, so that nothing is known about them. */
function isUnchecked({ share, behind }: ReleaseReport): boolean {
  return share === 0 && behind.checks === 0;
}

/** Reports whether clients are offered the version. Nobody is behind a version that was withdrawn. */
function isOffered({ behind }: ReleaseReport): boolean {
  return behind.reasons.every(({ reason }) => reason !== "not_offered");
}

/** A sentence about the share of the version, its age, and the share that its predecessor had at the same age. */
function Arrived({ version, previous }: Releases) {
  const { release: texts } = useTexts().versions;
  const format = useFormat();
  if (isUnchecked(version)) {
    return texts.noChecks;
  }
  const age = Math.max(0, Math.floor(now()) - version.published_at);
  const share = format.percent(version.share, 0);
  return previous
    ? texts.arrivedBeside(share, version.version, format.duration(age), previous.version, format.percent(shareAt(previous, age), 0))
    : texts.arrived(share, version.version, format.duration(age));
}

/** Shows the numbers of both releases side by side. */
function Comparison({ project, version, previous }: Releases & { project: string }) {
  const { versions } = useTexts();
  const texts = versions.release;
  const format = useFormat();
  const releases = previous ? [version, previous] : [version];
  const rating = ({ count, average }: { count: number; average: number | null }) =>
    average === null ? "–" : `${format.decimal(average)} (${format.number(count)})`;
  const rows: [string, (release: ReleaseReport) => ReactNode][] = [
    [versions.columns.published, ({ published_at: at }) => format.date(at)],
    [texts.shareNow, (release) => (isUnchecked(release) ? "–" : format.percent(release.share, 0))],
    [
      texts.errors,
      ({ errors: { before, after, window }, published_at: at }) => (
        <Group gap={6}>
          <PageLink
            to="/admin/logs"
            search={{ project, level: "3", time_from: String(at), time_to: String(at + window) }}
            className={styles.plainLink}
          >
            {texts.around(format.number(before), format.number(after))}
          </PageLink>
          <Text span size="xs" c="dimmed">
            {texts.window(format.duration(window))}
          </Text>
        </Group>
      ),
    ],
    [texts.rating, ({ rating: { before, after } }) => texts.around(rating(before), rating(after))],
    [texts.downloads, ({ downloads }) => format.number(downloads.reduce((sum, { count }) => sum + count, 0))],
    [texts.stillBehind, (release) => (isUnchecked(release) || !isOffered(release) ? "–" : format.number(release.behind.checks))],
  ];
  return (
    <section aria-label={texts.comparison}>
      <Table verticalSpacing={6} withTableBorder>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>
              <span className="offscreen">{texts.comparison}</span>
            </Table.Th>
            {releases.map(({ id, version: name }) => (
              <Table.Th key={id} scope="col">
                <PageLink to="." search={{ project, release: id }} className={styles.plainLink}>
                  {name}
                </PageLink>
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(([label, show]) => (
            <Table.Tr key={label}>
              <Table.Th scope="row" fw={400} c="dimmed">
                {label}
              </Table.Th>
              {releases.map((release) => (
                <Table.Td key={release.id}>{show(release)}</Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}
