// The page of the instance: required content and actions.

import type { Request } from "@playwright/test";
import { en } from "../src/texts/en";
import { zh } from "../src/texts/zh";
import { expect, open, settled, test } from "./fixtures";

test("the instance counts each kind", async ({ page, demo }) => {
  const { overview } = zh;
  await open(page, demo, "/admin/instance", { language: "zh" });
  // Counts are requested when they come into view.
  await page.locator('[data-part="tokens"]').scrollIntoViewIfNeeded();
  for (const kind of ["projects", "versions", "announcements", "feedbacks", "logs", "tokens"]) {
    await expect(page.locator(`[data-figure="overview-${kind}"] li`).first()).toHaveText(/\d/);
  }
  await expect(page.locator('[data-figure="overview-logs"] li')).toHaveCount(4);
  await expect(page.locator('[data-figure="overview-feedbacks"]')).toContainText(new RegExp(overview.average("[\\d.]+")));
  const status = page.getByRole("region", { name: overview.status.title });
  await expect(status).toContainText(/\d/);
  await expect(status.getByRole("listitem").first()).toBeVisible();
  for (const finding of await status.getByRole("listitem").locator("p").all()) {
    await expect(finding, "findings are in the language of the page").toHaveText(/\p{Script=Han}/u);
  }
});

test("the instance refreshes, and leads to the pages", async ({ page, server, project }) => {
  await open(page, server, `/admin/instance?project=${project}`);
  const logs = page.locator('[data-figure="overview-logs"] li').first();
  await page.locator('[data-part="logs"]').scrollIntoViewIfNeeded();
  const errors = async () => Number((await logs.locator("span").nth(1).textContent())?.replaceAll(/\D/g, ""));
  await expect(logs).toContainText("Error");
  const before = await errors();
  await server.call("POST", `/admin/projects/${project}/logs`, { level: 3, content: "broken" });
  await page.getByRole("button", { name: "Refresh" }).click();
  await expect.poll(errors).toBeGreaterThan(before);
  await page.getByRole("main").getByRole("link", { name: "Logs" }).click();
  await expect(page).toHaveURL(/\/admin\/logs/);
});

test.describe("when one part fails", () => {
  test.use({ expected: [/status of 500/] });
  test("the instance names it, shows the rest, and tries it again", async ({ page, demo }) => {
    let fails = true;
    await page.route("**/admin/versions/statistics", (route) =>
      fails
        ? route.fulfill({
            status: 500,
            contentType: "application/json",
            body: '{"statusCode":500,"message":"no","error":"Internal Server Error"}',
          })
        : route.continue(),
    );
    await open(page, demo, "/admin/instance");
    await page.locator('[data-part="projects"]').scrollIntoViewIfNeeded();
    await expect(page.getByRole("alert").filter({ hasText: "Could not be loaded: Versions." })).toBeVisible();
    await expect(page.locator('[data-figure="overview-projects"]')).toContainText("3");
    fails = false;
    await page.getByRole("button", { name: "Retry Versions" }).click();
    await expect(page.locator('[data-figure="overview-versions"] li').first()).toHaveText(/\d/);
    await expect(page.getByText("Could not be loaded: Versions.")).toHaveCount(0);
  });
});

test("the instance shows each part when it comes, and waits for no other", async ({ page, demo }) => {
  await page.route("**/admin/projects/statistics", () => {});
  await open(page, demo, "/admin/instance");
  await page.locator('[data-part="versions"]').scrollIntoViewIfNeeded();
  await expect(page.locator('[data-figure="overview-versions"] li').first()).toHaveText(/\d/);
  await expect(page.getByRole("region", { name: en.overview.status.title })).toContainText(/\d/);
});

test("the first view makes at most six requests, and none twice", async ({ page, demo }) => {
  for (const path of ["/admin?project=quillmere", "/admin/instance"]) {
    const asked: string[] = [];
    const note = (request: Request) => request.url().includes("/api/v1/") && asked.push(request.url());
    page.on("request", note);
    await open(page, demo, path);
    await settled(page);
    page.off("request", note);
    expect.soft(asked.length, asked.join("\n")).toBeLessThanOrEqual(6);
    expect.soft(new Set(asked).size).toBe(asked.length);
  }
});

test("the instance says what needs attention in each project", async ({ page, demo }) => {
  await open(page, demo, "/admin/instance");
  const findings = page.getByRole("list", { name: en.today.list }).getByRole("listitem");
  await expect(findings.first()).toContainText(/\d/);
  const { data } = await demo.call<{ data: { kind: string; project_key: string | null; link: string }[] }>("GET", "/admin/today");
  await expect(findings).toHaveCount(data.length);
  const { project_key: key, link } = data.find(({ project_key }) => project_key !== null)!;
  await findings
    .nth(data.findIndex(({ project_key }) => project_key !== null))
    .getByRole("link")
    .click();
  await expect(page).toHaveURL(new RegExp(`${link.split("?")[0]}\\?.*project=${key}`));
});
