// Code to copy.

import { Code, Group, Stack, Tabs, Text, Title } from "@mantine/core";
import { CopyButton } from "./copy";
import classes from "./example.module.css";

export interface Example {
  /** Name of the language. */
  name: string;
  code: string;
}

/** The same example in several languages. */
export function Examples({ examples }: { examples: Example[] }) {
  return (
    <Tabs defaultValue={examples[0]?.name ?? ""} keepMounted={false}>
      <Tabs.List>
        {examples.map(({ name }) => (
          <Tabs.Tab key={name} value={name}>
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {examples.map(({ name, code }) => (
        <Tabs.Panel key={name} value={name} pt="xs">
          <Stack gap="xs">
            <Code block className={classes.code} tabIndex={0} aria-label={name}>
              {code}
            </Code>
            <Group>
              <CopyButton text={code} />
            </Group>
          </Stack>
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

/** Shown on a page that has no data yet. It explains the purpose of the page and how to begin. */
export function Beginning({ title, text, examples }: { title: string; text: string; examples?: Example[] | undefined }) {
  return (
    <Stack gap="md" maw={760} py="lg">
      <Stack gap={4}>
        <Title order={2} size="h4">
          {title}
        </Title>
        <Text c="dimmed">{text}</Text>
      </Stack>
      {examples && <Examples examples={examples} />}
    </Stack>
  );
}
