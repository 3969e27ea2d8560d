// The fields of a version, in the table and in the drawer.

import { Stack, Text, Tooltip } from "@mantine/core";
import { useMemo } from "react";
import type { Rollout, Version, VersionUsage } from "svc-sdk";
import { type Format, useFormat } from "../../core/format";
import { useTexts } from "../../core/texts";
import { Tone, type ToneName } from "../../core/tone";
import { WebLinkToCopy } from "../../core/weblink";
import { DownloadList } from "../../fields/links";
import { Rendered } from "../../fields/markdown";
import { Platforms } from "../../fields/platforms";
import { DataTree } from "../../fields/tree";
import type { Column } from "../../resource/resource";
import { percentOf, rolloutTones } from "../../resource/rollout";
import type { Texts } from "../../texts/en";
import { UsageBar } from "./usage";

const tones = { latest: "good", preview: "info", milestone: "neutral", deprecated: "bad" } as const satisfies Record<string, ToneName>;

type Flag = keyof typeof tones;

/** Reports whether apps are offered a version that has no downloads. */
const hasNoFile = ({ is_latest, is_milestone, download_links }: Version) => (is_latest || is_milestone) && download_links.length === 0;

const flagsOf = (version: Version): Flag[] => (Object.keys(tones) as Flag[]).filter((flag) => version[`is_${flag}`]);

/** Returns the states of a version that keep users from getting it, with their tones. */
function marksOf(
  { yanked_at: yanked }: Version,
  rollout: Rollout | undefined,
  { marks }: Texts["versions"],
  format: Format,
): [string, ToneName][] {
  if (yanked !== null) {
    return [[marks.yanked, "bad"]];
  }
  const mark = rollout && marks[rollout.state as Exclude<keyof typeof marks, "yanked">];
  return mark ? [[mark(percentOf(format, rollout)), rolloutTones[rollout.state] ?? "neutral"]] : [];
}

export function useVersionColumns(usage: VersionUsage | undefined, rollouts: ReadonlyMap<string, Rollout> | undefined): Column<Version>[] {
  const { versions } = useTexts();
  const format = useFormat();
  return useMemo(() => {
    const { columns: names, flags } = versions;
    const lines = new Map(usage?.data.map((line) => [line.id, line]));
    const most = Math.max(0, ...[...lines.values()].map(({ checks }) => checks));
    return [
      { id: "version", title: names.version, phone: true, sort: "version", width: 106, render: ({ version }) => version },
      {
        id: "comparable_version",
        title: names.comparable,
        width: 164,
        hidden: true,
        render: ({ comparable_version: comparable }) => comparable,
      },
      { id: "title", title: names.title, render: ({ title }) => <bdi>{title}</bdi>, text: ({ title }) => title ?? "" },
      {
        id: "content",
        title: names.content,
        hidden: true,
        render: ({ content }) => content?.slice(0, 200),
        text: ({ content }) => content ?? "",
        detail: ({ content }) => content && <Rendered markdown={content} />,
      },
      {
        id: "flags",
        title: names.flags,
        phone: true,
        width: 130,
        render: (version) => [
          ...marksOf(version, rollouts?.get(version.id), versions, format).map(([mark, tone]) => (
            <Tone key={mark} tone={tone} children={mark} />
          )),
          ...flagsOf(version).map((flag) => <Tone key={flag} tone={tones[flag]} children={flags[flag]} />),
        ],
        text: (version) =>
          [
            ...marksOf(version, rollouts?.get(version.id), versions, format).map(([mark]) => mark),
            ...flagsOf(version).map((flag) => flags[flag]),
          ].join(", "),
      },
      {
        id: "usage",
        title: names.usage,
        width: 190,
        render: ({ id }) => usage && <UsageBar line={lines.get(id)} most={most} />,
        text: ({ id }) => String(lines.get(id)?.checks ?? 0),
      },
      {
        id: "platforms",
        spare: true,
        title: names.platforms,
        width: 118,
        render: ({ platforms: some, platform }) => <Platforms value={some.length || !platform ? some : [platform]} />,
        text: ({ platforms: some }) => some.join(", "),
      },
      {
        id: "download_links",
        title: names.links,
        width: 76,
        render: (version) =>
          hasNoFile(version) ? (
            <Tooltip label={versions.noFileHint}>
              <span>
                <Tone tone="warning">{versions.noFile}</Tone>
              </span>
            </Tooltip>
          ) : (
            format.number(version.download_links.length)
          ),
        detail: ({ download_links: links }) => <DownloadList links={links} />,
        text: ({ download_links: links }) => links.map(({ url }) => url).join(" "),
      },
      {
        id: "download_url",
        title: names.url,
        hidden: true,
        render: ({ download_url: url }) => url,
        detail: ({ download_url: url }) => url && <WebLinkToCopy address={url} />,
      },
      {
        id: "published_at",
        title: names.published,
        phone: true,
        sort: "published_at",
        width: 130,
        render: ({ published_at: at }) => format.date(at),
        detail: ({ published_at: at }) => format.time(at),
      },
      {
        id: "translations",
        spare: true,
        title: names.translations,
        width: 104,
        align: "right",
        render: ({ translations = [] }) => format.number(translations.length),
        detail: ({ translations = [] }) =>
          translations.map(({ locale, title, content }) => (
            <Stack key={locale} gap={4} mb="xs">
              <Text size="sm" fw={500}>
                {locale}
                {title && ` · ${title}`}
              </Text>
              {content && <Rendered markdown={content} />}
            </Stack>
          )),
      },
      {
        id: "created_at",
        title: names.created,
        hidden: true,
        sort: "created_at",
        width: 170,
        render: ({ created_at: at }) => format.time(at),
      },
      {
        id: "custom_data",
        title: names.custom,
        hidden: true,
        render: ({ custom_data: data }) => data && JSON.stringify(data).slice(0, 200),
        text: ({ custom_data: data }) => (data ? JSON.stringify(data) : ""),
        detail: ({ custom_data: data }) => data && <DataTree value={data} label={names.custom} />,
      },
      { id: "channel", title: names.channel, hidden: true, width: 110, render: ({ channel }) => channel },
      {
        id: "native_versions",
        title: names.native,
        hidden: true,
        render: ({ native_versions: native }) => native && Object.values(native).join(", "),
      },
      { id: "id", title: names.id, hidden: true, width: 280, render: ({ id }) => id },
    ];
  }, [versions, format, usage, rollouts]);
}
