// Shared parts of feedback and logs. Both come from apps and contain data about the sender noted by
// the server. All of it is untrusted text, so it is shown only as text, never as a picture or page.

import { Anchor, Group, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { useMemo } from "react";
import type { Format } from "../core/format";
import { parseObject } from "../fields/object";
import { PlatformName, platforms } from "../fields/platforms";
import { DataTree } from "../fields/tree";
import type { Column } from "../resource/resource";
import type { Texts } from "../texts/en";

/** The shared fields. */
export interface Sent {
  id: string;
  content: string;
  is_hidden: boolean;
  platform: string | null;
  platform_version: string | null;
  custom_data: Record<string, unknown> | null;
  ip: string | null;
  user_agent: string | null;
  country_code: string | null;
  country_name: string | null;
  region_name: string | null;
  city: string | null;
  created_at: number;
}

/** The first line of an untrusted text, with dots if it is long. */
export function firstLine(text: string): string {
  const line = text.trim().split("\n", 1)[0] ?? "";
  return line.length > 120 ? `${line.slice(0, 120)}…` : line;
}

/** An untrusted text with its own direction. */
export function SentText({ text }: { text: string }) {
  return <bdi>{text}</bdi>;
}

/** A longer untrusted text. Only parts that begin with http become links. */
export function SentLines({ text }: { text: string }) {
  const parts = useMemo(() => text.split(/(https?:\/\/[^\s<>"'`)\]}]+)/), [text]);
  return (
    <div dir="auto" className="lines">
      {parts.map((part, i) =>
        i % 2 ? (
          <Anchor key={i} href={part} target="_blank" rel="noopener noreferrer nofollow ugc" inherit>
            {part}
          </Anchor>
        ) : (
          part
        ),
      )}
    </div>
  );
}

/** Platform and version of the sender, as determined by the server. */
function PlatformAndVersion({ record: { platform, platform_version } }: { record: Sent }) {
  return (
    <Group gap={6} wrap="nowrap" component="span" display="inline-flex" maw="100%">
      {platform && <PlatformName platform={platform} />}
      {platform_version && (
        <Text component="bdi" size="sm" c="dimmed" truncate>
          {platform_version}
        </Text>
      )}
    </Group>
  );
}

/** The platforms as choices. */
export function platformChoices(name: (platform: string) => string): { value: string; label: string }[] {
  return platforms.map((value) => ({ value, label: name(value) }));
}

/** The error of a text that should contain an object, by field name. */
export function objectProblem(texts: Texts, field: string, text: string): Record<string, string> {
  const parsed = parseObject(text);
  return "error" in parsed ? { [field]: texts.fields.json[parsed.error] } : {};
}

/** The object in a text, or null if there is an error. */
export function objectOf(text: string): Record<string, unknown> | null {
  const parsed = parseObject(text);
  return "value" in parsed ? parsed.value : null;
}

type Names = "content" | "platform" | "time" | "ip" | "country" | "region" | "city" | "user_agent" | "custom_data" | "is_hidden" | "id";

/** Columns of the shared fields, by name. */
export function sentColumns<R extends Sent>(texts: Texts, format: Format): Record<Names, Column<R>> {
  const { sent, common } = texts;
  const text = (id: keyof Sent & Names, title: string, more: Partial<Column<R>> = {}): Column<R> => ({
    id,
    title,
    render: (record) => record[id] && <SentText text={record[id] as string} />,
    hidden: true,
    ...more,
  });
  return {
    content: text("content", sent.content, {
      hidden: false,
      main: true,
      phone: true,
      render: ({ content }) => content.trim() && <SentText text={content} />,
      detail: ({ content }) => content && <SentLines text={content} />,
    }),
    platform: {
      id: "platform",
      title: sent.platform,
      width: 190,
      render: (record) => (record.platform || record.platform_version) && <PlatformAndVersion record={record} />,
      text: ({ platform, platform_version }) => [platform, platform_version].filter(Boolean).join(" "),
    },
    time: {
      id: "created_at",
      title: sent.time,
      phone: true,
      width: 170,
      render: ({ created_at }) => format.time(created_at),
      detail: ({ created_at }) => `${format.time(created_at)} (${format.ago(created_at)})`,
    },
    ip: text("ip", sent.ip, { width: 150 }),
    country: {
      id: "country",
      title: sent.country,
      width: 140,
      hidden: true,
      render: ({ country_name, country_code }) => country_name ?? country_code,
      text: ({ country_name, country_code }) => [country_name, country_code].filter(Boolean).join(" "),
    },
    region: {
      ...text("ip", sent.region, { width: 140 }),
      id: "region",
      render: ({ region_name }) => region_name && <SentText text={region_name} />,
      text: ({ region_name }) => region_name ?? "",
    },
    city: {
      ...text("ip", sent.city, { width: 140 }),
      id: "city",
      render: ({ city }) => city && <SentText text={city} />,
      text: ({ city }) => city ?? "",
    },
    user_agent: text("user_agent", sent.userAgent, { width: 260 }),
    custom_data: treeColumn("custom_data", sent.customData),
    is_hidden: {
      id: "is_hidden",
      title: sent.hidden,
      width: 90,
      hidden: true,
      render: ({ is_hidden }) => (is_hidden ? common.yes : common.no),
    },
    id: { id: "id", title: sent.id, width: 300, hidden: true, render: ({ id }) => id },
  };
}

/** The version of the app that sent a record, as apps report it in their own data; null if unknown. */
export function appVersionOf(record: { device_info?: object | null; custom_data: object | null }): string | null {
  const reported = [record.device_info, record.custom_data].map(
    (data) => (data as { app_version?: unknown } | null | undefined)?.app_version,
  );
  return reported.find((version): version is string => typeof version === "string" && version !== "" && version.length <= 64) ?? null;
}

export function appVersionColumn<R extends Sent & { device_info?: object | null }>(title: string): Column<R> {
  const version = (record: R) => appVersionOf(record) ?? "";
  return { id: "app_version", title, width: 90, render: (record) => version(record) && <SentText text={version(record)} />, text: version };
}

/** A field of structured data: a line in the table, a tree in the drawer. */
export function treeColumn<R extends object>(id: keyof R & string, title: string): Column<R> {
  const value = (record: R) => record[id] as object | null;
  return {
    id,
    title,
    width: 260,
    hidden: true,
    render: (record): ReactNode => value(record) && <code>{JSON.stringify(value(record))}</code>,
    text: (record) => JSON.stringify(value(record)),
    detail: (record) => value(record) && <DataTree value={value(record)} label={title} />,
  };
}
