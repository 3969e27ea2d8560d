// Getting started: explains the purpose of a page and shows code to paste. The code contains this
// server's address, the project's key and an API key, which users can create right there.

import { Anchor, Button, Group, Stack, Text, Title } from "@mantine/core";
import { IconKey } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Scope } from "svc-sdk";
import { FirstArrivals, Waiting } from "./arrivals";
import { clientOf } from "./client";
import { CopyButton } from "./copy";
import { Beginning, Examples } from "./example";
import { type Calls, examplesOf } from "./examples";
import { Failure } from "./failure";
import { PageLink } from "./go";
import { announcing, publishing, updating } from "./snippets";
import { useTexts } from "./texts";

const topics = { version: publishing, announcement: announcing } satisfies Record<string, (project: string) => Calls>;

/** Days after which a key that was created here expires. */
const days = 90;

/** Shown in place of an empty list: its purpose, and how to fill it from CI. */
export function Start({ title, text, topic, project }: { title: string; text: string; topic: keyof typeof topics; project: string }) {
  const { start } = useTexts();
  const [made, setMade] = useState<string | null>(null);
  if (!project) {
    return (
      <Stack gap="xs">
        <Beginning title={start.noProject} text={text} />
        <Anchor size="sm" className="lone" renderRoot={(props) => <PageLink to="/admin/projects" search={{ new: "1" }} {...props} />}>
          {start.makeProject}
        </Anchor>
      </Stack>
    );
  }
  return (
    <Stack gap={0}>
      <Beginning title={title} text={text} examples={examplesOf(project, topics[topic](project), made)} />
      <KeyInPlace project={project} scope={`${topic}s:write`} made={made} onMade={setMade} />
      {topic === "version" && <Waiting mt="md">{start.waiting.version}</Waiting>}
    </Stack>
  );
}

/** Shows code to paste into the CI and the app of a project, and what has arrived from them. */
export function ProjectStart({
  project,
  order = 3,
  onVersion,
}: {
  project: string;
  /** The level of the headings. */
  order?: 2 | 3;
  onVersion?: (() => void) | undefined;
}) {
  const { start } = useTexts();
  const [made, setMade] = useState<string | null>(null);
  return (
    <Stack gap="lg">
      <FirstArrivals project={project} onVersion={onVersion} />
      <section>
        <Title order={order} size="h5">
          {start.ci}
        </Title>
        <Text size="sm" c="dimmed" mb="xs">
          {start.ciText}
        </Text>
        <Examples examples={examplesOf(project, publishing(project), made)} />
        <KeyInPlace project={project} scope="versions:write" made={made} onMade={setMade} />
      </section>
      <section>
        <Title order={order} size="h5">
          {start.app}
        </Title>
        <Text size="sm" c="dimmed" mb="xs">
          {start.appText}
        </Text>
        <Examples examples={examplesOf(project, updating(project))} />
      </section>
    </Stack>
  );
}

/** Creates an API key for one project and one scope when the user presses its button. */
function KeyInPlace({
  project,
  scope,
  made,
  onMade,
}: {
  project: string;
  scope: Scope;
  made: string | null;
  onMade: (key: string) => void;
}) {
  const { start } = useTexts();
  const queries = useQueryClient();
  const create = useMutation({
    mutationFn: () =>
      clientOf("").admin.createApiKey({
        name: start.keyName(project),
        scopes: [scope],
        all_projects: false,
        project_ids: [project],
        expires_in_days: days,
      } as never),
    onSuccess: ({ token }) => {
      void queries.invalidateQueries({ queryKey: ["tokens"] });
      onMade(token);
    },
  });
  return (
    <Stack gap="xs" mt="xs" align="flex-start">
      <Text size="sm" c="dimmed" role="status">
        {made === null ? start.key(scope) : start.keyMade(days)}
      </Text>
      {create.error && <Failure error={create.error} />}
      <Group gap="xs" mih={36}>
        {made === null ? (
          <Button
            variant="default"
            leftSection={<IconKey size={16} aria-hidden />}
            loading={create.isPending}
            onClick={() => create.mutate()}
          >
            {start.makeKey}
          </Button>
        ) : (
          <CopyButton size="sm" text={made} label={start.copyKey} />
        )}
      </Group>
    </Stack>
  );
}
