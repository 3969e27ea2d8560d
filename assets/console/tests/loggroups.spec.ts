// Groups of equal logs: one line for each problem, its course, and its state.

import { en } from "../src/texts/en";
import { expect, expectAccessible, open, settled, test } from "./fixtures";

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
  const drawer = page.getByRole("dialog", { name: title });
  await expect(drawer.getByRole("region", { name: groups.hours })).toContainText(groups.inHours("2", "2"));
  await expect(drawer.getByRole("region", { name: groups.versions })).toContainText("2.1.0");
  await expect(drawer.getByRole("region", { name: groups.platforms })).toContainText("Linux");
  await expect(drawer.getByRole("region", { name: groups.latest })).toContainText("after 20 ms");
  await settled(page);
  await expectAccessible(page);

  await drawer.getByRole("button", { name: common.edit }).click();
  const form = page.getByRole("dialog").last();
  await form.getByText(groups.states["resolved"]!, { exact: true }).click();
  await form.getByRole("textbox", { name: groups.resolvedIn }).fill("2.2.0");
  await form.getByRole("textbox", { name: groups.note }).fill("Fixed by the new client.");
  await expectAccessible(page);
  await form.getByRole("button", { name: common.save }).click();
  await expect(drawer.getByText("Fixed by the new client.")).toBeVisible();
  await expect(drawer.getByText("2.2.0")).toBeVisible();
  await drawer.getByRole("link", { name: groups.allLines }).click();
  await expect(page.getByRole("main").getByText(/after 1500 ms/)).toBeVisible();
});

test("Today names a new group of errors and leads to it", async ({ page, server, project }) => {
  await server.call("POST", `/public/${project}/logs`, { level: 3, content: "DiskError: no space left", platform: "linux" }, "");
  await open(page, server, `/admin?project=${project}`);
  const finding = page.getByRole("list", { name: en.today.list }).getByRole("listitem");
  await expect(finding.filter({ hasText: en.today.sentences.new_errors(1, "DiskError: no space left") })).toContainText("1");
  await finding.getByRole("link", { name: en.today.actions.new_errors }).click();
  await expect(page.getByRole("dialog", { name: "DiskError: no space left" })).toBeVisible();
});
