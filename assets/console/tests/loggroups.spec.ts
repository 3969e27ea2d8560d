// Groups of equal logs: one line for each problem, its course, and its state.

import { en } from "../src/texts/en";
import { expect, expectAccessible, expectStill, open, settled, test, watchMoves } from "./fixtures";

const { logs: texts, common } = en;
const { groups } = texts;

test("equal errors are one group, which is read, resolved and opened again", async ({ page, server, project }) => {
  for (const wait of [1500, 20]) {
    const content = `TimeoutError: no answer from "api" after ${wait} ms`;
    await server.call(
      "POST",
      `/public/${project}/logs`,
      { level: 3, content, platform: "linux", device_info: { app_version: "2.1.0" } },
      "",
    );
  }
  await open(page, server, `/admin/logs?project=${project}`);
  await page.getByText(groups.title, { exact: true }).click();
  await expect(page).toHaveURL(`${server.url}/admin/logs/groups?project=${project}`);
  const title = "TimeoutError: no answer from <str> after <n> ms";
  await expect(page.getByRole("row", { name: title })).toContainText("2");
  await expectAccessible(page);

  await page.getByRole("main").getByText(title).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(groups.page);
  await expect(page.getByRole("heading", { level: 2, name: title })).toBeVisible();
  await expect(page).toHaveURL(new RegExp(`/admin/logs/group\\?project=${project}&open=[0-9a-f]{16}$`));
  const part = (name: string) => page.getByRole("region", { name });
  await expect(part(groups.hours)).toContainText(groups.inHours("2", "2"));
  await expect(part(groups.versions)).toContainText("2.1.0");
  await expect(part(groups.platforms)).toContainText("Linux");
  await expect(part(groups.latest)).toContainText("after 20 ms");
  await settled(page);
  await expectAccessible(page);

  await page.getByRole("button", { name: common.edit }).click();
  const form = page.getByRole("dialog");
  await form.getByText(groups.states["resolved"]!, { exact: true }).click();
  await form.getByRole("textbox", { name: groups.resolvedIn }).fill("2.2.0");
  await form.getByRole("textbox", { name: groups.note }).fill("Fixed by the new client.");
  await expectAccessible(page);
  await form.getByRole("button", { name: common.save }).click();
  await expect(form).toBeHidden();
  await expect(part(groups.details)).toContainText("Fixed by the new client.");
  await expect(part(groups.details)).toContainText("2.2.0");
  await page.getByRole("button", { name: groups.set.open }).click();
  await expect(page.getByRole("button", { name: groups.set.resolved })).toBeVisible();
  await expect(part(groups.details)).not.toContainText("2.2.0");

  await part(groups.latest)
    .getByRole("link", { name: /after 1500 ms/ })
    .click();
  await expect(page.getByRole("dialog", { name: /after 1500 ms/ })).toBeVisible();
  await page.goBack();
  await part(groups.latest).getByRole("link", { name: groups.allLines }).click();
  await expect(page.getByRole("main").getByText(/after 1500 ms/)).toBeVisible();
});

test("the list shows the groups that were seen in a version, or begin with it", async ({ page, server, project }) => {
  const upload = (content: string, version: string) =>
    server.call("POST", `/public/${project}/logs`, { level: 3, content, device_info: { app_version: version } }, "");
  await upload("DiskError: full", "1.0.0");
  await upload("DiskError: full", "1.1.0");
  await upload("KeyError: one", "1.1.0");
  await open(page, server, `/admin/logs/groups?project=${project}`);
  const rows = page.locator(".cell-link");
  await expect(rows).toHaveCount(2);
  const seen = page.getByRole("textbox", { name: groups.version, exact: true });
  await seen.fill("1.0.0");
  await expect(rows).toHaveText(["DiskError: full"]);
  await expect(page).toHaveURL(/version=1\.0\.0/);
  await page.getByRole("button", { name: common.labelled(common.reset, groups.version) }).click();
  await expect(rows).toHaveCount(2);
  await page.getByRole("textbox", { name: groups.firstVersion }).fill("1.1.0");
  await expect(rows).toHaveText(["KeyError: one"]);
  await expectAccessible(page);
  await page.reload();
  await expect(rows).toHaveText(["KeyError: one"]);
  await page.getByRole("button", { name: common.reset, exact: true }).click();
  await expect(rows).toHaveCount(2);
});

test("from a group, back returns to the list as it was, and another project shows its own groups", async ({ page, server, project }) => {
  for (const content of ["DiskError: no space left", "DiskError: no such file", "KeyError: one"]) {
    await server.call("POST", `/public/${project}/logs`, { level: 3, content }, "");
  }
  const other = `${project}-2`;
  await server.call("POST", "/admin/projects", { project_key: other, name: other });
  const list = `/admin/logs/groups?project=${project}&state=open&q=DiskError&sort=first_seen&order=desc`;
  await open(page, server, list);
  const rows = page.locator(".cell-link");
  await expect(rows).toHaveText(["DiskError: no such file", "DiskError: no space left"]);
  await rows.last().focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { level: 2, name: "DiskError: no space left" })).toBeVisible();
  await page.goBack();
  await expect(page).toHaveURL(server.url + list);
  await expect(rows).toHaveText(["DiskError: no such file", "DiskError: no space left"]);

  await rows.first().click();
  await expect(page.getByRole("heading", { level: 2, name: "DiskError: no such file" })).toBeVisible();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: en.frame.palette.placeholder }).fill(other);
  await page.getByRole("option", { name: other }).first().click();
  await expect(page).toHaveURL(`${server.url}/admin/logs/groups?project=${other}`);
  await page.keyboard.press("Control+k");
  await page.getByRole("option", { name: "DiskError: no such file" }).click();
  await expect(page.getByRole("heading", { level: 2, name: "DiskError: no such file" })).toBeVisible();
});

test.describe("a group that does not exist", () => {
  test.use({ expected: [/404/] });

  test("its address says so", async ({ page, server, project }) => {
    await open(page, server, `/admin/logs/group?project=${project}&open=0123456789abcdef`);
    await expect(page.getByText(common.recordGone)).toBeVisible();
    await page.getByRole("link", { name: groups.title, exact: true }).click();
    await expect(page.getByText(groups.empty.title)).toBeVisible();
  });
});

test("on a phone with a slow server, nothing on the page of a group moves", async ({ page, server, project }) => {
  const content = `TimeoutError: ${"no answer from the library server, ".repeat(5)}`;
  await server.call("POST", `/public/${project}/logs`, { level: 3, content, platform: "android" }, "");
  const { data } = await server.call<{ data: { id: string }[] }>("GET", `/admin/projects/${project}/log-groups`);
  const moves = await watchMoves(page);
  await page.route(/\/api\//, async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 200));
    await route.continue();
  });
  await open(page, server, `/admin/logs/group?project=${project}&open=${data[0]!.id}`, { phone: true });
  await expect(page.getByRole("region", { name: groups.latest }).getByRole("link", { name: /^.*TimeoutError/ })).toBeVisible();
  await settled(page);
  expectStill(moves);
});

test("Today names a new group of errors and leads to it", async ({ page, server, project }) => {
  await server.call("POST", `/public/${project}/logs`, { level: 3, content: "DiskError: no space left", platform: "linux" }, "");
  await open(page, server, `/admin?project=${project}`);
  const finding = page.getByRole("list", { name: en.today.list }).getByRole("listitem");
  await expect(finding.filter({ hasText: en.today.sentences.new_errors(1, "DiskError: no space left") })).toContainText("1");
  await finding.getByRole("link", { name: en.today.actions.new_errors }).click();
  await expect(page.getByRole("heading", { level: 2, name: "DiskError: no space left" })).toBeVisible();
});
