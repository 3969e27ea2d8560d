// The fields of a project, in the table and in the drawer.

import { Avatar, Group, Stack, Text } from "@mantine/core";
import { useMemo } from "react";
import type { Project } from "svc-sdk";
import { useFormat } from "../../core/format";
import { useTexts } from "../../core/texts";
import { WebLink, WebLinkToCopy } from "../../core/weblink";
import { Rendered } from "../../fields/markdown";
import { plainText } from "../../fields/plain";
import { useRangeText } from "../../fields/range";
import type { Column } from "../../resource/resource";

export function useProjectColumns(): Column<Project>[] {
  const { projects, common } = useTexts();
  const format = useFormat();
  const range = useRangeText();
  return useMemo(() => {
    const { columns: names } = projects;
    const link = (
      id: "repo_url" | "website_url" | "docs_url" | "author_homepage_url" | "icon_url",
      title: string,
      hidden = false,
    ): Column<Project> => ({
      id,
      title,
      hidden,
      width: 180,
      render: ({ [id]: url }) => url && <WebLink address={url}>{url.replace(/^https?:\/\//, "")}</WebLink>,
      detail: ({ [id]: url }) => url && <WebLinkToCopy address={url} />,
      text: ({ [id]: url }) => url ?? "",
    });
    const time = (id: "published_at" | "created_at" | "updated_at", title: string, hidden = false): Column<Project> => ({
      id,
      title,
      hidden,
      width: 160,
      render: ({ [id]: at }) => at !== null && format.time(at),
      text: ({ [id]: at }) => (at === null ? "" : format.time(at)),
    });
    const days = (
      id: "stats_retention_days" | "event_retention_days" | "log_retention_days" | "feedback_retention_days",
      title: string,
      hidden = false,
    ): Column<Project> => ({
      id,
      title,
      hidden,
      width: 130,
      align: "right",
      render: ({ [id]: count }) => (count === null ? projects.instanceDefault : projects.days(format.number(count))),
    });
    const yes = (id: "event_collection_enabled" | "mirror_codehost_assets", title: string): Column<Project> => ({
      id,
      title,
      hidden: true,
      width: 140,
      render: ({ [id]: on }) => (on ? common.yes : common.no),
    });
    return [
      {
        id: "name",
        title: names.name,
        phone: true,
        sort: "name",
        width: 200,
        render: ({ name, icon_url: icon }) => (
          <Group gap="xs" wrap="nowrap" component="span" display="inline-flex" maw="100%">
            <Avatar
              src={icon}
              size={24}
              radius="sm"
              alt=""
              name={name}
              imageProps={{ loading: "lazy", referrerPolicy: "no-referrer" }}
              aria-hidden
            />
            <Text span inherit truncate>
              <bdi>{name}</bdi>
            </Text>
          </Group>
        ),
        text: ({ name }) => name,
      },
      { id: "project_key", title: names.key, phone: true, width: 140, render: ({ project_key: key }) => key },
      {
        id: "latest",
        title: names.latest,
        phone: true,
        width: 190,
        render: ({ latest }) =>
          latest && (
            <>
              <bdi>{latest.version}</bdi>{" "}
              <Text span inherit c="dimmed">
                {format.date(latest.published_at)}
              </Text>
            </>
          ),
        text: ({ latest }) => latest?.version ?? "",
      },
      {
        id: "last_activity_at",
        title: names.lastActivity,
        width: 166,
        render: ({ last_activity_at: at }) => at != null && format.time(at),
        text: ({ last_activity_at: at }) => (at == null ? "" : format.time(at)),
      },
      {
        id: "description",
        spare: true,
        title: names.description,
        render: ({ description }) => <bdi>{description && plainText(description).slice(0, 200)}</bdi>,
        detail: ({ description }) => description && <Rendered markdown={description} />,
        text: ({ description }) => description ?? "",
      },
      { ...link("website_url", names.website), spare: true },
      link("repo_url", names.repository, true),
      time("published_at", names.published, true),
      { id: "aliases", title: names.aliases, hidden: true, width: 140, render: ({ aliases }) => aliases.join(", ") },
      {
        id: "author",
        title: names.author,
        hidden: true,
        width: 140,
        render: ({ author }) => <bdi>{author}</bdi>,
        text: ({ author }) => author ?? "",
      },
      link("docs_url", names.docs, true),
      {
        id: "range",
        title: names.range,
        hidden: true,
        width: 150,
        render: ({ optional_update_min_comparable_version: min, optional_update_max_comparable_version: max }) => range(min, max),
      },
      days("stats_retention_days", names.statsRetention, true),
      time("created_at", names.created, true),
      days("event_retention_days", names.eventRetention, true),
      days("log_retention_days", names.logRetention, true),
      days("feedback_retention_days", names.feedbackRetention, true),
      yes("event_collection_enabled", names.collection),
      {
        id: "storage_backend_id",
        title: names.storage,
        hidden: true,
        width: 160,
        render: ({ storage_backend_id: id }) => id ?? projects.form.storageDefault,
      },
      yes("mirror_codehost_assets", names.mirror),
      link("author_homepage_url", names.authorUrl, true),
      link("icon_url", names.icon, true),
      {
        id: "translations",
        title: names.translations,
        hidden: true,
        width: 110,
        align: "right",
        render: ({ translations = [] }) => format.number(translations.length),
        detail: ({ translations = [] }) =>
          translations.map(({ locale, name, description }) => (
            <Stack key={locale} gap={4} mb="xs">
              <Text size="sm" fw={500}>
                {[locale, name].filter(Boolean).join(" · ")}
              </Text>
              {description && <Rendered markdown={description} />}
            </Stack>
          )),
      },
      time("updated_at", names.updated, true),
    ];
  }, [projects, common, format]);
}
