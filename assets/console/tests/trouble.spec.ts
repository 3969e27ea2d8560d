// A bad network, two users at one record, a wrong clock, a missing page. Other failures are tested with their pages:
// lists.spec.ts, frame.spec.ts, login.spec.ts.

import type { Page } from "@playwright/test";
import { expect, expectAccessible, goTo, open, test } from "./fixtures";
import { BadNetwork } from "./network";
import { seedLogs, sendFeedback } from "./seed";
import type { Server } from "./server";

const contents = async (server: Server, project: string, kind: "logs" | "announcements") => {
  const { data } = await server.call<{ data: { content: string }[] }>("GET", `/admin/projects/${project}/${kind}`);
  return data.map(({ content }) => content);
};

test.describe("a slow network that loses 3 %", () => {
  test.use({ expected: [/ERR_/] });

  test("a list is read, a record is saved once, and another page is opened", async ({ page, server, project }) => {
    await seedLogs(server, project, 12);
    const network = await BadNetwork.start(server);
    await open(page, network, `/admin/logs?project=${project}`);
    const rows = page.locator("tbody tr");
    await expect(rows).toHaveCount(12);
    await page.getByRole("button", { name: "Add" }).click();
    const form = page.getByRole("dialog", { name: "New log" });
    await form.getByRole("textbox", { name: "Content" }).fill("once");
    const save = form.getByRole("button", { name: "Save" });
    await save.click();
    // Chromium repeats the request if the connection had been used before. Otherwise the form shows an
    // error, and the user saves again.
    await expect(async () => {
      if (await form.getByRole("alert").isVisible()) {
        await save.click();
      }
      await expect(form).toBeHidden({ timeout: 2000 });
    }).toPass();
    await expect(rows.first()).toContainText("once");
    await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "API keys" }).click();
    await expect(page.getByRole("heading", { level: 1, name: "API keys" })).toBeVisible();
    expect((await contents(server, project, "logs")).filter((content) => content === "once")).toHaveLength(1);
    // Parts of the program, reads and changes: of each kind, responses were lost.
    expect(new Set(network.lost)).toEqual(new Set(["program", "read", "change"]));
    await page.goto("about:blank");
    await network.remove();
  });

  test("what is saved again, since its answer was lost, is saved once, and not refused because of itself", async ({
    page,
    server,
    project,
  }) => {
    // The first time, the server does it but its answer is lost.
    const lose = async (method: string, address: RegExp) => {
      let lost = false;
      await page.route(address, async (route) => {
        if (lost || route.request().method() !== method) {
          return route.continue();
        }
        lost = true;
        await route.fetch();
        await route.abort("connectionreset");
      });
    };
    await open(page, server, `/admin/announcements?project=${project}&new=1`);
    const form = page.getByRole("dialog");
    await form.getByRole("textbox", { name: "Title" }).fill("Soon");
    await form.getByRole("textbox", { name: "Content" }).fill("once");
    const save = form.getByRole("button", { name: "Save" });
    await lose("POST", /\/announcements$/);
    await save.click();
    await expect(form.getByRole("alert")).toContainText("No connection");
    await save.click();
    await expect(form).toBeHidden();
    expect(await contents(server, project, "announcements")).toEqual(["once"]);

    await page.getByRole("button", { name: "More actions: Soon" }).click();
    await page.getByRole("menuitem", { name: "Edit" }).click();
    await form.getByRole("textbox", { name: "Title" }).fill("Now");
    await lose("PATCH", /\/announcements\/[^/]+$/);
    await save.click();
    await expect(form.getByRole("alert")).toContainText("No connection");
    await save.click();
    await expect(form).toBeHidden();
    await expect(page.getByRole("link", { name: "Now" })).toBeVisible();
  });
});

const kinds = {
  projects: { path: "", label: "Author", field: "author" },
  announcements: { path: "/announcements", label: "Title", field: "title" },
} as const;

test.describe("two tabs", () => {
  test.use({ expected: [/status of 412/] });

  for (const [kind, { path, label, field }] of Object.entries(kinds)) {
    test(`${kind}: who saves second is told, and loads the other change or saves over it`, async ({ page, server, project, context }) => {
      const own = `/admin/projects/${project}`;
      const made = path && (await server.call<{ id: string }>("POST", own + path, { title: "Begin", content: "Text" }));
      const id = made ? made.id : project;
      const stored = async () => (await server.call<Record<string, unknown>>("GET", own + (made ? `${path}/${id}` : "")))[field];
      const edit = async (tab: Page) => {
        await open(tab, server, `/admin/${kind}?project=${project}&edit=${id}`);
        await expect(input(tab)).toBeVisible();
      };
      const input = (tab: Page) => tab.getByRole("dialog").getByRole("textbox", { name: label, exact: true });
      const save = (tab: Page) => tab.getByRole("dialog").getByRole("button", { name: "Save", exact: true });
      const conflict = page.getByText("This record was changed elsewhere");
      const other = await context.newPage();
      await edit(page);
      await edit(other);

      await input(other).fill("Other");
      await save(other).click();
      await expect(other.getByRole("dialog")).toBeHidden();
      await other.close();
      await input(page).fill("Mine");
      await save(page).click();
      await expect(conflict).toBeVisible();
      await expect(input(page)).toHaveValue("Mine");
      await expectAccessible(page);
      expect(await stored()).toBe("Other");
      await page.getByRole("button", { name: "Load the other change" }).click();
      await expect(input(page)).toHaveValue("Other");

      await server.call("PATCH", made ? `${own}${path}/${id}` : own, { [field]: "Another" });
      await input(page).fill("Mine after all");
      await save(page).click();
      await expect(conflict).toBeVisible();
      expect(await stored()).toBe("Another");
      await page.getByRole("button", { name: "Save mine" }).click();
      await expect(page.getByRole("dialog")).toBeHidden();
      expect(await stored()).toBe("Mine after all");
    });
  }
});

for (const days of [-2, 2]) {
  test(`a clock that is ${days} days off: what is new is new, in lists, tokens and statistics`, async ({ page, server, project }) => {
    const { id } = await sendFeedback(server, project, { content: "just now", rating: 4 });
    await server.call("POST", "/auth/api-keys", { name: project, scopes: ["logs:read"], expires_in_days: 1 });
    await page.clock.setSystemTime(Date.now() + days * 86_400_000);
    await open(page, server, `/admin/feedbacks?project=${project}&open=${id}`);
    await expect(page.getByRole("dialog")).toContainText(/\((now|\d+ seconds? ago)\)/);
    await goTo(page, `/admin/tokens?q=${project}`);
    await expect(page.getByRole("row").filter({ hasText: project })).toContainText("Active");
    const rating = page.getByRole("region", { name: "Average rating", exact: true });
    // The lower parts of the page ask for their data when they are seen.
    const expectRating = () =>
      expect(async () => {
        await page.evaluate(() => document.querySelector("[data-later]")?.scrollIntoView());
        await expect(rating).toContainText("4", { timeout: 2_000 });
      }).toPass({ timeout: 60_000 });
    await goTo(page, `/admin/analytics?project=${project}&range=24h`);
    await expectRating();
    // No earlier request could have returned the server's time.
    await page.goto(`${server.url}/admin/analytics?project=${project}&range=24h`);
    await expectRating();
  });
}

test("a list whose last page goes while it is paged leads back to what is there", async ({ page, server, project }) => {
  const announce = (title: string) =>
    server.call<{ id: string }>("POST", `/admin/projects/${project}/announcements`, { title, content: "Text" });
  const { id } = await announce("0");
  for (let index = 1; index <= 10; index++) {
    await announce(String(index));
  }
  await open(page, server, `/admin/announcements?project=${project}&page=2&rows=10`);
  await expect(page.getByText("11 of 11", { exact: true })).toBeVisible();
  await server.call("DELETE", `/admin/projects/${project}/announcements/${id}`);
  await page.reload();
  await expect(page.getByText("10 in total")).toBeVisible();
  await expect(page).not.toHaveURL(/page=|rows=/);
  await expect(page.locator("tbody tr")).toHaveCount(10);
});
