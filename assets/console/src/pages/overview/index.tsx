// The page of the instance: what needs attention in it, its state, and its contents. If a part of
// the page cannot be loaded, the other parts still work.

import { Alert, Anchor, Button, Group, Paper, SimpleGrid, Stack, Text, Title } from "@mantine/core";
import { useIsFetching, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useCallback, useEffect, useRef, useState } from "react";
import { Figure } from "../../charts/figure";
import { bars } from "../../charts/shares";
import { type Admin, clientOf, statusOf } from "../../core/client";
import { Failure } from "../../core/failure";
import { useFormat } from "../../core/format";
import { PageLink } from "../../core/go";
import { useProjectKey, useProjects } from "../../core/project";
import { useTexts } from "../../core/texts";
import { PageHead } from "../../resource/head";
import { RefreshButton } from "../today";
import { Findings } from "../today/findings";
import { stateOf } from "../tokens/state";
import styles from "./overview.module.css";
import { StatusCard } from "./status";

const key = "overview";

function usePart<T>(part: string, ask: (admin: Admin, signal: AbortSignal) => Promise<T>, enabled = true) {
  return useQuery({ queryKey: [key, part], queryFn: ({ signal }) => ask(clientOf("").admin, signal), staleTime: 30_000, enabled });
}

interface Counted {
  count: number;
  detail?: string | undefined;
  parts: { name: string; count: number }[];
}

export default function OverviewPage() {
  const texts = useTexts();
  const { overview, frame } = texts;
  const format = useFormat();
  const queries = useQueryClient();
  const busy = useIsFetching({ queryKey: [key] }) > 0;
  const today = usePart("today", (admin, signal) => admin.getInstanceToday({ signal }));
  const { data: known } = useProjects();
  // Request the counts when they come into view, so that the findings are loaded first.
  const [seen, see] = useState<ReadonlySet<string>>(new Set());
  const onSeen = useCallback((name: string) => see((before) => new Set(before).add(name)), []);
  const projects = usePart("projects", (admin, signal) => admin.getProjectStatistics({ signal }), seen.has("projects"));
  const versions = usePart(
    "versions",
    (admin, signal) => admin.getVersionStatistics({ signal }),
    seen.has("versions") || seen.has("projects"),
  );
  const announcements = usePart("announcements", (admin, signal) => admin.getAnnouncementStatistics({ signal }), seen.has("announcements"));
  const feedbacks = usePart("feedbacks", (admin, signal) => admin.getFeedbackStatistics({ signal }), seen.has("feedbacks"));
  const logs = usePart("logs", (admin, signal) => admin.getLogStatistics({ signal }), seen.has("logs"));
  const tokens = usePart("tokens", (admin, signal) => admin.listApiKeys({ signal }), seen.has("tokens"));
  const status = usePart("status", (admin, signal) => admin.getStatus({ signal }));
  const parts = { projects, tokens, versions, announcements, feedbacks, logs };
  const failed = Object.entries(parts).filter(([, part]) => part.error);
  // An older server cannot report the status, so omit its place.
  const withStatus = statusOf(status.error) !== 404;
  const updated = Math.min(...Object.values({ ...parts, status }).map(({ dataUpdatedAt }) => dataUpdatedAt || Number.POSITIVE_INFINITY));

  return (
    <Stack gap="md">
      <PageHead
        title={frame.pages.instance}
        about={Number.isFinite(updated) ? overview.refreshed(format.time(updated / 1000)) : "\u00a0"}
        operations={[
          "getInstanceToday",
          "getProjectStatistics",
          "getVersionStatistics",
          "getAnnouncementStatistics",
          "getFeedbackStatistics",
          "getLogStatistics",
          "listApiKeys",
          "getInstanceStatus",
        ]}
        tools={<RefreshButton busy={busy} onClick={() => void queries.invalidateQueries({ queryKey: [key] })} />}
      />
      {today.error && !today.data ? (
        <Failure error={today.error} retry={() => void today.refetch()} />
      ) : (
        <Findings
          findings={today.data?.data.map(({ project_key: owner, ...finding }) => ({
            ...finding,
            project: owner === null ? null : { key: owner, name: known?.find((one) => one.project_key === owner)?.name ?? owner },
            named: owner !== null,
          }))}
        />
      )}
      {failed.length > 0 && (
        <Alert
          color="red"
          role="alert"
          title={overview.failed(format.list(failed.map(([name]) => frame.pages[name as keyof typeof parts])))}
        >
          <Group gap="xs">
            {failed.map(([name, part]) => (
              <Button key={name} size="compact-sm" variant="default" loading={part.isFetching} onClick={() => void part.refetch()}>
                {overview.retryPart(frame.pages[name as keyof typeof parts])}
              </Button>
            ))}
          </Group>
        </Alert>
      )}
      {/* Render the other parts below the findings only when the number of findings is known,
          because it determines their place. */}
      {!today.isPending && (
        <>
          {withStatus && <StatusCard query={status} />}
          <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} spacing="md">
            <Part
              name="projects"
              query={projects}
              read={({ count }) => ({
                count,
                parts: versions.data
                  ? [
                      { name: overview.withVersions, count: versions.data.total_projects },
                      { name: overview.withoutVersions, count: Math.max(0, count - versions.data.total_projects) },
                    ]
                  : [],
              })}
              deps={[versions.data]}
              seen={seen.has("projects")}
              onSeen={onSeen}
            />
            <Part
              name="versions"
              query={versions}
              seen={seen.has("versions")}
              onSeen={onSeen}
              read={({ total_versions, forced_versions, latest_version_time }) => ({
                count: total_versions,
                detail: latest_version_time === null ? undefined : overview.latest(format.ago(latest_version_time)),
                parts: [
                  { name: overview.forced, count: forced_versions },
                  { name: overview.optional, count: total_versions - forced_versions },
                ],
              })}
            />
            <Part
              name="announcements"
              query={announcements}
              seen={seen.has("announcements")}
              onSeen={onSeen}
              read={({ count, pinned_count }) => ({
                count,
                parts: [
                  { name: overview.pinned, count: pinned_count },
                  { name: overview.unpinned, count: count - pinned_count },
                ],
              })}
            />
            <Part
              name="feedbacks"
              query={feedbacks}
              seen={seen.has("feedbacks")}
              onSeen={onSeen}
              read={({ count, rate_count, rate_avg }) => ({
                count,
                detail: rate_avg === null ? undefined : overview.average(format.decimal(rate_avg)),
                parts: [
                  { name: overview.rated, count: rate_count },
                  { name: overview.unrated, count: count - rate_count },
                ],
              })}
            />
            <Part
              name="logs"
              query={logs}
              seen={seen.has("logs")}
              onSeen={onSeen}
              read={({ count, debug_count, info_count, warning_count, error_count }) => ({
                count,
                parts: [error_count, warning_count, info_count, debug_count].map((part, at) => ({
                  name: overview.levels[3 - at]!,
                  count: part,
                })),
              })}
            />
            <Part
              name="tokens"
              query={tokens}
              seen={seen.has("tokens")}
              onSeen={onSeen}
              read={({ data }) => {
                const active = data.filter((token) => stateOf(token) === "active").length;
                return {
                  count: data.length,
                  parts: [
                    { name: overview.active, count: active },
                    { name: overview.inactive, count: data.length - active },
                  ],
                };
              }}
            />
          </SimpleGrid>
        </>
      )}
    </Stack>
  );
}

const paths = {
  projects: "/admin/projects",
  tokens: "/admin/tokens",
  versions: "/admin/versions",
  announcements: "/admin/announcements",
  feedbacks: "/admin/feedbacks",
  logs: "/admin/logs",
} as const;

/** Heights in pixels of the total with two bars, and with four. */
const heights = { two: 112, four: 180 };

interface PartProps<T> {
  name: keyof typeof paths;
  query: Parameters<typeof Figure<T>>[0]["query"];
  read(data: T): Counted;
  deps?: readonly unknown[];
  seen: boolean;
  /** Called when the part comes into view. */
  onSeen(name: string): void;
}

/** The counts of one kind of record, as bars, with a link to the page of that kind. */
function Part<T>({ name, query, read, deps = [], seen, onSeen }: PartProps<T>): ReactNode {
  const { frame, overview } = useTexts();
  const [project] = useProjectKey();
  const title = frame.pages[name];
  const height = name === "logs" ? heights.four : heights.two;
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && onSeen(name), { threshold: 0.1 });
    observer.observe(place.current!);
    return () => observer.disconnect();
  }, [name, onSeen]);
  const heading = (
    <Title order={2} fz="md" fw={600}>
      <Anchor
        inherit
        className="lone"
        c="inherit"
        renderRoot={(props) => <PageLink to={paths[name]} search={project ? { project } : {}} {...props} />}
      >
        {title}
      </Anchor>
    </Title>
  );
  return (
    <div ref={place} data-part={name}>
      {!seen ? (
        <Paper withBorder p="md" className={styles.unseen} __vars={{ "--part": `${height}px` }} data-later>
          {heading}
        </Paper>
      ) : (
        <Figure
          id={`overview-${name}`}
          title={title}
          definition={overview.definitions[name]}
          query={query}
          height={height}
          deps={[overview, ...deps]}
          heading={heading}
          draw={(data, words) => {
            const { count, detail, parts } = read(data);
            const drawing = bars({ parts, total: count, kind: overview.kind, measure: title }, words);
            return {
              ...drawing,
              empty: false,
              label: `${title}: ${words.format.number(count)}. ${drawing.label}`,
              view: (
                <div className={styles.part}>
                  <div className={styles.head}>
                    <span className={styles.count}>{words.format.number(count)}</span>
                    {detail && (
                      <Text span size="sm" c="dimmed">
                        {detail}
                      </Text>
                    )}
                  </div>
                  {drawing.view}
                </div>
              ),
            };
          }}
        />
      )}
    </div>
  );
}
