// The frame of every page: the side bar, the top bar on phones, and the global shortcuts. It also
// tracks whether the login is valid and the server reachable.

import { ActionIcon, AppShell, Burger, Group, UnstyledButton } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { Outlet, useLocation, useRouter } from "@tanstack/react-router";
import { useCallback, useEffect, useState } from "react";
import { type Search, useAddressPart } from "../core/address";
import { useGo } from "../core/go";
import { openDialog, useShortcuts } from "../core/keys";
import { pageOf, pages, subPages } from "../core/pages";
import { lazily, loadAhead, part, usePart } from "../core/part";
import { useProjectKey, useProjects } from "../core/project";
import { useExpired, useSession } from "../core/session";
import { recall, watch } from "../core/storage";
import { useTexts } from "../core/texts";
import { FirstProject } from "./firstproject";
import classes from "./frame.module.css";
import { LostBanner } from "./lost";
import { Mark } from "./mark";
import { SideBar } from "./sidebar";

const Palette = lazily(async () => (await import("./palette")).default);
const KeysDialog = lazily(async () => (await import("./keysdialog")).default);
const expiredDialog = part(async () => (await import("./expired")).ExpiredDialog);

/** Shows a page to a logged-in user, and otherwise the login page. */
export function Frame() {
  const loggedIn = useSession() !== null;
  const router = useRouter();
  const go = useGo();
  useEffect(() => {
    if (!loggedIn) {
      go({ to: "/login", search: { returnTo: router.state.location.href }, replace: true });
    }
  }, [loggedIn, router, go]);
  return loggedIn ? <FrameOf /> : null;
}

function FrameOf() {
  const { frame } = useTexts();
  const pathname = usePathname();
  const go = useGo();
  const [menu, { toggle, close }] = useDisclosure(false);
  const [dialog, setDialog] = useState<"palette" | "keys" | null>(null);
  const openPalette = useCallback(() => setDialog("palette"), []);
  const [project] = useProjectKey();
  const page = pageOf(pathname);
  const name = useProjects().data?.find(({ project_key }) => project_key === project)?.name;
  const ExpiredDialog = usePart(expiredDialog, useExpired());
  const queries = useQueryClient();
  useEffect(() => loadAhead(queries), [queries]);
  useTitle();
  useFocusOnHeading();
  useProjectInAddress();
  useEffect(close, [close, pathname]);
  useShortcuts([
    { key: "mod+k", label: frame.keys.palette, run: openPalette },
    { key: "?", label: frame.keys.help, run: () => setDialog("keys") },
    ...pages.map(({ name, path, key, ofProject }) => ({
      key: `g ${key}`,
      label: frame.keys.goTo(frame.pages[name]),
      run: () => go({ to: path, search: ofProject && project ? { project } : {} }),
    })),
  ]);
  return (
    <>
      {/* biome-ignore lint/a11y/useValidAnchor: it leads within the page, and must not change the address */}
      <a
        href="#content"
        className={classes["skip"]}
        onClick={(event) => {
          event.preventDefault();
          document.getElementById("content")?.focus();
        }}
      >
        {frame.skip}
      </a>
      <AppShell
        layout="alt"
        header={{ height: { base: 56, sm: 0 } }}
        navbar={{ width: 240, breakpoint: "sm", collapsed: { mobile: !menu } }}
        padding={{ base: "md", sm: "lg" }}
      >
        <AppShell.Header hiddenFrom="sm" px="xs">
          <Group h="100%" gap="xs" wrap="nowrap">
            <Burger opened={false} onClick={toggle} aria-label={frame.menu} aria-expanded={menu} size="sm" className={classes["touch"]} />
            {page?.ofProject && name ? (
              <UnstyledButton className={classes["where"]} onClick={toggle}>
                <bdi>{name}</bdi>
              </UnstyledButton>
            ) : (
              <Mark />
            )}
            <ActionIcon variant="subtle" color="gray" size={44} ms="auto" aria-label={frame.palette.open} onClick={openPalette}>
              <IconSearch size={20} aria-hidden />
            </ActionIcon>
          </Group>
        </AppShell.Header>
        <AppShell.Navbar className={classes["navbar"]} aria-label={frame.navigation}>
          <SideBar project={project} onSearch={openPalette} onClose={close} />
        </AppShell.Navbar>
        <AppShell.Main id="content" tabIndex={-1} className={classes["main"]}>
          <LostBanner />
          <Content ofProject={page?.ofProject ?? false} />
        </AppShell.Main>
      </AppShell>
      {dialog === "palette" && <Palette onClose={() => setDialog(null)} onKeys={() => setDialog("keys")} />}
      {dialog === "keys" && <KeysDialog onClose={() => setDialog(null)} />}
      {ExpiredDialog && <ExpiredDialog />}
    </>
  );
}

/**
 * Shows the page. If the page needs a project and there is none, it shows a form that creates the
 * first project instead.
 */
function Content({ ofProject }: { ofProject: boolean }) {
  const { data: projects } = useProjects();
  return ofProject && projects?.length === 0 ? <FirstProject /> : <Outlet />;
}

/**
 * Returns the path of the address. A component that uses it is not rendered again when only search
 * parameters change.
 */
function usePathname(): string {
  return useLocation({ select: ({ pathname }) => pathname });
}

/** Sets the window title to page and project. */
function useTitle(): void {
  const { frame, common } = useTexts();
  const pathname = usePathname();
  const { data: projects } = useProjects();
  const [key] = useProjectKey();
  useEffect(() => {
    const page = pageOf(pathname);
    const part = subPages.find(({ path }) => path === pathname)?.name;
    const project = page?.ofProject && projects?.find(({ project_key }) => project_key === key)?.name;
    const parts = [part && frame.settings[part], page ? frame.pages[page.name] : frame.missing.title, project, common.product];
    document.title = parts.filter(Boolean).join(" · ");
  }, [frame, common, pathname, projects, key]);
}

/** Focuses the heading of the page after the path has changed, unless a dialog has the focus. */
function useFocusOnHeading(): void {
  const router = useRouter();
  useEffect(() => {
    let last = router.state.location.pathname;
    return router.subscribe("onRendered", ({ toLocation }) => {
      if (toLocation.pathname === last) {
        return;
      }
      last = toLocation.pathname;
      if (!openDialog()) {
        const target = document.querySelector<HTMLElement>("#content h1") ?? document.getElementById("content");
        if (target && !target.hasAttribute("tabindex")) {
          target.tabIndex = -1;
        }
        target?.focus({ preventScroll: true });
      }
    });
  }, [router]);
}

/**
 * Keeps the key of the project in the address of each page that belongs to a project, so that a
 * copied address opens the same project for other users. If the user selects another project in
 * another tab, this tab follows unless a dialog is open here.
 */
function useProjectInAddress(): void {
  const router = useRouter();
  const pathname = usePathname();
  const go = useGo();
  const next = useLocation({ select: ({ search }) => (search as Search)["project"] });
  const named = useAddressPart("project");
  const [key] = useProjectKey();
  // While a page is being loaded, the location is already that of the new page, but everything else
  // still belongs to the previous page.
  const arrived = named === next;
  const wanted = arrived && pageOf(pathname)?.ofProject && key !== "" && named !== key ? key : null;
  useEffect(() => {
    if (wanted) {
      go({ to: ".", replace: true, search: (now) => ({ ...now, project: wanted }) });
    }
  }, [go, wanted]);
  useEffect(() => {
    let last = recall("project");
    return watch("project", () => {
      const next = recall("project");
      if (next && next !== last && !openDialog() && pageOf(router.state.location.pathname)?.ofProject) {
        // The new search parameters leave out the open record, because it belongs to the other
        // project.
        go({ to: ".", search: { project: next } });
      }
      last = next;
    });
  }, [router, go]);
}
