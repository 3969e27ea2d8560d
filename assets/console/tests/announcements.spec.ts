// The required content and actions of the page Announcements.

import type { Page } from "@playwright/test";
import { en } from "../src/texts/en";
import { zh } from "../src/texts/zh";
import { expect, expectAccessible, expectEachAccessible, goTo, inEachWay, open, test } from "./fixtures";
import { keyboard, phone, pointer } from "./hand";

const row = (page: Page, title: string) => page.getByRole("row").filter({ has: page.getByRole("link", { name: title, exact: true }) });

const menu = async (page: Page, title: string, item: string) => {
  await page.getByRole("button", { name: `More actions: ${title}`, exact: true }).click();
  await page.getByRole("menuitem", { name: item, exact: true }).click();
};

inEachWay([pointer, keyboard, phone], () => {
  test("task 4: announce to users of 1.x in two languages, hidden for one, and see it as they do", async ({
    page,
    hand,
    server,
    project,
  }) => {
    test.slow();
    const { announcements, common, fields } = hand.t;
    await server.call("POST", `/admin/projects/${project}/locales`, { locale: "de", label: "Deutsch" });
    await server.call("POST", `/admin/projects/${project}/locales`, { locale: "fr", label: "Français" });
    await hand.open(server, `/admin/announcements?project=${project}`);
    await hand.press(page.getByRole("button", { name: common.add, exact: true }));
    const dialog = page.getByRole("dialog", { name: common.newTitle(announcements.noun) });
    const title = dialog.getByRole("textbox", { name: announcements.columns.title });
    const content = dialog.getByRole("textbox", { name: announcements.columns.content });
    await hand.fill(title, "Maintenance");
    await hand.fill(content, "We are **back** at ten.");
    await hand.press(dialog.getByRole("tab", { name: "Deutsch" }));
    await hand.fill(title, "Wartung");
    await hand.fill(content, "Um zehn sind wir **zurück**.");
    await hand.press(dialog.getByRole("tab", { name: "Français" }));
    await hand.press(dialog.getByRole("switch", { name: announcements.form.hiddenIn }));
    const from = dialog.getByLabel(fields.range.min, { exact: true });
    await hand.fill(from, "2.0");
    await hand.fill(dialog.getByLabel(fields.range.max, { exact: true }), "1.9999");
    await hand.press(dialog.getByRole("button", { name: common.save }));
    await expect(dialog.getByText(fields.range.reversed)).toBeVisible();
    await hand.fill(from, "1.0");
    await hand.press(dialog.getByRole("button", { name: common.save }));
    await expect(dialog).toBeHidden();
    await expect(row(page, "Maintenance")).toBeVisible();
    if (!hand.way.phone) {
      await expect(row(page, "Maintenance")).toContainText("1.0 – 1.9999");
      await expect(row(page, "Maintenance")).toContainText("2");
    }

    // The request carries the login, so the server does not count it.
    const asked: (string | null)[] = [];
    page.on("request", async (request) => {
      if (request.url().includes(`/public/${project}/announcements`)) {
        asked.push(await request.headerValue("authorization"));
      }
    });
    await hand.press(page.getByRole("button", { name: announcements.client.open }));
    const view = page.getByRole("dialog", { name: announcements.client.open });
    await expect(view).toContainText(announcements.client.none);
    const look = async (version: string, language: string) => {
      await hand.fill(view.getByLabel(announcements.client.version, { exact: true }), version);
      await hand.choose(view.getByRole("combobox", { name: announcements.client.language }), language);
    };
    await look("1.4", "Deutsch");
    await expect(view.getByRole("article")).toContainText("Wartung");
    await expect(view.getByRole("article").locator("strong")).toHaveText("zurück");
    await look("1.4", "Français");
    await expect(view).toContainText(announcements.client.none);
    await look("2.0", "Deutsch");
    await expect(view).toContainText(announcements.client.none);
    expect(new Set(asked)).toEqual(new Set([`Bearer ${await server.login()}`]));
  });
});

test("pinning and hiding are done at once, and taken back", async ({ page, server, project }) => {
  for (const title of ["First", "Second"]) {
    await server.call("POST", `/admin/projects/${project}/announcements`, { title, content: title });
  }
  await open(page, server, `/admin/announcements?project=${project}`);
  await menu(page, "First", "Pin");
  await expect(page.getByRole("row").nth(1)).toContainText("First");
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByRole("row").nth(1)).toContainText("Second");
  await menu(page, "Second", "Hide");
  await expect(row(page, "Second")).toContainText("Hidden");
  const { total } = await server.call<{ total: number }>("GET", `/public/${project}/announcements`);
  expect(total).toBe(1);

  await page.getByRole("combobox", { name: "Hidden" }).click();
  await page.getByRole("option", { name: "Hidden only" }).click();
  await expect(page.getByRole("row")).toHaveCount(2);
});

test("the list shows the fields, and the drawer the author and the rendered text too", async ({ page, server, project }) => {
  await server.call("POST", `/admin/projects/${project}/announcements`, {
    title: "<img src=x onerror=alert(1)>",
    content: "<script>alert(1)</script>\n\n**bold**",
    author: "<b>me</b>",
    platforms: ["linux"],
    is_pinned: true,
  });
  await open(page, server, `/admin/announcements?project=${project}`);
  for (const name of ["Title", "State", "Platforms", "Versions", "Translations", "Published", "Ends"]) {
    await expect(page.getByRole("columnheader", { name: new RegExp(`^${name}`) })).toBeAttached();
  }
  // The first line of the text stands below the title.
  await expect(page.locator("tbody tr")).toContainText("<script>alert(1)</script>");
  await expect(page.locator("tbody tr")).toContainText("Pinned");
  await page.getByRole("link", { name: "<img src=x onerror=alert(1)>" }).click();
  const drawer = page.getByRole("dialog");
  await expect(drawer.locator("strong")).toHaveText("bold");
  await expect(drawer.locator("script")).toHaveCount(0);
  await expect(drawer).toContainText("<b>me</b>");
});

test("an error of the range stands below its field and moves no other", async ({ page, server, project }) => {
  await open(page, server, `/admin/announcements?project=${project}&new=1`);
  const form = page.getByRole("dialog");
  const [from, to] = [form.getByLabel("From", { exact: true }), form.getByLabel("To", { exact: true })];
  await from.fill("2.0");
  const before = [await from.boundingBox(), await to.boundingBox()];
  await to.fill("1.0");
  const error = form.getByText(en.fields.range.reversed);
  await expect(error).toBeVisible();
  const after = [await from.boundingBox(), await to.boundingBox()];
  expect(after.map((box) => box!.y)).toEqual(before.map((box) => box!.y));
  expect((await error.boundingBox())!.y).toBeGreaterThan(after[1]!.y);
  await expect(form.getByText(en.announcements.form.now)).toBeVisible();
});

test.describe("in a browser whose language is another one", () => {
  test.use({ locale: "en-US" });

  test("a time is typed or chosen in a calendar, as the console shows times", async ({ page, server, project }) => {
    const address = `/admin/announcements?project=${project}&new=1`;
    await open(page, server, address);
    const form = page.getByRole("dialog", { name: /^New/ });
    const published = form.getByRole("textbox", { name: en.announcements.columns.published });
    await form.getByRole("textbox", { name: "Title" }).fill("Sale");
    await form.getByRole("textbox", { name: "Content" }).fill("Until Sunday.");

    await published.pressSequentially("nov 24 2026 5:30 pm");
    await published.blur();
    await expect(published).toHaveValue(/^Nov 24, 2026, 5:30\sPM$/);
    await published.fill("24/11/2026");
    await published.press("Enter");
    await expect(form.getByText(en.fields.time.wrong)).toBeVisible();
    await form.getByRole("button", { name: "Save" }).click();
    await expect(form.getByRole("status")).toHaveText(en.common.attention(1));
    await expect(published).toBeFocused();
    await published.fill("2026-11-24 17:30");
    await expect(form.getByText(en.fields.time.wrong)).toBeHidden();

    await form.getByRole("button", { name: en.fields.time.calendar(en.announcements.columns.published) }).click();
    const calendar = page.getByRole("dialog").filter({ has: page.getByRole("button", { name: "November 2026" }) });
    await expectAccessible(page);
    await calendar.getByRole("button", { name: "20 November 2026" }).click();
    await page.keyboard.press("Escape");
    await expect(calendar).toBeHidden();
    await expect(form).toBeVisible();
    await expect(published).toHaveValue(/^Nov 20, 2026, 5:30\sPM$/);
    await form.getByRole("button", { name: "Save" }).click();
    await expect(form).toBeHidden();
    const { data } = await server.call<{ data: { id: string; published_at: number }[] }>("GET", `/admin/projects/${project}/announcements`);
    // The browser's time zone is Berlin's.
    expect(data.map(({ published_at }) => published_at)).toEqual([Date.UTC(2026, 10, 20, 16, 30) / 1000]);

    await page.evaluate(() => localStorage.setItem("svc.console.language", "zh"));
    await page.goto(`${server.url}/admin/announcements?project=${project}&edit=${data[0]!.id}`);
    const field = page.getByRole("textbox", { name: zh.announcements.columns.published });
    await expect(field).toHaveValue("2026/11/20 17:30");
    await field.fill("2026/11/21 下午6:05");
    await field.blur();
    await expect(field).toHaveValue("2026/11/21 18:05");
  });
});

test("an announcement ends at a time, which the form checks and the list shows", async ({ page, server, project }) => {
  await open(page, server, `/admin/announcements?project=${project}&new=1`);
  const form = page.getByRole("dialog");
  await form.getByRole("textbox", { name: "Title" }).fill("Sale");
  await form.getByRole("textbox", { name: "Content" }).fill("Until Sunday.");
  const ends = form.getByRole("textbox", { name: "Ends" });
  await form.getByRole("textbox", { name: "Published" }).fill("2020-01-03T10:00");
  await ends.fill("2020-01-02T10:00");
  await form.getByRole("button", { name: "Save" }).click();
  await expect(form.getByText(en.announcements.form.endsTooEarly)).toBeVisible();
  await ends.fill("2020-01-04T10:00");
  await form.getByRole("button", { name: "Save" }).click();
  await expect(form).toBeHidden();
  await expect(row(page, "Sale")).toContainText("Expired");
  await expect(row(page, "Sale")).toContainText("4 Jan 2020");
  const { total } = await server.call<{ total: number }>("GET", `/public/${project}/announcements`);
  expect(total).toBe(0);
  await page.getByRole("combobox", { name: "Expired" }).click();
  await page.getByRole("option", { name: "Not expired" }).click();
  await expect(page.getByText("Nothing matches these filters.")).toBeVisible();
});

test("a copy is filled from the row, and closing it asks only when something changed", async ({ page, server, project }) => {
  await server.call("POST", `/admin/projects/${project}/announcements`, { title: "Original", content: "Text", author: "Me" });
  await open(page, server, `/admin/announcements?project=${project}`);
  await menu(page, "Original", "Copy configuration");
  const dialog = page.getByRole("dialog", { name: "Copy of “Original”" });
  await expect(dialog.getByLabel("Author")).toHaveValue("Me");
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
  await menu(page, "Original", "Copy configuration");
  await dialog.getByRole("textbox", { name: "Title" }).fill("Copy");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Keep editing" }).click();
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(row(page, "Copy")).toBeVisible();
});

test("the page of announcements is accessible: list, menus, drawer, dialogs, languages", async ({ page, server, project }) => {
  const { announcements, common } = zh;
  await server.call("POST", `/admin/projects/${project}/locales`, { locale: "de", label: "Deutsch" });
  const { id } = await server.call<{ id: string }>("POST", `/admin/projects/${project}/announcements`, {
    title: "Maintenance",
    content: "# Soon\n\n1. [Link](https://example.org)\n\n| a | b |\n|---|---|\n| 1 | 2 |",
    is_pinned: true,
  });
  await open(page, server, `/admin/announcements?project=${project}`, { language: "zh" });
  await expect(page.locator("tbody tr")).toHaveCount(1);
  await expectAccessible(page);
  await expectEachAccessible(page, [
    page.getByRole("button", { name: common.columns }),
    page.getByRole("button", { name: common.labelled(common.more, "Maintenance") }),
    "help=1",
    `open=${id}`,
    `delete=${id}`,
    "as=client",
  ]);
  await goTo(page, `/admin/announcements?project=${project}&edit=${id}`);
  const form = page.getByRole("dialog", { name: common.actionTitle(common.edit, "“Maintenance”") });
  await expect(form.locator(".cm-content")).toHaveCount(1);
  await expectAccessible(page);
  await form.getByRole("tab", { name: "Deutsch" }).click();
  await expect(form.getByRole("switch", { name: announcements.form.hiddenIn })).toBeVisible();
  await expectAccessible(page);
});
