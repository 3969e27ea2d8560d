// The parts that feedback and logs share. Both come from apps, and the server adds what it knows
// about the sender. All of it is untrusted, so it is only shown as text, never as a picture or a
// page.

import { Anchor, Group, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { useMemo } from "react";
import type { Format } from "../core/format";
import { parseObject } from "../fields/object";
import { PlatformName, platforms } from "../fields/platforms";
import { DataTree } from "../fields/tree";
import type { Column } from "../resource/resource";
import type { Texts } from "../texts/en";

/** The fields that feedback and logs share. */
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

/** Returns the first line of an untrusted text. A long line is cut and ends with dots. */
export function firstLine(text: string): string {
  const line = text.trim().split("\n", 1)[0] ?? "";
  return line.length > 120 ? `${line.slice(0, 120)}…` : line;
}

/** Shows an untrusted text, which may be written from right to left. */
export function SentText({ text }: { text: string }) {
  return <bdi>{text}</bdi>;
}

/** Shows a longer untrusted text. Only addresses that begin with http become links. */
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

/** Returns the platforms as the options of a field. */
export function platformChoices(name: (platform: string) => string): { value: string; label: string }[] {
  return platforms.map((value) => ({ value, label: name(value) }));
}

/** Returns the error of a text that should contain a JSON object, by field name. */
export function objectProblem(texts: Texts, field: string, text: string): Record<string, string> {
  const parsed = parseObject(text);
  return "error" in parsed ? { [field]: texts.fields.json[parsed.error] } : {};
}

/** Returns the JSON object in a text, or null if the text is blank or invalid. */
export function objectOf(text: string): Record<string, unknown> | null {
  const parsed = parseObject(text);
  return "value" in parsed ? parsed.value : null;
}

type Names = "content" | "platform" | "time" | "ip" | "country" | "region" | "city" | "user_agent" | "custom_data" | "is_hidden" | "id";

/** Returns the columns of the shared fields, by name. */
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
      width: 160,
      render: (record) => (record.platform || record.platform_version) && <PlatformAndVersion record={record} />,
      text: ({ platform, platform_version }) => [platform, platform_version].filter(Boolean).join(" "),
    },
    time: {
      id: "created_at",
      title: sent.time,
      phone: true,
      width: 180,
      render: ({ created_at }) => format.time(created_at),
      short: ({ created_at }) => format.shortTime(created_at),
      detail: ({ created_at }) => `${format.time(created_at)} (${format.ago(created_at)})`,
    },
    ip: text("ip", sent.ip, { width: 150 }),
    country: {
      id: "country",
      title: sent.country,
      width: 140,
      hidden: true,
      render: ({ country_name, country_code }) =>
        country_code === "LOCAL" ? sent.localNetwork : country_code ? format.country(country_code) : country_name,
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

/** Returns the version of the app that sent a record, or null if it is not known. Apps report it in their own data. */
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

/** Returns the column of a field with structured data. It is a line in the table and a tree in the drawer. */
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
