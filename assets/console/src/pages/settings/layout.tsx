// The parts that the settings pages share: the heading, links to the other pages, and sections.

import { Group, Paper, Stack, Text, Title } from "@mantine/core";
import { useLocation } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { PageLink } from "../../core/go";
import { useCurrentInView } from "../../core/inview";
import { subPages } from "../../core/pages";
import { useTexts } from "../../core/texts";
import { PageHead } from "../../resource/head";
import classes from "./settings.module.css";

export function SettingsLayout({ operations, children }: { operations: string[]; children: ReactNode }) {
  const { frame } = useTexts();
  const pathname = useLocation({ select: ({ pathname }) => pathname });
  return (
    <Stack gap="md" maw={880}>
      <PageHead title={frame.pages.settings} operations={operations} />
      <nav ref={useCurrentInView()} aria-label={frame.pages.settings} className={classes["tabs"]}>
        {subPages.map(({ path, name }) => (
          <PageLink
            key={path}
            to={path}
            className={classes["tab"]}
            activeOptions={{ exact: true, includeSearch: false }}
            data-active={pathname === path || undefined}
          >
            {frame.settings[name]}
          </PageLink>
        ))}
      </nav>
      {children}
    </Stack>
  );
}

/** A section of a page, with a heading. `aside` is shown to the right of the heading. */
export function Section({
  title,
  description,
  aside,
  children,
}: {
  title: string;
  description?: ReactNode;
  aside?: ReactNode;
  children: ReactNode;
}) {
  return (
    <Paper component="section" withBorder p={{ base: "md", sm: "lg" }} aria-label={title}>
      <Stack gap="md">
        <Group justify="space-between" align="flex-start" gap="xs">
          <Title order={2} size="h4">
            {title}
          </Title>
          {aside && <Group gap="xs">{aside}</Group>}
        </Group>
        {description && (
          <Text size="sm" c="dimmed" mt={-8}>
            {description}
          </Text>
        )}
        {children}
      </Stack>
    </Paper>
  );
}

/** Shows facts, each with its name. They are side by side if there is room. */
export function Facts({ facts }: { facts: [name: string, value: ReactNode][] }) {
  return (
    <dl className={classes["facts"]}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <Text component="dt" size="xs" c="dimmed">
            {name}
          </Text>
          <Text component="dd" size="sm" m={0} className="lines">
            {value}
          </Text>
        </div>
      ))}
    </dl>
  );
}
