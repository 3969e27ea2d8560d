import { Button, Stack, Text } from "@mantine/core";
import { IconEye, IconEyeOff, IconPin, IconPinnedOff } from "@tabler/icons-react";
import { useMemo } from "react";
import type { Announcement } from "svc-sdk";
import { type Admin, clientOf } from "../../core/client";
import { now } from "../../core/clock";
import { useFormat } from "../../core/format";
import { useProjectKey } from "../../core/project";
import { Start } from "../../core/start";
import { useTexts } from "../../core/texts";
import { Tone, type ToneName } from "../../core/tone";
import { useLanguages } from "../../fields/languages";
import { Rendered } from "../../fields/markdown";
import { plainText } from "../../fields/plain";
import { Platforms, platforms, usePlatformName } from "../../fields/platforms";
import { useRangeText } from "../../fields/range";
import { useAct } from "../../resource/act";
import { ResourcePage } from "../../resource/page";
import { stateOf } from "../../resource/record";
import type { Action, Column, Filter, ListQuery, Resource } from "../../resource/resource";
import { ClientView, useClientView } from "./client";
import { check, copyOf, type Draft, draftOf, empty, fieldsOf } from "./draft";
import { AnnouncementForm } from "./form";

const list = (admin: Admin, query: ListQuery, signal: AbortSignal) => admin.listAnnouncements(query, { signal });
const get = (admin: Admin, id: string, signal: AbortSignal) => admin.getAnnouncement(id, { signal });

/** Heights of the line of tools, which phones have above the list. */
const toolHeights = { wide: 0, phone: 36 };

export default function AnnouncementsPage() {
  const [project] = useProjectKey();
  // Request the languages together with the list, so that the form has its tabs as soon as it is
  // opened.
  useLanguages(project);
  const resource = useAnnouncements(project);
  return (
    <>
      <ResourcePage resource={resource} />
      <ClientView project={project} />
    </>
  );
}

function useAnnouncements(project: string): Resource<Announcement, Draft> {
  const texts = useTexts();
  const { announcements } = texts;
  const columns = useAnnouncementColumns();
  const filters = useFilters();
  const actions = useActions(project);
  const look = useClientView();
  return useMemo(
    () => ({
      name: "announcements",
      title: announcements.title,
      noun: announcements.noun,
      id: ({ id }) => id,
      label: ({ title }) => title,
      columns,
      lines: 2,
      otherHeights: toolHeights,
      dimmed: ({ is_hidden, expires_at }) => is_hidden || (expires_at !== null && expires_at <= now()),
      filters,
      list,
      get,
      form: {
        empty,
        from: draftOf,
        copy: copyOf,
        check: (draft, record) => check(draft, record, texts),
        render: (inputs, record) => <AnnouncementForm {...{ inputs, record, project }} />,
        create: (admin, draft) => admin.createAnnouncement(fieldsOf(draft) as never),
        update: (admin, { id }, draft, ifMatch) => admin.updateAnnouncement(id, fieldsOf(draft), { ifMatch }),
        etag: (admin, record) => stateOf(record, (options) => admin.getAnnouncement(record.id, options)),
      },
      actions,
      remove: {
        run: (admin, { id }) => admin.deleteAnnouncement(id),
        consequences: () => <Text size="sm">{announcements.deletion.instead}</Text>,
      },
      tools: (
        <Button variant="default" leftSection={<IconEye size={16} aria-hidden />} onClick={look}>
          {announcements.client.open}
        </Button>
      ),
      empty: <Start title={announcements.empty.title} text={announcements.empty.text} topic="announcement" project={project} />,
      operations: [
        "listAnnouncements",
        "createAnnouncement",
        "getAnnouncement",
        "updateAnnouncement",
        "deleteAnnouncement",
        "listPublicAnnouncements",
        "getLatestAnnouncement",
      ],
    }),
    [texts, columns, filters, actions, project],
  );
}

function useAnnouncementColumns(): Column<Announcement>[] {
  const { announcements } = useTexts();
  const format = useFormat();
  const range = useRangeText();
  return useMemo(() => {
    const { columns: names } = announcements;
    const time = (id: "published_at" | "created_at" | "updated_at", title: string, hidden: boolean): Column<Announcement> => ({
      id,
      title,
      hidden,
      phone: id === "published_at",
      width: 178,
      ...(id !== "updated_at" && { sort: id }),
      render: (record) => format.time(record[id]),
    });
    return [
      {
        id: "title",
        title: names.title,
        phone: true,
        sort: "title",
        render: ({ title }) => <bdi>{title}</bdi>,
        second: ({ content }) => <bdi>{beginningOf(content)}</bdi>,
        detail: ({ title }) => <bdi>{title}</bdi>,
        text: ({ title }) => title,
      },
      {
        id: "state",
        title: names.state,
        phone: true,
        width: 110,
        render: (record) => statesOf(record).map((state) => <Tone key={state} tone={tones[state]} children={names[state]} />),
        text: (record) =>
          statesOf(record)
            .map((state) => names[state])
            .join(", "),
      },
      {
        id: "content",
        title: names.content,
        width: 130,
        hidden: true,
        render: ({ content }) => <bdi>{content.slice(0, 200)}</bdi>,
        detail: ({ content }) => <Rendered markdown={content} />,
        text: ({ content }) => content,
      },
      {
        id: "author",
        title: names.author,
        width: 110,
        hidden: true,
        render: ({ author }) => <bdi>{author}</bdi>,
        text: ({ author }) => author ?? "",
      },
      {
        id: "platforms",
        spare: true,
        title: names.platforms,
        width: 118,
        render: ({ platforms: some }) => <Platforms value={some} />,
        text: ({ platforms: some }) => some.join(", "),
      },
      {
        id: "range",
        title: names.range,
        width: 120,
        render: ({ min_comparable_version: min, max_comparable_version: max }) => range(min, max),
      },
      {
        id: "translations",
        spare: true,
        title: names.translations,
        width: 104,
        align: "right",
        render: ({ translations = [] }) => format.number(translations.length),
        detail: ({ translations = [] }) =>
          translations.map(({ locale, title, content, is_hidden }) => (
            <Stack key={locale} gap={4} mb="xs">
              <Text size="sm" fw={500}>
                {[locale, title].filter(Boolean).join(" · ")} {is_hidden && <Tone tone="warning">{names.hidden}</Tone>}
              </Text>
              {content && <Rendered markdown={content} />}
            </Stack>
          )),
      },
      time("published_at", names.published, false),
      {
        id: "expires_at",
        title: names.expires,
        spare: true,
        width: 178,
        render: ({ expires_at: at }) => at !== null && format.time(at),
      },
      time("created_at", names.created, true),
      time("updated_at", names.updated, true),
      { id: "id", title: names.id, hidden: true, width: 280, render: ({ id }) => id },
    ];
  }, [announcements, format]);
}

/** Returns the first line of a Markdown text, without the marks at its beginning. */
function beginningOf(content: string): string {
  const line = content.split("\n").find((line) => /[\p{L}\p{N}]/u.test(line)) ?? "";
  return plainText(line).slice(0, 200);
}

const tones = { pinned: "info", hidden: "warning", expired: "neutral" } as const satisfies Record<string, ToneName>;

function statesOf({ is_pinned, is_hidden, expires_at }: Announcement): (keyof typeof tones)[] {
  const expired = expires_at !== null && expires_at <= now();
  return [is_pinned && ("pinned" as const), is_hidden && ("hidden" as const), expired && ("expired" as const)].filter(
    (state) => state !== false,
  );
}

function useFilters(): Filter[] {
  const { announcements } = useTexts();
  const platformName = usePlatformName();
  return useMemo(() => {
    const { filters: texts } = announcements;
    return [
      { id: "platform", label: texts.platform, kind: "choice", choices: platforms.map((value) => ({ value, label: platformName(value) })) },
      {
        id: "is_pinned",
        label: texts.pinned,
        kind: "choice",
        choices: [
          { value: "true", label: texts.onlyPinned },
          { value: "false", label: texts.notPinned },
        ],
      },
      {
        id: "is_hidden",
        label: texts.hidden,
        kind: "choice",
        choices: [
          { value: "true", label: texts.onlyHidden },
          { value: "false", label: texts.notHidden },
        ],
      },
      {
        id: "expired",
        label: texts.expired,
        kind: "choice",
        choices: [
          { value: "true", label: texts.onlyExpired },
          { value: "false", label: texts.notExpired },
        ],
      },
    ];
  }, [announcements]);
}

function useActions(project: string): (record: Announcement) => Action<Announcement>[] {
  const { announcements: texts } = useTexts();
  const act = useAct("announcements");
  return useMemo(() => {
    const { admin } = clientOf(project);
    const turn = (field: "is_pinned" | "is_hidden", { id, ...record }: Announcement, done: string) => {
      const set = (on: boolean) => () => admin.updateAnnouncement(id, { [field]: on });
      return act(set(!record[field]), done, set(record[field])).then(() => undefined);
    };
    return ({ is_pinned: pinned, is_hidden: hidden, title }) => [
      {
        id: "pin",
        label: pinned ? texts.unpin : texts.pin,
        icon: pinned ? <IconPinnedOff size={16} aria-hidden /> : <IconPin size={16} aria-hidden />,
        run: (record) => turn("is_pinned", record, pinned ? texts.unpinned(title) : texts.pinned(title)),
      },
      {
        id: "hide",
        label: hidden ? texts.show : texts.hide,
        icon: hidden ? <IconEye size={16} aria-hidden /> : <IconEyeOff size={16} aria-hidden />,
        run: (record) => turn("is_hidden", record, hidden ? texts.shown(title) : texts.hidden(title)),
      },
    ];
  }, [project, texts, act]);
}
