// Shows the announcements that a client with a given version, platform and language sees.

import { Group, Modal, Paper, Select, SimpleGrid, Stack, Text, TextInput, Title } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { textParam, useParams } from "../../core/address";
import { appViewOf } from "../../core/client";
import { Failure } from "../../core/failure";
import { useFormat } from "../../core/format";
import { useTexts } from "../../core/texts";
import { Tone } from "../../core/tone";
import { useLanguageName, useLanguages } from "../../fields/languages";
import { Rendered } from "../../fields/markdown";
import { platforms, usePlatformName } from "../../fields/platforms";

const params = { as: textParam, as_version: textParam, as_platform: textParam, as_locale: textParam };

const closed = { as: "", as_version: "", as_platform: "", as_locale: "" };

type Client = Omit<typeof closed, "as">;

/** Opens the view. */
export function useClientView(): () => void {
  const [, change] = useParams(params);
  return () => change({ ...closed, as: "client" });
}

export function ClientView({ project }: { project: string }) {
  const { common, announcements } = useTexts();
  const [{ as, ...client }, change] = useParams(params);
  return (
    <Modal
      opened={as === "client"}
      onClose={() => change(closed)}
      title={announcements.client.title}
      size="lg"
      closeButtonProps={{ "aria-label": common.close }}
    >
      <Asked project={project} client={client} onChange={(part) => change(part, { replace: true })} />
    </Modal>
  );
}

function Asked({ project, client, onChange }: { project: string; client: Client; onChange: (part: Partial<Client>) => void }) {
  const { common, announcements } = useTexts();
  const texts = announcements.client;
  const platformName = usePlatformName();
  const languageName = useLanguageName();
  const { data: languages = [] } = useLanguages(project);
  const [query] = useDebouncedValue(
    {
      ...(client.as_version.trim() && { version: client.as_version.trim() }),
      ...(client.as_platform && { platform: client.as_platform }),
      ...(client.as_locale && { locale: client.as_locale }),
    },
    250,
  );
  const { data, error, refetch } = useQuery({
    queryKey: ["announcements", project, "client", JSON.stringify(query)],
    queryFn: ({ signal }) => appViewOf(project).listAnnouncements({ ...query, limit: 100 }, { signal }),
    placeholderData: keepPreviousData,
  });
  return (
    <Stack gap="md">
      <Text size="sm" c="dimmed">
        {texts.intro}
      </Text>
      <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
        <TextInput
          data-autofocus
          label={texts.version}
          description={texts.versionHint}
          maxLength={64}
          value={client.as_version}
          onChange={({ currentTarget }) => onChange({ as_version: currentTarget.value })}
        />
        <Select
          label={texts.platform}
          description={"\u00a0"}
          placeholder={texts.default}
          clearable
          clearButtonProps={{ "aria-label": common.labelled(common.reset, texts.platform) }}
          data={platforms.map((value) => ({ value, label: platformName(value) }))}
          value={client.as_platform || null}
          onChange={(platform) => onChange({ as_platform: platform ?? "" })}
        />
        <Select
          label={texts.language}
          description={"\u00a0"}
          placeholder={texts.default}
          clearable
          clearButtonProps={{ "aria-label": common.labelled(common.reset, texts.language) }}
          data={languages.map((language) => ({ value: language.locale, label: languageName(language) }))}
          value={client.as_locale || null}
          onChange={(locale) => onChange({ as_locale: locale ?? "" })}
        />
      </SimpleGrid>
      <Stack gap="sm" mih={200} aria-live="polite">
        {error && <Failure error={error} retry={() => void refetch()} />}
        {data && <Seen total={data.total} announcements={data.data} />}
      </Stack>
    </Stack>
  );
}

type PublicAnnouncements = Awaited<ReturnType<ReturnType<typeof appViewOf>["listAnnouncements"]>>["data"];

function Seen({ total, announcements: seen }: { total: number; announcements: PublicAnnouncements }) {
  const { announcements } = useTexts();
  const texts = announcements.client;
  const format = useFormat();
  if (seen.length === 0) {
    return <Text size="sm">{texts.none}</Text>;
  }
  const latest = Math.max(...seen.map(({ published_at }) => published_at));
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        {texts.total(format.number(total))}
      </Text>
      {seen.map(({ id, title, content, is_pinned, locale, published_at, author }) => (
        <Paper key={id} withBorder p="sm" component="article">
          <Group gap="xs" mb={4}>
            <Title order={3} size="h6" dir="auto">
              {title}
            </Title>
            {is_pinned && <Tone tone="info">{announcements.columns.pinned}</Tone>}
            {published_at === latest && <Tone tone="good">{texts.latest}</Tone>}
          </Group>
          <Text size="xs" c="dimmed" mb="xs">
            {[author, format.time(published_at), locale ? texts.locale(locale) : texts.inDefault].filter(Boolean).join(" · ")}
          </Text>
          <Rendered markdown={content} />
        </Paper>
      ))}
    </Stack>
  );
}
