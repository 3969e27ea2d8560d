// The frame of every page: side bar, project, theme, language, keys, and failures of the server or a page.

import { zh } from "../src/texts/zh";
import { expect, expectAccessible, expectEachAccessible, goTo, open, settled, test } from "./fixtures";
import { seedLogs } from "./seed";
import type { Server } from "./server";

test("must show: the pages in their order, project, theme, language, log out", async ({ page, server, project }) => {
  await open(page, server, "/admin/about");
  const bar = page.getByRole("navigation", { name: "Pages" });
  await expect(bar.getByRole("link")).toHaveText([
    "Today",
    "Statistics",
    "Projects",
    "Versions",
    "Files",
    "Announcements",
    "Analytics",
    "Feedback",
    "Logs",
    "Instance",
    "API keys",
    "Site settings",
    "About",
  ]);
  await expect(bar.getByRole("link", { name: "About" })).toHaveAttribute("aria-current", "page");
  await expect(bar.getByRole("link", { name: "Today" })).not.toHaveAttribute("aria-current", "page");
  await expect(bar.getByRole("combobox", { name: "Project" })).toBeVisible();
  await expect(bar.getByRole("button", { name: /^Theme/ })).toBeVisible();
  await expect(bar.getByRole("button", { name: /^Language/ })).toBeVisible();
  await expect(bar.getByRole("button", { name: "Log out" })).toBeVisible();
  expect(project).toBeTruthy();
});

test("on a phone the side bar is a drawer behind a button of the header", async ({ page, server }) => {
  await open(page, server, "/admin/about", { phone: true });
  const bar = page.getByRole("navigation", { name: "Pages" });
  await expect(bar.getByRole("link", { name: "API keys" })).not.toBeInViewport();
  await page.getByRole("button", { name: "Menu", exact: true }).click();
  await expect(bar.getByRole("link", { name: "API keys" })).toBeInViewport();
  await expectAccessible(page);
  await bar.getByRole("link", { name: "API keys" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "API keys" })).toBeVisible();
  await expect(bar.getByRole("link", { name: "API keys" })).not.toBeInViewport();
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
});

test("theme and language are chosen once for every tab, and stay", async ({ page, context, server }) => {
  await open(page, server, "/admin/about");
  const other = await context.newPage();
  await other.goto(`${server.url}/admin/about`);
  await expect(other.getByRole("heading", { level: 1, name: "About" })).toBeVisible();
  await page.getByRole("button", { name: "Theme: Light" }).click();
  await page.getByRole("menuitemradio", { name: "Dark" }).click();
  await page.getByRole("button", { name: "Language: English" }).click();
  await page.getByRole("menuitemradio", { name: "简体中文" }).click();
  for (const tab of [page, other]) {
    await expect(tab.locator("html")).toHaveAttribute("data-mantine-color-scheme", "dark");
    await expect(tab.locator("html")).toHaveAttribute("lang", "zh-Hans");
    await expect(tab.getByRole("heading", { level: 1, name: "关于" })).toBeVisible();
    await tab.reload();
    await expect(tab.getByRole("heading", { level: 1, name: "关于" })).toBeVisible();
    await expect(tab.locator("html")).toHaveAttribute("data-mantine-color-scheme", "dark");
  }
});

test.describe("a browser in Chinese, with a dark system", () => {
  test.use({ locale: "zh-CN", colorScheme: "dark" });

  test("is followed until a person chooses", async ({ page, server }) => {
    await page.goto(`${server.url}/login`);
    await expect(page.getByRole("heading", { name: "登录 svc" })).toBeVisible();
    await expect(page.locator("html")).toHaveAttribute("data-mantine-color-scheme", "dark");
  });
});

async function twoProjects(server: Server, project: string): Promise<[string, string]> {
  const second = `${project}-second`;
  await server.call("POST", "/admin/projects", { project_key: second, name: second });
  return [project, second];
}

test("the project is in the address, remembered, and the same on open tabs", async ({ page, context, server, project }) => {
  const [first, second] = await twoProjects(server, project);
  await open(page, server, `/admin/analytics?project=${first}`);
  const other = await context.newPage();
  await other.goto(`${server.url}/admin/analytics?project=${first}`);
  const switcher = page.getByRole("combobox", { name: "Project" });
  await expect(switcher).toHaveValue(first);
  await switcher.click();
  await page.getByRole("option", { name: second }).click();
  for (const tab of [page, other]) {
    await expect(tab).toHaveURL(new RegExp(`project=${second}`));
    await expect(tab.getByRole("combobox", { name: "Project" })).toHaveValue(second);
  }
  await page.goto(`${server.url}/admin/analytics`);
  await expect(page).toHaveURL(new RegExp(`project=${second}`));
  await expect(page).toHaveTitle(`Statistics · ${second} · svc`);
});

test("a link to another project leads to it, from a page that shows none", async ({ page, own: server }) => {
  for (const name of ["first", "second"]) {
    await server.call("POST", "/admin/projects", { project_key: name, name });
  }
  await open(page, server, "/admin/about");
  await goTo(page, "/admin/analytics?project=second");
  await expect(page.getByRole("heading", { level: 1, name: "Statistics" })).toBeVisible();
  await settled(page);
  await expect(page).toHaveURL(/project=second/);
  await expect(page.getByRole("combobox", { name: "Project" })).toHaveValue("second");
});

test("after a page was opened its heading has the focus, and the window its name", async ({ page, server }) => {
  await open(page, server, "/admin/about");
  await expect(page).toHaveTitle("About · svc");
  await page.getByRole("link", { name: "Site settings" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toBeFocused();
  await expect(page).toHaveTitle("Administrator · Site settings · svc");
  await page.goBack();
  await expect(page).toHaveTitle("About · svc");
});

test("the first key leads past the side bar", async ({ page, server }) => {
  await open(page, server, "/admin/about");
  await page.keyboard.press("Tab");
  await expect(page.getByRole("link", { name: "Skip to content" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("main")).toBeFocused();
  await expect(page).toHaveURL(`${server.url}/admin/about`);
});

test("an address that leads nowhere says so and leads back", async ({ page, server }) => {
  await open(page, server, "/admin/nowhere");
  await expect(page.getByRole("heading", { level: 1, name: "Page not found" })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("link", { name: "Go to Today" }).click();
  await expect(page).toHaveURL(/\/admin(\?project=.*)?$/);
});

test.describe("a server that is away", () => {
  test.use({ expected: [/ERR_CONNECTION_REFUSED|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE|ERR_SOCKET_NOT_CONNECTED/] });

  test("shows one banner, which goes by itself when the server is back", async ({ page, own }) => {
    await open(page, own, "/admin/about");
    await own.stop();
    await page.getByRole("link", { name: "API keys" }).click();
    const banner = page.getByText("The server is not responding.");
    await expect(banner).toBeVisible();
    await expectAccessible(page);
    await page.setViewportSize({ width: 900, height: 260 });
    const box = (await banner.boundingBox())!;
    for (const control of await page.getByRole("main").locator("a, button").all()) {
      await control.focus();
      const { y, height } = (await control.boundingBox())!;
      expect(y + height, "what has the focus is above the banner").toBeLessThanOrEqual(box.y);
    }
    await own.resume();
    await expect(banner).toBeHidden({ timeout: 30_000 });
    await expect(page.getByText("An API key gives a program access")).toBeVisible({ timeout: 30_000 });
  });
});

test.describe("a page that cannot be loaded", () => {
  test.use({ expected: [/ERR_FAILED|dynamically imported module/] });

  test("leaves the frame, and can be tried again", async ({ page, server }) => {
    await open(page, server, "/admin/tokens");
    await page.route("**/console/about-*.js", (route) => route.abort());
    await page.goto(`${server.url}/admin/about`);
    await expect(page.getByRole("heading", { level: 1, name: "This page has stopped working" })).toBeVisible();
    await expect(page.getByRole("navigation", { name: "Pages" })).toBeVisible();
    await expectAccessible(page);
    await page.unroute("**/console/about-*.js");
    await page.getByRole("button", { name: "Retry" }).click();
    await expect(page.getByRole("heading", { level: 1, name: "About" })).toBeVisible();
  });
});

test.describe("a page that fails while it is drawn", () => {
  test.use({ expected: [/TypeError|error occurred/] });

  test("leaves the frame, says so, and asks again when somebody wants it", async ({ page, server, project }) => {
    await seedLogs(server, project, 1);
    await page.route("**/projects/*/logs?*", (route) => route.fulfill({ json: { data: [null], total: 1, limit: 10, offset: 0 } }));
    await open(page, server, `/admin/logs?project=${project}`);
    await expect(page.getByRole("heading", { level: 1, name: "This page has stopped working" })).toBeVisible();
    await expect(page.getByRole("navigation", { name: "Pages" })).toBeVisible();
    await page.unroute("**/projects/*/logs?*");
    await page.getByRole("button", { name: "Retry" }).click();
    await expect(page.getByRole("link", { name: "entry 01" })).toBeVisible();
  });
});

test("keys lead everywhere, and are letters while somebody types", async ({ page, server, project }) => {
  await open(page, server, "/admin/about");
  await page.keyboard.press("g");
  await page.keyboard.press("k");
  await expect(page.getByRole("heading", { level: 1, name: "API keys" })).toBeVisible();
  for (const [key, title] of [
    ["b", "Feedback"],
    ["n", "Analytics"],
    ["t", "Today"],
  ] as const) {
    await page.keyboard.press("g");
    await page.keyboard.press(key);
    await expect(page.getByRole("heading", { level: 1, name: title })).toBeVisible();
  }
  await page.keyboard.press("?");
  const help = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await expect(help.getByText("Go to Versions")).toBeVisible();
  await page.keyboard.press("g");
  await page.keyboard.press("i");
  await expect(help).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(help).toBeHidden();
  await page.goto(`${server.url}/admin/tokens?new=1`);
  await page.getByRole("textbox", { name: "Name" }).fill("");
  await page.keyboard.type("g i ? n");
  await expect(page.getByRole("textbox", { name: "Name" })).toHaveValue("g i ? n");
  expect(project).toBeTruthy();
});

test("the API help of a Chinese console says in Chinese what each operation does", async ({ page, server, project }) => {
  await open(page, server, `/admin/versions?project=${project}&help=1`, { language: "zh" });
  const help = page.getByRole("dialog", { name: zh.common.apiHelp });
  await expect(help.getByText("POST /admin/projects/{k}/versions", { exact: true })).toBeVisible();
  await expect(help.getByText(zh.operations.summaryOf("createVersion", ""), { exact: true })).toBeVisible();
  await expect(help.getByRole("link", { name: zh.operations.details }).first()).toBeVisible();
});

test("the frame is accessible: palette, keys, menus, projects", async ({ page, server, project }) => {
  const { frame } = zh;
  await open(page, server, `/admin/analytics?project=${project}`, { language: "zh" });
  await page.keyboard.press("?");
  await expect(page.getByRole("dialog", { name: frame.keys.title })).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expectEachAccessible(page, [
    page.getByRole("button", { name: frame.palette.open }),
    page.getByRole("button", { name: new RegExp(`^${frame.theme.label}`) }),
    page.getByRole("button", { name: new RegExp(`^${frame.language}`) }),
    page.getByRole("combobox", { name: frame.project }),
  ]);
});

test("the palette opens pages", async ({ page, server }) => {
  await open(page, server, "/admin/about");
  await page.keyboard.press("Control+k");
  const query = page.getByRole("dialog").getByRole("combobox");
  await expect(query).toBeFocused();
  await query.fill("storage");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(`${server.url}/admin/settings/storage`);
});

test("the palette finds a record of any project, and opens it there", async ({ page, server, project }) => {
  const [first, second] = await twoProjects(server, project);
  const log = await server.call<{ id: string }>("POST", `/admin/projects/${second}/logs`, { level: 3, content: `E42 in ${second}` });
  await expect
    .poll(async () => (await server.call<{ total: number }>("GET", `/admin/search?q=${encodeURIComponent(`E42 in ${second}`)}`)).total)
    .toBe(1);
  await open(page, server, `/admin/analytics?project=${first}`);
  await page.keyboard.press("Control+k");
  await page.getByRole("dialog").getByRole("combobox").fill(`E42 in ${second}`);
  await page.getByRole("option", { name: `E42 in ${second}` }).click();
  await expect(page).toHaveURL(`${server.url}/admin/logs?project=${second}&open=${log.id}`);
  await expect(page.getByRole("combobox", { name: "Project" })).toHaveValue(second);
});

test("the palette switches the project and begins new records", async ({ page, server, project }) => {
  const [first, second] = await twoProjects(server, project);
  await open(page, server, `/admin/analytics?project=${first}`);
  await page.keyboard.press("Control+k");
  await page.getByRole("dialog").getByRole("combobox").fill(second);
  await page.getByRole("option", { name: second }).first().click();
  await expect(page).toHaveURL(new RegExp(`project=${second}`));
  await page.keyboard.press("Control+k");
  await page.getByRole("dialog").getByRole("combobox").fill("new version");
  await page.getByRole("option", { name: "New version" }).click();
  await expect(page).toHaveURL(new RegExp(`/admin/versions\\?project=${second}&new=1`));
});

test("the palette begins with what was opened last, until the person logs out", async ({ page, server, project }) => {
  const log = await server.call<{ id: string }>("POST", `/admin/projects/${project}/logs`, { level: 3, content: "E42 at noon" });
  await open(page, server, `/admin/logs?project=${project}&open=${log.id}`);
  await expect(page.getByRole("dialog").getByText("E42 at noon").first()).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await goTo(page, "/admin/about");
  await page.keyboard.press("Control+k");
  const first = page.getByRole("dialog").getByRole("option").first();
  await expect(first).toContainText("E42 at noon");
  await first.click();
  await expect(page).toHaveURL(new RegExp(`/admin/logs\\?project=${project}&open=${log.id}`));
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await page.getByRole("button", { name: "Log out" }).click();
  await expect(page).toHaveURL(/login/);
  expect(await page.evaluate(() => localStorage.getItem("svc.console.recent"))).toBeNull();
});

test("Esc closes the palette, and the focus is where it was", async ({ page, server }) => {
  await open(page, server, "/admin/about");
  const link = page.getByRole("link", { name: "API keys" });
  await link.focus();
  await page.keyboard.press("Control+k");
  await expect(page.getByRole("dialog")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toBeHidden();
  await expect(link).toBeFocused();
});
