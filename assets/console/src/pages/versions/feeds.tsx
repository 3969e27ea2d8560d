// The feeds of a project: for each updater its state, its address, the configuration to paste into the
// app, and what is left out.

import { Button, Group, List, Paper, SegmentedControl, Select, Skeleton, Stack, Text, Title } from "@mantine/core";
import { IconArrowLeft } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Fragment } from "react";
import type { FeedState } from "svc-sdk";
import { choiceParam, textParam, useParams } from "../../core/address";
import { clientOf } from "../../core/client";
import { CopyButton } from "../../core/copy";
import { Failure } from "../../core/failure";
import { useFormat } from "../../core/format";
import { PageLink } from "../../core/go";
import { useProjectKey } from "../../core/project";
import { useTexts } from "../../core/texts";
import { Tone, type ToneName } from "../../core/tone";
import { WebLinkToCopy } from "../../core/weblink";
import { PageHead } from "../../resource/head";
import styles from "./rollout.module.css";
import { baseOf, updatersOf } from "./updaters";

const params = { channel: textParam, show: choiceParam(["used", "all"]) };

const tones: Record<string, ToneName> = { ok: "good", problems: "warning" };

/** The maximum number of files that are listed below a problem. */
const most = 12;

export default function FeedsPage() {
  const { common, feeds: texts, versions } = useTexts();
  const [project] = useProjectKey();
  const [{ channel: asked, show }, change] = useParams(params);
  const { data, error, refetch } = useQuery({
    queryKey: ["versions", project, "feeds"],
    queryFn: ({ signal }) => clientOf(project).admin.getFeeds({ signal }),
    enabled: project !== "",
  });
  const channels = [...new Set(data?.data.map(({ channel }) => channel))];
  const channel = channels.includes(asked) ? asked : (channels[0] ?? "stable");
  const updaters = updatersOf(baseOf(data?.data[0]?.url ?? ""), channel);
  const lines = updaters.flatMap((updater) => {
    const feed = data?.data.find((one) => one.format === updater.format && one.channel === channel);
    return feed && (show === "all" || feed.version !== null || feed.state === "problems") ? [{ updater, feed }] : [];
  });
  return (
    <Stack gap="md">
      <PageHead
        title={texts.title}
        about={texts.about(project)}
        tools={
          <Button
            variant="default"
            leftSection={<IconArrowLeft size={16} aria-hidden />}
            renderRoot={(props) => <PageLink to="/admin/versions" search={{ project }} {...props} />}
          >
            {versions.title}
          </Button>
        }
        operations={["getFeeds"]}
      />
      <Group gap="sm">
        <Select
          w={180}
          aria-label={texts.channel}
          allowDeselect={false}
          data={channels.length > 0 ? channels : ["stable"]}
          value={channel}
          onChange={(next) => change({ channel: next ?? "" })}
        />
        <SegmentedControl
          aria-label={texts.show}
          value={show}
          onChange={(next) => change({ show: next as "used" })}
          data={[
            { value: "used", label: texts.onlyUsed },
            { value: "all", label: texts.all },
          ]}
        />
      </Group>
      {error ? (
        <Failure error={error} retry={() => void refetch()} />
      ) : !data ? (
        <Skeleton height={480} role="status" aria-label={common.loading} />
      ) : lines.length === 0 ? (
        <Text c="dimmed">{texts.none}</Text>
      ) : (
        lines.map(({ updater, feed }) => <Feed key={updater.format} {...{ updater, feed }} />)
      )}
    </Stack>
  );
}

function Feed({ updater, feed }: { updater: ReturnType<typeof updatersOf>[number]; feed: FeedState }) {
  const { assets, feeds: texts } = useTexts();
  const format = useFormat();
  const name = updater.format === "latest" ? texts.latest : updater.name;
  // The same problem often concerns many files.
  const problems = new Map<string, string[]>();
  for (const { code, version, asset, message } of feed.problems) {
    const problem = assets.codes[code] ?? message;
    problems.set(problem, [...(problems.get(problem) ?? []), texts.of(version, asset ?? "")]);
  }
  return (
    <Paper withBorder p="md" component="section" aria-label={name}>
      <Stack gap="xs" className={styles.file}>
        <Group gap="xs">
          <Title order={2} fz="md" fw={600}>
            {name}
          </Title>
          <Tone tone={tones[feed.state]}>{texts.states[feed.state] ?? feed.state}</Tone>
        </Group>
        <Text size="sm">{feed.version === null ? texts.nothing : texts.shown(feed.version)}</Text>
        <Text size="xs" c="dimmed">
          {texts.address}
        </Text>
        <WebLinkToCopy address={feed.url} />
        <Group justify="space-between" gap="xs">
          <Text size="xs" c="dimmed">
            {texts.configuration(updater.where)}
          </Text>
          <CopyButton text={updater.config} />
        </Group>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard */}
        <pre className={styles.config} tabIndex={0}>
          {updater.config}
        </pre>
        {problems.size > 0 && (
          <>
            <Text size="xs" c="dimmed">
              {texts.left}
            </Text>
            <List size="sm" spacing={4} aria-label={texts.left}>
              {[...problems].map(([problem, places]) => (
                <List.Item key={problem}>
                  {problem}
                  <Text size="xs" c="dimmed">
                    {places.slice(0, most).map((place, at) => (
                      <Fragment key={place}>
                        {at > 0 && " · "}
                        <bdi>{place}</bdi>
                      </Fragment>
                    ))}
                    {places.length > most && ` · ${texts.more(format.number(places.length - most))}`}
                  </Text>
                </List.Item>
              ))}
            </List>
          </>
        )}
      </Stack>
    </Paper>
  );
}
