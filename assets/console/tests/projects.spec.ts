// The required content and actions of the page Projects.

import type { Page } from "@playwright/test";
import { zh } from "../src/texts/zh";
import { expect, expectAccessible, expectEachAccessible, goTo, inEachWay, open, test } from "./fixtures";
import { phone, pointer } from "./hand";
import { seedLogs, sendFeedback } from "./seed";

const menu = async (page: Page, name: string, item: string) => {
  await page.getByRole("button", { name: `More actions: ${name}`, exact: true }).click();
  await page.getByRole("menuitem", { name: item, exact: true }).click();
};

inEachWay([pointer, phone], () => {
  test("task 12: before a project is deleted it says exactly what goes, and its key is typed", async ({ page, hand, server, project }) => {
    const { common, projects } = hand.t;
    const path = `/admin/projects/${project}`;
    await server.call("PUT", `${path}/versions/by-version/1.0`, {});
    for (const title of ["A", "B"]) {
      await server.call("POST", `${path}/announcements`, { title, content: title });
    }
    await sendFeedback(server, project, { content: "Good" });
    await seedLogs(server, project, 3);
    await server.call("POST", `${path}/locales`, { locale: "de" });
    await server.call("POST", "/auth/api-keys", { name: "CI", scopes: ["versions:write"], all_projects: false, project_ids: [project] });
    await hand.open(server, `/admin/projects?project=${project}&q=${project}`);
    await hand.menu(page.getByRole("button", { name: common.labelled(common.more, project) }), common.delete);
    const dialog = page.getByRole("dialog", { name: common.actionTitle(common.delete, common.quoted(project)) });
    const { count, counts } = projects.deletion;
    await expect(dialog.getByRole("listitem")).toHaveText([
      count(counts.versions, "1"),
      count(counts.announcements, "2"),
      count(counts.feedbacks, "1"),
      count(counts.logs, "3"),
      count(counts.languages, "1"),
      count(counts.api_keys, "1"),
    ]);
    const button = dialog.getByRole("button", { name: common.delete });
    await expect(button).toBeDisabled();
    await hand.fill(dialog.getByLabel(common.deletion.type(project)), project);
    await hand.press(button);
    await expect(dialog).toBeHidden();
    const { total } = await server.call<{ total: number }>("GET", `/admin/projects?search=${project}`);
    expect(total).toBe(0);
  });
});

test.describe("with a picture from elsewhere", () => {
  test.use({ expected: [/acme\.example|ERR_NAME_NOT_RESOLVED/] });

  test("all fields are made, shown and changed", async ({ page, server, project }) => {
    test.slow();
    await open(page, server, `/admin/projects?project=${project}&new=1`);
    const dialog = page.getByRole("dialog", { name: /^New/ });
    const key = `${project}-new`.slice(0, 64);
    const fill = (label: string, text: string) =>
      dialog
        .getByLabel(label, { exact: true })
        .or(dialog.getByRole("textbox", { name: label, exact: true }))
        .fill(text);
    await fill("Repository", "https://github.com/acme/app");
    await fill("Name", "Acme 应用");
    await dialog.getByRole("textbox", { name: "Description" }).pressSequentially("It is **good**.");
    await fill("Key", key);
    await fill("Website", "https://acme.example");
    await fill("Documentation", "https://docs.acme.example");
    await fill("Author", "Acme");
    await fill("Author's page", "https://acme.example/about");
    await fill("Icon", "https://acme.example/icon.png");
    await fill("First published", "2024-02-29T12:30");
    await fill("From", "1.0");
    await fill("To", "2.0");
    await fill("Statistics kept", "");
    await fill("Events kept", "30");
    await fill("Logs kept", "400");
    await dialog.getByRole("switch", { name: "Event collection" }).uncheck();
    await dialog.getByRole("button", { name: "Save" }).click();
    await expect(dialog.getByText("A whole number of days from 1 to 365")).toBeVisible();
    await fill("Statistics kept", "100");
    await dialog.getByRole("button", { name: "Save" }).click();
    await expect(page.getByRole("dialog").getByRole("link", { name: "Go to versions" })).toBeVisible();
    expect(await server.call("GET", `/admin/projects/${key}`)).toMatchObject({
      name: "Acme 应用",
      repo_url: "https://github.com/acme/app",
      description: "It is **good**.",
      author: "Acme",
      author_homepage_url: "https://acme.example/about",
      icon_url: "https://acme.example/icon.png",
      website_url: "https://acme.example",
      docs_url: "https://docs.acme.example",
      // The browser's time zone is Berlin's.
      published_at: Date.UTC(2024, 1, 29, 11, 30) / 1000,
      optional_update_min_comparable_version: "1.0",
      optional_update_max_comparable_version: "2.0",
      stats_retention_days: 100,
      event_retention_days: 30,
      log_retention_days: 400,
      feedback_retention_days: null,
      event_collection_enabled: false,
    });
    await server.call("DELETE", `/admin/projects/${key}`);
  });
});

test.describe("refused", () => {
  test.use({ expected: [/400/] });

  test("a form that cannot be saved leads to its first wrong field and counts them, and what saves it stays in sight", async ({
    page,
    server,
    project,
  }) => {
    await page.setViewportSize({ width: 1280, height: 600 });
    await open(page, server, `/admin/projects?project=${project}&new=1`);
    const dialog = page.getByRole("dialog", { name: "New project" });
    const save = dialog.getByRole("button", { name: "Save" });
    const last = dialog.getByRole("switch", { name: "Mirror attachments" });
    const name = dialog.getByRole("textbox", { name: "Name", exact: true });
    await expect(save).toBeInViewport({ ratio: 1 });
    await last.scrollIntoViewIfNeeded();
    await save.click();
    await expect(name).toBeFocused();
    await expect(name).toBeInViewport({ ratio: 1 });
    await expect(save).toBeInViewport({ ratio: 1 });
    await expect(dialog.getByRole("status").filter({ hasText: "need" })).toHaveText("2 fields need attention");
    await name.fill("Second");
    // The key followed the name.
    await expect(dialog.getByText("attention")).toHaveCount(0);
    await save.click();
    await expect(page.getByRole("dialog", { name: /^Setup snippets/ })).toBeVisible();

    // The wrong field may be in another tab, and errors of the server are shown like those of the
    // form.
    await server.call("POST", `/admin/projects/${project}/locales`, { locale: "de" });
    await page.goto(`${server.url}/admin/projects?project=${project}&edit=${project}`);
    const form = page.getByRole("dialog", { name: /^Edit/ });
    await form.getByRole("textbox", { name: "Name", exact: true }).fill(" ");
    await form.getByRole("textbox", { name: "Website" }).fill("nowhere");
    await form.getByRole("tab", { name: "German" }).click();
    await form.getByRole("button", { name: "Save" }).click();
    await expect(form.getByRole("textbox", { name: "Name", exact: true })).toBeFocused();
    await form.getByRole("textbox", { name: "Name", exact: true }).fill("Named");
    await form.getByRole("button", { name: "Save" }).click();
    await expect(form.getByRole("textbox", { name: "Website" })).toBeFocused();
    await expect(form).toContainText("website_url must be an absolute URL");
    await expect(form.getByText("1 field needs attention")).toBeVisible();
  });
});

test("after a project was made, the address names it, and the focus is where it goes on", async ({ page, server, project }) => {
  await open(page, server, `/admin/projects?project=${project}&new=1`);
  const key = `${project}-new`.slice(0, 64);
  const form = page.getByRole("dialog", { name: "New project" });
  await form.getByRole("textbox", { name: "Name", exact: true }).fill(key);
  await form.getByRole("button", { name: "Save" }).click();
  const next = page.getByRole("dialog", { name: `Setup snippets for ${key}` });
  await expect(next.getByRole("link", { name: "Go to versions" })).toBeVisible();
  await expect(page.getByText(`${key} was created`)).toBeVisible();
  await expect(next.locator(":focus")).toHaveCount(1);
  expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({ project: key, start: key });
  await page.reload();
  await expect(next).toBeVisible();
  await next.getByRole("button", { name: "Close" }).last().click();
  await expect(next).toBeHidden();
  await page.getByRole("link", { name: "Versions", exact: true }).click();
  await expect(page.getByRole("heading", { name: "No version yet" })).toBeVisible();
  expect(new URL(page.url()).searchParams.get("project")).toBe(key);
  await server.call("DELETE", `/admin/projects/${key}`);
});

test("the key changes, the old one leads on, and is given up", async ({ page, server, project }) => {
  test.slow();
  const renamed = `${project}-two`.slice(0, 64);
  await open(page, server, `/admin/projects?project=${project}&edit=${project}`);
  const dialog = page.getByRole("dialog", { name: /^Edit/ });
  await dialog.getByRole("textbox", { name: "Key", exact: true }).fill(renamed);
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(dialog).toBeHidden();
  // The search also finds former keys.
  await page.getByRole("searchbox").fill(project);
  await expect(page.getByRole("row").filter({ hasText: renamed })).toContainText(project);

  await menu(page, project, "Edit");
  const aliases = dialog.getByRole("region", { name: "Former keys" });
  await aliases.getByRole("button", { name: `Release ${project}` }).click();
  const question = page.getByRole("dialog", { name: `Release ${project}` });
  await expect(question).toContainText("not found");
  await question.getByRole("button", { name: "Release" }).click();
  await expect(aliases).toContainText("The key has never been changed.");
});

test("a project's files go where its form says, blank for the default, and attachments are mirrored when it says so", async ({
  page,
  own: server,
}) => {
  const { id } = await server.call<{ id: string }>("POST", "/admin/storage/backends", {
    name: "Shelf",
    kind: "webdav",
    base_url: "http://127.0.0.1:9/dav",
  });
  await server.call("POST", "/admin/projects", { project_key: "app", name: "App" });
  await open(page, server, "/admin/projects?project=app&edit=app");
  const dialog = page.getByRole("dialog", { name: "Edit “App”" });
  const storage = dialog.getByRole("combobox", { name: "File storage" });
  await expect(storage).toHaveValue("Instance default");
  const save = async () => {
    await dialog.getByRole("button", { name: "Save" }).click();
    await expect(dialog).toBeHidden();
    return server.call("GET", "/admin/projects/app");
  };
  await storage.click();
  await page.getByRole("option", { name: "Shelf" }).click();
  await dialog.getByRole("switch", { name: "Mirror attachments" }).check();
  expect(await save()).toMatchObject({ storage_backend_id: id, mirror_codehost_assets: true });
  await menu(page, "App", "Edit");
  await expect(storage).toHaveValue("Shelf");
  await storage.click();
  await page.getByRole("option", { name: "Instance default" }).click();
  await dialog.getByRole("switch", { name: "Mirror attachments" }).uncheck();
  expect(await save()).toMatchObject({ storage_backend_id: null, mirror_codehost_assets: false });
});

test("languages are added, edited and unregistered inside of the form, which stays", async ({ page, server, project }) => {
  test.slow();
  await open(page, server, `/admin/projects?project=${project}&edit=${project}`);
  const dialog = page.getByRole("dialog", { name: `Edit “${project}”` });
  await dialog.getByLabel("Author", { exact: true }).fill("Unsaved");
  await dialog.getByRole("button", { name: "Add language" }).click();
  const language = page.getByRole("dialog", { name: "Add language" });
  await language.getByRole("textbox", { name: "Tag" }).fill("de");
  await language.getByLabel("Synonyms").fill("de-AT,de-CH,");
  await language.getByLabel("Name").fill("Deutsch");
  await language.getByRole("button", { name: "Save" }).click();
  const languages = dialog.getByRole("region", { name: "Languages" });
  await expect(languages).toContainText("de, de-AT, de-CH");
  expect(await server.call("GET", `/admin/projects/${project}/locales`)).toMatchObject({
    data: [{ locale: "de", aliases: ["de-AT", "de-CH"], label: "Deutsch" }],
  });

  await languages.getByRole("button", { name: "Edit Deutsch" }).click();
  await page.getByRole("dialog", { name: "Edit Deutsch" }).getByLabel("Name").fill("German");
  await page.getByRole("dialog", { name: "Edit Deutsch" }).getByRole("button", { name: "Save" }).click();
  await languages.getByRole("button", { name: "Unregister German" }).click();
  await page.getByRole("dialog", { name: "Unregister German" }).getByRole("button", { name: "Unregister" }).click();
  await expect(languages).toContainText("No language is registered.");
  await expect(dialog.getByLabel("Author", { exact: true })).toHaveValue("Unsaved");
  expect(await server.call("GET", `/admin/projects/${project}`)).toMatchObject({ author: null });
});

for (const phone of [false, true]) {
  test(`the list tells the latest version of a project${phone ? ", also on a phone" : ""}`, async ({ page, server, project }) => {
    await server.call("PUT", `/admin/projects/${project}/versions/by-version/7.2.0`, {});
    await open(page, server, `/admin/projects?project=${project}&q=${project}`, { phone });
    await expect(page.getByRole("row").filter({ hasText: project })).toContainText("7.2.0");
  });
}

test("the public page and the integration are one step away", async ({ page, server, project, context }) => {
  await open(page, server, `/admin/projects?project=${project}&q=${project}`);
  const opened = context.waitForEvent("page");
  await menu(page, project, "Open public page");
  expect(new URL((await opened).url() || "about:blank").pathname).toMatch(new RegExp(`^(/projects/${project}|blank)$`));
  await menu(page, project, "GitHub integration");
  await expect(page.getByRole("heading", { name: "GitHub integration" })).toBeVisible();
});

test("the page of projects is accessible: list, menus, drawer, dialogs, languages, former keys", async ({ page, server, project }) => {
  const { projects, common } = zh;
  const path = `/admin/projects/${project}`;
  await server.call("PATCH", path, {
    description: "# About\n\nText with `code`.",
    repo_url: "https://github.com/acme/app",
    website_url: "https://acme.example",
  });
  await server.call("POST", `${path}/locales`, { locale: "de", label: "Deutsch" });
  const key = `${project}-two`.slice(0, 64);
  await server.call("PATCH", path, { project_key: key });
  await open(page, server, `/admin/projects?project=${key}&q=${key}`, { language: "zh" });
  await expect(page.locator("tbody tr")).toHaveCount(1);
  await expectAccessible(page);
  await expectEachAccessible(page, [
    page.getByRole("button", { name: common.columns }),
    page.getByRole("button", { name: common.labelled(common.more, project) }),
    "help=1",
    `open=${key}`,
    `delete=${key}`,
    `start=${key}`,
  ]);
  await goTo(page, `/admin/projects?project=${key}&q=${key}&edit=${key}`);
  const form = page.getByRole("dialog", { name: common.actionTitle(common.edit, common.quoted(project)) });
  await expect(form.locator(".cm-content")).toHaveCount(1);
  await expectAccessible(page);
  await expectEachAccessible(page, [
    form.getByRole("button", { name: projects.languages.add }),
    form.getByRole("button", { name: projects.languages.edit("Deutsch") }),
    form.getByRole("button", { name: projects.languages.remove("Deutsch") }),
    form.getByRole("button", { name: projects.aliases.remove(project) }),
    form.getByRole("combobox", { name: projects.columns.storage }),
  ]);
});
