// The announcements as a client of a version, platform and language gets to see them.

import { Button, Group, Modal, Paper, Select, SimpleGrid, Stack, Text, TextInput, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { textParam, useParams } from "../../app/address";
import { clientOf } from "../../app/client";
import { Failure } from "../../app/failure";
import { useFormat } from "../../app/format";
import { useTexts } from "../../app/texts";
import { Tone } from "../../app/tone";
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
      <Asked project={project} client={client} onLook={(next) => change(next, { replace: true })} />
    </Modal>
  );
}

function Asked({ project, client, onLook }: { project: string; client: Client; onLook: (client: Client) => void }) {
  const { common, announcements } = useTexts();
  const texts = announcements.client;
  const [typed, setTyped] = useState(client);
  const platformName = usePlatformName();
  const languageName = useLanguageName();
  const { data: languages = [] } = useLanguages(project);
  const set = (part: Partial<Client>) => setTyped({ ...typed, ...part });
  const query = {
    ...(client.as_version && { version: client.as_version }),
    ...(client.as_platform && { platform: client.as_platform }),
    ...(client.as_locale && { locale: client.as_locale }),
  };
  // Clients are counted: it is asked when a person looks, and not again by itself.
  const { data, error, refetch, isFetching } = useQuery({
    queryKey: ["announcements", project, "client", JSON.stringify(query)],
    queryFn: ({ signal }) => clientOf(project).public.listAnnouncements({ ...query, limit: 100 }, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });
  return (
    <Stack gap="md">
      <Text size="sm" c="dimmed">
        {texts.intro}
      </Text>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const next = { ...typed, as_version: typed.as_version.trim() };
          if (JSON.stringify(next) === JSON.stringify(client)) {
            void refetch();
          } else {
            onLook(next);
          }
        }}
      >
        <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
          <TextInput
            data-autofocus
            label={texts.version}
            description={texts.versionHint}
            maxLength={64}
            value={typed.as_version}
            onChange={({ currentTarget }) => set({ as_version: currentTarget.value })}
          />
          <Select
            label={texts.platform}
            description={"\u00a0"}
            placeholder={texts.default}
            clearable
            clearButtonProps={{ "aria-label": `${common.reset}: ${texts.platform}` }}
            data={platforms.map((value) => ({ value, label: platformName(value) }))}
            value={typed.as_platform || null}
            onChange={(platform) => set({ as_platform: platform ?? "" })}
          />
          <Select
            label={texts.language}
            description={"\u00a0"}
            placeholder={texts.default}
            clearable
            clearButtonProps={{ "aria-label": `${common.reset}: ${texts.language}` }}
            data={languages.map((language) => ({ value: language.locale, label: languageName(language) }))}
            value={typed.as_locale || null}
            onChange={(locale) => set({ as_locale: locale ?? "" })}
          />
        </SimpleGrid>
        <Group justify="flex-end" mt="sm">
          <Button type="submit" loading={isFetching}>
            {texts.look}
          </Button>
        </Group>
      </form>
      {error && <Failure error={error} retry={() => void refetch()} />}
      {data && <Seen total={data.total} announcements={data.data} />}
    </Stack>
  );
}

type PublicAnnouncements = Awaited<ReturnType<ReturnType<typeof clientOf>["public"]["listAnnouncements"]>>["data"];

function Seen({ total, announcements: seen }: { total: number; announcements: PublicAnnouncements }) {
  const { announcements } = useTexts();
  const texts = announcements.client;
  const format = useFormat();
  if (seen.length === 0) {
    return (
      <Text size="sm" role="status">
        {texts.none}
      </Text>
    );
  }
  const latest = Math.max(...seen.map(({ published_at }) => published_at));
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed" role="status">
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
