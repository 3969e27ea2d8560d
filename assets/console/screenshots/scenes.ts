// The scenes of the screenshots: every page, with the dialogs that open on it. A scene is an
// address and the steps before the screenshot.

import type { Page } from "@playwright/test";
import type { Server } from "../tests/server";

export interface Scene {
  name: string;
  path: string;
  /** Use the server without data. */
  empty?: boolean;
  /** Not logged in. */
  visitor?: boolean;
  /** Needs the data of the demo. */
  demo?: boolean;
  /** Only with one width. */
  only?: "phone" | "desktop";
  /** Whether something covers the page, so that only the visible part counts. */
  above?: boolean;
  prepare?: (page: Page) => Promise<void>;
}

export const project = "quillmere";

interface Kind {
  name: string;
  path: string;
  /** Path of its records, below the project. */
  list?: string;
  /** Dialogs of the page. */
  dialogs: string[];
}

const kinds: Kind[] = [
  { name: "projects", path: "/admin/projects", dialogs: ["open", "new", "edit", "delete", "start"] },
  { name: "versions", path: "/admin/versions", list: "versions", dialogs: ["open", "new", "edit", "copy", "delete"] },
  { name: "files", path: "/admin/files", list: "files", dialogs: ["open", "delete", "upload"] },
  { name: "announcements", path: "/admin/announcements", list: "announcements", dialogs: ["open", "new", "edit", "delete"] },
  { name: "feedbacks", path: "/admin/feedbacks", list: "feedbacks", dialogs: ["open", "new", "edit", "delete"] },
  { name: "logs", path: "/admin/logs", list: "logs", dialogs: ["open", "new"] },
];

const press = (key: string) => async (page: Page) => {
  await page.locator("h1").first().waitFor();
  await page.keyboard.press(key);
  await page.getByRole("dialog").first().waitFor();
};

/** All scenes whose records the server has. Those of the demo are in all of them. */
export async function scenes(demo: Server): Promise<Scene[]> {
  const list: Scene[] = [
    { name: "login", path: "/login", visitor: true },
    { name: "today", path: `/admin?project=${project}` },
    { name: "first-project", path: "/admin", empty: true },
    { name: "instance", path: "/admin/instance" },
    { name: "palette", path: "/admin", above: true, prepare: press("Control+k") },
    { name: "keys", path: "/admin", above: true, prepare: press("?") },
    { name: "statistics", path: `/admin/analytics?project=${project}` },
    { name: "statistics-30d", path: `/admin/analytics?project=${project}&range=30d` },
    { name: "statistics-long-name", path: "/admin/analytics?project=tidebrook-field-guide&range=90d" },
    { name: "nothing-here", path: "/admin/no-such-page" },
  ];
  for (const { name, path, list: at, dialogs } of kinds) {
    const data = await records(demo, at);
    list.push({ name, path: `${path}?project=${project}` });
    list.push({ name: `${name}-empty`, path, empty: true });
    list.push({ name: `${name}-nothing-found`, path: `${path}?project=${project}&q=zzzz` });
    list.push({ name: `${name}-api`, path: `${path}?project=${project}&help=1`, above: true });
    for (const dialog of dialogs) {
      list.push({
        name: `${name}-${dialog}`,
        path: `${path}?project=${project}&${dialog}=${dialog === "new" || dialog === "upload" ? "1" : data[0]}`,
        above: true,
      });
    }
  }
  const arabic = await records(demo, "feedbacks?limit=100", ({ content }) => /\p{Script=Arabic}/u.test(String(content)));
  list.push({ name: "feedbacks-arabic", path: `/admin/feedbacks?project=${project}&open=${arabic[0]}`, above: true });
  const news = await records(demo, "announcements");
  const hooks = await records(demo, "hooks");
  const groups = await records(demo, "log-groups?search=answer");
  const failed = await records(demo, "logs?level=3&search=E42&platform=android");
  list.push({ name: "logs-error", path: `/admin/logs?project=${project}&level=3&q=E42&open=${failed[0]}`, above: true });
  const notes = await records(demo, "versions?limit=100", ({ version }) => version === "4.0.0");
  list.push({ name: "versions-notes", path: `/admin/versions?project=${project}&open=${notes[0]}`, above: true });
  for (const page of ["", "definitions", "funnel", "retention", "paths", "explore", "dashboard"]) {
    list.push({ name: `events${page && "-"}${page}`, path: `/admin/events${page && "/"}${page}?project=${project}&range=30d` });
  }
  list.push(
    { name: "events-funnel-result", path: question("funnel", { steps: funnel }), demo: true, prepare: drawn },
    { name: "events-retention-result", path: question("retention", { start: "app_opened" }), demo: true, prepare: drawn },
    { name: "events-explore-result", path: question("explore", { query: metric }), demo: true, prepare: drawn },
    { name: "events-empty", path: "/admin/events", empty: true },
    { name: "versions-usage", path: `/admin/versions?project=${project}&usage=all`, above: true },
    { name: "release", path: `/admin/versions/release?project=${project}` },
    { name: "rollouts", path: "/admin/versions/release?project=wicklume" },
    { name: "feeds", path: "/admin/versions/feeds?project=wicklume" },
    { name: "distribution", path: "/admin/versions/distribution?project=wicklume" },
    { name: "distribution-few", path: `/admin/versions/distribution?project=${project}` },
    { name: "versions-simulator", path: `/admin/versions?project=${project}&simulate=1&sim_version=4.2.1`, above: true },
    {
      name: "announcements-language",
      demo: true, // the announcement has two languages
      path: `/admin/announcements?project=${project}&edit=${news[0]}`,
      above: true,
      prepare: async (page) => page.getByRole("dialog").getByRole("tab").nth(1).click(),
    },
    {
      name: "announcements-calendar",
      path: `/admin/announcements?project=${project}&edit=${news[0]}`,
      above: true,
      prepare: async (page) => {
        await page.getByRole("dialog").locator(".mantine-TextInput-section button").first().click();
        await page.locator(".mantine-InlineDateTimePicker-root").waitFor();
      },
    },
    {
      name: "own-range",
      path: `/admin/analytics?project=${project}`,
      above: true,
      prepare: async (page) => {
        await page.locator("button:has(.tabler-icon-calendar)").first().click();
        await page.locator("form .mantine-TextInput-section button").last().click();
        await page.locator(".mantine-InlineDateTimePicker-root").waitFor();
      },
    },
    {
      name: "menu",
      path: "/admin",
      only: "phone",
      above: true,
      prepare: async (page) => page.getByRole("banner").getByRole("button").first().click(),
    },
    { name: "logs-groups", path: `/admin/logs/groups?project=${project}` },
    { name: "logs-groups-empty", path: "/admin/logs/groups", empty: true },
    { name: "logs-group", path: `/admin/logs/group?project=${project}&open=${groups[0]}` },
    { name: "logs-group-edit", path: `/admin/logs/group?project=${project}&open=${groups[0]}&edit=${groups[0]}`, above: true },
    { name: "tokens", path: "/admin/tokens" },
    { name: "tokens-new", path: "/admin/tokens?new=1", above: true },
    { name: "tokens-rotate", path: `/admin/tokens?rotate=${await token(demo)}`, above: true },
    { name: "projects-integration", path: `/admin/projects/codehost?project=${project}` },
    { name: "projects-hooks", path: `/admin/projects/hooks?project=${project}` },
    { name: "projects-hooks-edit", path: `/admin/projects/hooks?project=${project}&edit=${hooks[0]}`, above: true },
    { name: "projects-hooks-deliveries", path: `/admin/projects/hooks?project=${project}&hook=${hooks[0]}` },
    { name: "projects-hooks-new", path: `/admin/projects/hooks?project=${project}&new=1`, above: true },
    { name: "settings", path: "/admin/settings" },
    { name: "settings-codehost-app", path: "/admin/settings/codehost-app" },
    { name: "settings-translation", path: "/admin/settings/translation" },
    { name: "settings-storage", path: "/admin/settings/storage" },
    { name: "settings-storage-new", path: "/admin/settings/storage?new=1", above: true },
    { name: "settings-hooks", path: "/admin/settings/hooks" },
    { name: "settings-terms", path: "/admin/settings/terms" },
    { name: "about", path: "/admin/about" },
    { name: "public-home", path: "/", visitor: true },
    { name: "public-project", path: `/projects/${project}`, visitor: true },
    { name: "public-project-long-name", path: "/projects/tidebrook-field-guide", visitor: true },
    { name: "public-no-project", path: "/projects/no-such-project", visitor: true },
    { name: "public-terms", path: "/terms/privacy-policy", visitor: true },
    { name: "public-reference", path: "/doc", visitor: true },
  );
  return list.filter(({ path }) => !path.includes("undefined"));
}

/** The address of an analysis of the demo's events. */
function question(page: string, parts: Record<string, unknown>): string {
  const search = new URLSearchParams({ project, range: "30d" });
  for (const [name, part] of Object.entries(parts)) {
    search.set(name, typeof part === "string" ? part : JSON.stringify(part));
  }
  return `/admin/events/${page}?${search}`;
}

const drawn = async (page: Page) => page.locator('[data-figure="result"] :is([data-drawn], table)').first().waitFor();

const funnel = ["app_opened", "document_created", "document_exported", "paywall_shown"].map((event_name) => ({ event_name, filters: [] }));

const metric = {
  type: "timeseries",
  events: [
    { name: "document_created", alias: "A", measure: "count", filters: [] },
    { name: "document_exported", alias: "B", measure: "count", filters: [] },
  ],
};

async function token(demo: Server): Promise<string | undefined> {
  const { data } = await demo.call<{ data: { id: string; name: string }[] }>("GET", "/auth/api-keys");
  return data.find(({ name }) => name === "ci quillmere")?.id;
}

/** IDs of records, newest first. */
async function records(demo: Server, list: string | undefined, fits: (record: Record<string, unknown>) => boolean = () => true) {
  if (!list) {
    return [project];
  }
  const { data } = await demo.call<{ data: Record<string, unknown>[] }>("GET", `/admin/projects/${project}/${list}`);
  return data.filter(fits).map(({ id }) => String(id));
}
