// The side bar, with the project, the search and the pages, and with the preferences at the bottom.
// Because it is on every page, navigation renders only the two entries that change.

import { AppShell, Box, Burger, Group, NavLink, ScrollArea, Text, UnstyledButton } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { useLocation } from "@tanstack/react-router";
import { memo } from "react";
import { PageLink } from "../core/go";
import { modKey } from "../core/keys";
import { type PageEntry, pageOf, pages } from "../core/pages";
import { useTexts } from "../core/texts";
import classes from "./frame.module.css";
import { Mark } from "./mark";
import { Preferences } from "./preferences";
import { ProjectSwitcher } from "./projectswitcher";

// This component determines the current entry. Exact matching keeps the router from marking an
// entry by the prefix of its address.
const exactly = { exact: true, includeSearch: false };

interface Props {
  /** The key of the current project, "" while there is none. */
  project: string;
  onSearch: () => void;
  /** Hides the side bar on phones, where it covers the page. */
  onClose: () => void;
}

export const SideBar = memo(function SideBar({ project, onSearch, onClose }: Props) {
  const { frame } = useTexts();
  return (
    <>
      <AppShell.Section p="xs" pb={4}>
        <Group h={40} px={8} mb={8} justify="space-between" wrap="nowrap">
          <Mark />
          <Burger opened onClick={onClose} hiddenFrom="sm" aria-label={frame.closeMenu} size="sm" className={classes["touch"]} />
        </Group>
        <ProjectSwitcher />
        <Box visibleFrom="sm" mt={8}>
          <UnstyledButton className={classes["search"]} onClick={onSearch}>
            <IconSearch size={16} aria-hidden />
            <span>{frame.palette.open}</span>
            <kbd aria-hidden>{modKey} K</kbd>
          </UnstyledButton>
        </Box>
      </AppShell.Section>
      <AppShell.Section grow component={ScrollArea} type="scroll" px="xs">
        {(["start", "publish", "users", "site"] as const).map((group) => (
          <Box key={group} mb={12}>
            {frame.groups[group] && (
              <Text size="xs" c="dimmed" fw={500} px={8} py={4} aria-hidden>
                {frame.groups[group]}
              </Text>
            )}
            {pages
              .filter((page) => page.group === group)
              .map((page) => (
                <Entry key={page.name} page={page} project={page.ofProject ? project : ""} onClick={onClose} />
              ))}
          </Box>
        ))}
      </AppShell.Section>
      <AppShell.Section p="xs" className={classes["foot"]}>
        <Preferences />
      </AppShell.Section>
    </>
  );
});

/** A link to a page. */
const Entry = memo(function Entry({ page, project, onClick }: { page: PageEntry; project: string; onClick: () => void }) {
  const { frame } = useTexts();
  const active = useLocation({ select: ({ pathname }) => pageOf(pathname) === page });
  return (
    <NavLink
      className={classes["link"]}
      renderRoot={(props) => <PageLink to={page.path} activeOptions={exactly} search={project ? { project } : {}} {...props} />}
      label={frame.pages[page.name]}
      leftSection={<page.icon size={18} stroke={1.6} aria-hidden />}
      active={active}
      aria-current={active ? "page" : undefined}
      onClick={onClick}
    />
  );
});
