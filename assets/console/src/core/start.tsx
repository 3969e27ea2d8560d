// Getting started: the purpose, and code to paste, with this server's address, the project's key
// and a placeholder for the API key.

import { Anchor, Stack, Text, Title } from "@mantine/core";
import { Beginning, Examples } from "./example";
import { type Calls, examplesOf } from "./examples";
import { PageLink } from "./go";
import { announcing, publishing, updating } from "./snippets";
import { useTexts } from "./texts";

const topics = { version: publishing, announcement: announcing } satisfies Record<string, (project: string) => Calls>;

/** Shown in place of an empty list: its purpose, and how to fill it from CI. */
export function Start({ title, text, topic, project }: { title: string; text: string; topic: keyof typeof topics; project: string }) {
  const { start } = useTexts();
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
      <Beginning title={title} text={text} examples={examplesOf(project, topics[topic](project))} />
      <KeyHint project={project} scope={`${topic}s:write`} />
    </Stack>
  );
}

/** Code to paste into CI and into the app of a project. */
export function ProjectStart({ project }: { project: string }) {
  const { start } = useTexts();
  return (
    <Stack gap="lg">
      <section>
        <Title order={3} size="h5">
          {start.ci}
        </Title>
        <Text size="sm" c="dimmed" mb="xs">
          {start.ciText}
        </Text>
        <Examples examples={examplesOf(project, publishing(project))} />
        <KeyHint project={project} scope="versions:write" />
      </section>
      <section>
        <Title order={3} size="h5">
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

function KeyHint({ project, scope }: { project: string; scope: string }) {
  const { start } = useTexts();
  return (
    <Text size="sm" c="dimmed" mt="xs">
      {start.key(scope)}{" "}
      <Anchor
        size="sm"
        className="lone"
        underline="always"
        renderRoot={(props) => <PageLink to="/admin/tokens" search={{ project, new: "1" }} {...props} />}
      >
        {start.makeKey}
      </Anchor>
    </Text>
  );
}
