// The required content and actions of the page Versions.

import type { Page } from "@playwright/test";
import { zh } from "../src/texts/zh";
import { expect, expectAccessible, expectEachAccessible, goTo, inEachWay, open, test } from "./fixtures";
import { keyboard, phone, pointer } from "./hand";
import type { Server } from "./server";

const put = (server: Server, project: string, version: string, fields: object = {}) =>
  server.call<{ id: string }>("PUT", `/admin/projects/${project}/versions/by-version/${version}`, fields);

const row = (page: Page, version: string) => page.getByRole("row").filter({ has: page.getByRole("link", { name: version, exact: true }) });

const menu = async (page: Page, version: string, item: string) => {
  await page.getByRole("button", { name: `More actions: ${version}`, exact: true }).click();
  await page.getByRole("menuitem", { name: item, exact: true }).click();
};

async function upload(server: Server, project: string, name: string): Promise<void> {
  const token = await server.login();
  const body = new TextEncoder().encode(name);
  const response = await fetch(`${server.url}/api/v1/admin/projects/${project}/files?filename=${name}`, {
    method: "PUT",
    headers: { authorization: `Bearer ${token}`, "content-length": String(body.length) },
    body,
  });
  expect(response.status).toBe(201);
}

inEachWay([pointer, keyboard, phone], () => {
  test("task 2: publish by copying the last version, with files of the library, and see what an old client gets and why", async ({
    page,
    hand,
    ownDemo: server,
  }) => {
    test.slow();
    const { common, fields, versions } = hand.t;
    const files = ["tidebrook-1.5.1-android.apk", "tidebrook-1.5.1-web.zip"];
    for (const name of files) {
      await upload(server, "tidebrook", name);
    }
    await hand.open(server, "/admin/versions?project=tidebrook");
    await hand.menu(page.getByRole("button", { name: common.labelled(common.more, "1.5.0"), exact: true }), common.copyConfiguration);

    const dialog = page.getByRole("dialog", { name: common.copyTitle("1.5.0") });
    await hand.fill(dialog.getByRole("textbox", { name: versions.columns.version, exact: true }), "v1.5.1");
    await expect(dialog.getByRole("textbox", { name: versions.columns.comparable })).toHaveValue("1.5.1");
    const notes = versions.columns.content;
    await hand.fill(dialog.getByRole("textbox", { name: notes }), "## New\n\n- **Faster**");
    const views = dialog.getByRole("radiogroup", { name: fields.markdown.view(notes) });
    await hand.press(views.getByRole("radio", { name: fields.markdown.preview }));
    await expect(dialog.getByRole("region", { name: fields.markdown.previewOf(notes) }).locator("strong")).toHaveText("Faster");

    await hand.press(dialog.getByRole("button", { name: fields.links.remove(1) }));
    await hand.press(dialog.getByRole("button", { name: fields.links.fromLibrary }));
    const library = page.getByRole("dialog", { name: fields.links.library });
    await hand.fill(library.getByRole("searchbox"), "1.5.1");
    for (const name of files) {
      await hand.press(library.getByRole("button", { name: fields.links.choose(name) }));
    }
    await hand.shortcut("Escape", library.getByRole("button", { name: common.close }));
    await expect(library).toBeHidden();
    const download = dialog.getByRole("group", { name: fields.links.one(1) });
    await expect(download.getByRole("textbox", { name: fields.links.name })).toHaveValue(files[0]!);
    await expect(download.getByRole("combobox", { name: fields.links.platform })).toHaveValue("android");
    await hand.press(dialog.getByRole("button", { name: common.save }));
    await expect(dialog).toBeHidden();
    await expect(row(page, "v1.5.1")).toContainText(versions.flags.latest);

    await hand.press(page.getByRole("button", { name: versions.simulate }));
    const { simulator } = versions;
    const view = page.getByRole("dialog", { name: simulator.title });
    await hand.fill(view.getByLabel(simulator.current, { exact: true }), "1.2.0");
    await expect(view).toContainText(simulator.optional("1.2.0", "1.5.0"));
    await hand.press(view.getByRole("button", { name: simulator.why(3) }));
    await expect(view.getByRole("listitem")).toContainText([
      simulator.reasons.current_version_registered("1.2.0"),
      simulator.reasons.newer_version_available("v1.5.1"),
      simulator.reasons.milestone_guard("1.5.0"),
    ]);
  });

  test("task 3: find a bad release, deprecate it, and see that its users must update, and to what", async ({
    page,
    hand,
    ownDemo: server,
  }) => {
    test.slow();
    const { common, versions } = hand.t;
    await put(server, "quillmere", "4.3.2", { title: "Mended" });
    await hand.open(server, "/admin/versions?project=quillmere");
    const search = page.getByRole("searchbox", { name: common.search });
    await hand.shortcut("/", search);
    await expect(search).toBeFocused();
    await hand.fill(search, "4.3.1");
    await expect(row(page, "4.3.2")).toHaveCount(0);
    const more = page.getByRole("button", { name: common.labelled(common.more, "4.3.1"), exact: true });
    await hand.menu(more, versions.deprecate);
    await expect(row(page, "4.3.1")).toContainText(versions.flags.deprecated);

    await hand.menu(more, versions.simulateFrom);
    const { simulator } = versions;
    const view = page.getByRole("dialog", { name: simulator.title });
    const because = simulator.because.current_version_deprecated("4.3.1", "");
    await expect(view).toContainText(simulator.sentence(simulator.required("4.3.1", "4.3.2"), because));
    await hand.press(view.getByRole("button", { name: new RegExp(`^${simulator.why(0).split("0")[0]}`) }));
    await expect(view.getByRole("listitem").getByText(simulator.reasons.current_version_deprecated("4.3.1"))).toBeVisible();
  });
});

test("a version is deprecated only when its users have something to go to, which can be taken back", async ({ page, server, project }) => {
  test.slow();
  await put(server, project, "1.0.0");
  await put(server, project, "1.1.0", { title: "Bad" });
  await open(page, server, `/admin/versions?project=${project}`);

  await menu(page, "1.1.0", "Deprecate");
  await expect(page.getByText("The latest version cannot be deprecated.", { exact: false })).toBeVisible();
  await menu(page, "1.1.0", "Edit");
  const dialog = page.getByRole("dialog", { name: /^Edit/ });
  await dialog.getByRole("switch", { name: "Latest" }).uncheck();
  await dialog.getByRole("switch", { name: "Deprecated" }).check();
  await expect(dialog.getByText("publish a newer stable version first", { exact: false })).toBeVisible();
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(dialog).toBeVisible();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "Discard" }).click();
  await expect(dialog).toBeHidden();

  await put(server, project, "1.1.1", { title: "Fix" });
  await page.reload();
  await menu(page, "1.1.0", "Deprecate");
  await expect(row(page, "1.1.0")).toContainText("Deprecated");
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(row(page, "1.1.0")).not.toContainText("Deprecated");
});

test("the simulator says why in every case", async ({ page, server, project }) => {
  await put(server, project, "1.0.0");
  await put(server, project, "2.0.0", { is_milestone: true });
  await put(server, project, "3.0.0");
  await put(server, project, "4.0.0-beta.1", { is_preview: true });
  await server.call("PATCH", `/admin/projects/${project}`, { optional_update_min_comparable_version: "1.5" });
  await open(page, server, `/admin/versions?project=${project}&simulate=1`);
  const simulator = page.getByRole("dialog", { name: "Update simulator" });
  await expect(simulator).toContainText("Enter the version that the client runs.");
  const comparable = simulator.getByLabel("Current sort version");
  await comparable.fill("1.2");
  await expect(simulator).toContainText(
    "1.2 must update to 2.0.0 because it is outside the range in which updates are optional (from 1.5).",
  );
  await simulator.getByRole("button", { name: /^All \d rules/ }).click();
  await expect(simulator.getByRole("listitem").filter({ hasText: "(decided)" })).toContainText("outside the range");
  await expect(simulator.getByText("2.0.0 is a milestone that cannot be skipped.").first()).toBeVisible();
  await comparable.fill("3.0.0");
  await expect(simulator).toContainText("3.0.0 needs no update because it is the latest version.");
  await expect(simulator.getByText("The preview 4.0.0-beta.1 is newer", { exact: false })).toBeVisible();
  await simulator.getByRole("switch", { name: "Include previews" }).check();
  await expect(simulator).toContainText("3.0.0 may update to 4.0.0-beta.1 because 4.0.0-beta.1 is newer.");
  await comparable.fill("");
  await simulator.getByLabel("Current version", { exact: true }).fill("unknown");
  await expect(simulator).toContainText("unknown receives an error because it is not registered");

  // The address alone restores the page.
  await page.reload();
  await expect(simulator).toContainText("unknown receives an error because it is not registered");
});

test("who must update is one line, a column and a table, and each change says whom it affects before it is made", async ({
  page,
  own: server,
}) => {
  test.slow();
  const project = "app";
  await server.call("POST", "/admin/projects", { project_key: project, name: "App" });
  const link = { download_links: [{ url: "https://downloads.example/a.zip" }] };
  await put(server, project, "1.0.0");
  await put(server, project, "1.1.0");
  await put(server, project, "2.0.0", link);
  await server.call("PATCH", `/admin/projects/${project}`, { optional_update_min_comparable_version: "1.1" });
  const checks = { "1.0.0": 4, "1.1.0": 3, "2.0.0": 2 };
  for (const [version, count] of Object.entries(checks)) {
    for (let check = 0; check < count; check++) {
      await server.call("POST", `/public/${project}/versions/check-update`, { current_version: version }, "");
    }
  }
  // Requests are counted in the background.
  const usage = () => server.call<{ checks: number }>("GET", `/admin/projects/${project}/versions/usage`);
  await expect.poll(async () => (await usage()).checks).toBe(9);
  await open(page, server, `/admin/versions?project=${project}`);
  const line = page.getByRole("group", { name: "Who must update" });
  await expect(line).toContainText(/4 must update.*3 may.*of 9 update checks in seven days.*22% on 2\.0\.0 in 24 hours/);
  await expect(row(page, "1.0.0")).toContainText("→ 2.0.0");
  await expect(row(page, "1.1.0")).not.toContainText("→");
  await expectAccessible(page);

  await line.getByRole("button", { name: "4 must update" }).click();
  const table = page.getByRole("dialog", { name: "Who must update" });
  await expect(table.getByRole("row")).toHaveCount(2);
  await expect(table.getByRole("row").last()).toContainText(/1\.0\.0.*4.*44.4%.*Must update to 2\.0\.0/);
  await expectAccessible(page);
  await table.getByRole("button", { name: "All", exact: true }).click();
  await expect(table.getByRole("row")).toHaveCount(4);
  await page.keyboard.press("Escape");
  await expect(table).toBeHidden();

  // The menu and the form show the effect of deprecating the version.
  await page.getByRole("button", { name: "More actions: 1.1.0" }).click();
  const item = page.getByRole("menuitem", { name: "Deprecate", exact: true });
  await expect(item).toContainText("3 update checks of the last seven days came from it; these apps must then update to 2.0.0.");
  await page.keyboard.press("Escape");
  await menu(page, "1.1.0", "Edit");
  const form = page.getByRole("dialog", { name: /^Edit/ });
  await form.getByRole("switch", { name: "Deprecated" }).check();
  await expect(form.getByRole("status").filter({ hasText: "these apps must then update to 2.0.0" })).toBeVisible();
  await form.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "Discard" }).click();

  // So does the optional range.
  await goTo(page, `/admin/projects?edit=${project}`);
  const settings = page.getByRole("dialog", { name: /^Edit/ });
  await expect(settings).toContainText("Of the update checks of the last seven days, 4 must update and 3 may.");
  await settings.getByRole("textbox", { name: "From", exact: true }).fill("1.5");
  await expect(settings).toContainText("7 must then update instead of 4, and 0 may instead of 3.");
  await settings.getByRole("textbox", { name: "From", exact: true }).fill("1.");
  await expect(settings).not.toContainText("must then update");
});

test("the list shows every field, filters, searches, and keeps it all in the address", async ({ page, server, project }) => {
  await put(server, project, "1.0.0", { title: "Old one", platforms: ["linux"] });
  await put(server, project, "2.0.0", {
    title: "New one",
    is_milestone: true,
    download_links: [{ url: "https://downloads.example/a.zip", name: "Archive" }],
  });
  await put(server, project, "2.1.0-rc.1", { is_preview: true });
  await open(page, server, `/admin/versions?project=${project}`);
  const headers = ["Version", "Title", "Flags", "Checks, 7 days", "Platforms", "Files", "Published", "Translations"];
  for (const name of headers) {
    await expect(page.getByRole("columnheader", { name: new RegExp(`^${name}`) })).toBeAttached();
  }
  await page.getByRole("button", { name: "Columns" }).click();
  await page.getByRole("menuitemcheckbox", { name: "Sort version" }).click();
  await expect(page.getByRole("columnheader", { name: "Sort version" })).toBeAttached();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("row")).toHaveCount(4);
  await page.getByRole("combobox", { name: "Preview" }).click();
  await page.getByRole("option", { name: "Preview: only" }).click();
  await expect(page).toHaveURL(/is_preview=true/);
  await expect(page.getByRole("row")).toHaveCount(2);
  await page.getByRole("button", { name: "Reset", exact: true }).click();
  await page.getByRole("combobox", { name: "Platform" }).click();
  await page.getByRole("option", { name: "Windows" }).click();
  await expect(row(page, "1.0.0")).toHaveCount(0);
  await page.goBack();
  await expect(row(page, "1.0.0")).toHaveCount(1);
  await page.getByRole("searchbox").fill("new one");
  await expect(page.getByRole("row")).toHaveCount(2);
  await row(page, "2.0.0").getByRole("link").click();
  const drawer = page.getByRole("dialog", { name: "2.0.0" });
  await expect(drawer.getByRole("link", { name: "Archive" })).toHaveAttribute("href", "https://downloads.example/a.zip");
  await expect(drawer).toContainText("Milestone");
});

test("a version that apps are sent to without a file is marked, and its form says so and takes over the files of the one before", async ({
  page,
  server,
  project,
}) => {
  const links = [{ url: "https://downloads.example/1.0.zip", name: "Archive", platform: "linux" }];
  await put(server, project, "1.0.0", { download_links: links });
  await open(page, server, `/admin/versions?project=${project}&new=1`);
  const dialog = page.getByRole("dialog", { name: "New version" });
  const notice = dialog.getByRole("status").filter({ hasText: "will find no file" });
  await dialog.getByRole("textbox", { name: "Version", exact: true }).fill("0.9.0");
  await expect(notice).toHaveCount(0);
  await dialog.getByRole("textbox", { name: "Version", exact: true }).fill("1.1.0");
  await expect(notice).toHaveText(/^Apps that update to 1\.1\.0 will find no file\./);
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(dialog).toBeHidden();
  await expect(row(page, "1.1.0")).toContainText("Latest");
  await expect(row(page, "1.1.0").getByText("None", { exact: true })).toBeVisible();
  await expect(row(page, "1.0.0").getByText("None", { exact: true })).toHaveCount(0);
  await expectAccessible(page);

  await menu(page, "1.1.0", "Edit");
  const form = page.getByRole("dialog", { name: /^Edit/ });
  await expectAccessible(page);
  await form.getByRole("button", { name: "Use the files of 1.0.0" }).click();
  await expect(form.getByRole("group", { name: "Download 1" }).getByRole("textbox", { name: "Name" })).toHaveValue("Archive");
  await expect(form.getByText("will find no file")).toHaveCount(0);
  await form.getByRole("button", { name: "Save" }).click();
  await expect(form).toBeHidden();
  await expect(row(page, "1.1.0").getByText("None", { exact: true })).toHaveCount(0);
  expect(await server.call("GET", `/public/${project}/versions/latest`)).toMatchObject({ version: "1.1.0", download_links: links });
});

test("languages are edited each in its tab, and saved together", async ({ page, server, project }) => {
  await server.call("POST", `/admin/projects/${project}/locales`, { locale: "de", label: "Deutsch" });
  await put(server, project, "1.0.0", { title: "Hello" });
  await open(page, server, `/admin/versions?project=${project}`);
  await menu(page, "1.0.0", "Edit");
  const dialog = page.getByRole("dialog", { name: /^Edit/ });
  await dialog.getByRole("tab", { name: "Deutsch" }).click();
  await dialog.getByRole("textbox", { name: "Title" }).fill("Hallo");
  await dialog.getByRole("tab", { name: "Default" }).click();
  await expect(dialog.getByRole("textbox", { name: "Title" })).toHaveValue("Hello");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(dialog).toBeHidden();
  const { title, locale } = await server.call<{ title: string; locale: string }>("GET", `/public/${project}/versions/latest?locale=de`);
  expect({ title, locale }).toEqual({ title: "Hallo", locale: "de" });

  // A copy has no translations.
  await menu(page, "1.0.0", "Copy configuration");
  await expect(page.getByRole("dialog", { name: "Copy of 1.0.0" })).toBeVisible();
  await page.getByRole("tab", { name: "Deutsch" }).click();
  await expect(page.getByRole("textbox", { name: "Title" })).toHaveValue("");
});

test("what is wrong stands at its field before the server is asked", async ({ page, server, project }) => {
  await open(page, server, `/admin/versions?project=${project}&new=1`);
  const dialog = page.getByRole("dialog", { name: /^New/ });
  await dialog.getByRole("textbox", { name: "Version", exact: true }).fill("nightly");
  await dialog.getByRole("textbox", { name: "Custom data" }).pressSequentially("[1]");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(dialog.getByText("Use numbers separated by dots", { exact: false })).toBeVisible();
  await expect(dialog.getByText("This must be a JSON object", { exact: false })).toBeVisible();
  await expect(dialog.getByRole("textbox", { name: "Custom data" })).toHaveAttribute("aria-invalid", "true");
});

test.describe("a refusal of the server", () => {
  test.use({ expected: [/status of 400/] });

  test("versions for updaters are entered in the form, and the list is filtered by channel", async ({ page, server, project }) => {
    await server.call("PUT", `/admin/projects/${project}/distribution`, { channels: [{ name: "night", includes: ["stable"] }] });
    await put(server, project, "1.0.0");
    const { id } = await put(server, project, "1.2.3.4", { channel: "night" });
    await open(page, server, `/admin/versions?project=${project}&edit=${id}`);
    const dialog = page.getByRole("dialog", { name: /1\.2\.3\.4/ });
    const semver = dialog.getByRole("textbox", { name: "SemVer for updaters" });
    await semver.fill("1.2");
    await dialog.getByRole("textbox", { name: "Number for Sparkle" }).fill("70100");
    await dialog.getByRole("button", { name: "Save", exact: true }).click();
    await expect(dialog.getByText("must be a version of SemVer 2.0.0", { exact: false })).toBeVisible();
    await expect(semver).toHaveAttribute("aria-invalid", "true");
    await expect(dialog.getByRole("textbox", { name: "Number for Sparkle" })).not.toHaveAttribute("aria-invalid", "true");
    await semver.fill("1.2.34");
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Save", exact: true }).click();
    await expect(dialog).toBeHidden();
    const path = `/admin/projects/${project}/versions/${id}`;
    expect(await server.call("GET", path)).toMatchObject({ native_versions: { semver: "1.2.34", sparkle: "70100" } });

    await page.getByRole("combobox", { name: "Channel" }).click();
    await page.getByRole("option", { name: "night" }).click();
    await expect(page).toHaveURL(/channel=night/);
    await expect(page.getByRole("row")).toHaveCount(2);
    await expect(row(page, "1.2.3.4")).toBeVisible();
    await page.reload();
    await expect(page.getByRole("combobox", { name: "Channel" })).toHaveValue("night");
    await expect(row(page, "1.0.0")).toHaveCount(0);
  });
});

test.describe("two tabs", () => {
  test.use({ expected: [/status of 412/] });

  test("who saves second is told, and loads the other change or saves over it", async ({ page, server, project, context }) => {
    test.slow();
    await put(server, project, "1.0.0", { title: "Begin" });
    await open(page, server, `/admin/versions?project=${project}`);
    await menu(page, "1.0.0", "Edit");
    const dialog = page.getByRole("dialog", { name: /^Edit/ });
    const title = dialog.getByRole("textbox", { name: "Title" });
    await expect(title).toHaveValue("Begin");

    const other = await context.newPage();
    await open(other, server, `/admin/versions?project=${project}`);
    await menu(other, "1.0.0", "Edit");
    await other.getByRole("textbox", { name: "Title" }).fill("Other");
    await other.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    await expect(other.getByRole("dialog")).toBeHidden();
    await other.close();

    await title.fill("Mine");
    await dialog.getByRole("button", { name: "Save", exact: true }).click();
    await expect(dialog.getByText("This record was changed elsewhere")).toBeVisible();
    await expect(title).toHaveValue("Mine");
    // The button was disabled while it worked; the keyboard focus stays in the dialog.
    await page.keyboard.press("Tab");
    await expect(dialog.getByRole("button", { name: "Close" })).toBeFocused();
    await dialog.getByRole("button", { name: "Load the other change" }).click();
    await expect(title).toHaveValue("Other");
    await title.fill("Both");
    await dialog.getByRole("button", { name: "Save", exact: true }).click();
    await expect(dialog).toBeHidden();
    await expect(row(page, "1.0.0")).toContainText("Both");
  });
});

test("a version is deleted after a question that says what happens", async ({ page, server, project }) => {
  await put(server, project, "1.0.0");
  await put(server, project, "1.1.0");
  await open(page, server, `/admin/versions?project=${project}`);
  await menu(page, "1.1.0", "Delete");
  const dialog = page.getByRole("dialog", { name: "Delete 1.1.0" });
  await expect(dialog).toContainText("This is the latest version");
  await dialog.getByRole("button", { name: "Delete" }).click();
  await expect(row(page, "1.1.0")).toHaveCount(0);
  await expect(row(page, "1.0.0")).toContainText("Latest");
});

test("attachments are mirrored only where there are some", async ({ page, server, project }) => {
  await put(server, project, "1.0.0", { download_url: "https://downloads.example/a.zip" });
  await put(server, project, "1.1.0", { download_url: "https://github.com/acme/app/releases/download/v1.1.0/a.zip" });
  await open(page, server, `/admin/versions?project=${project}`);
  await page.getByRole("button", { name: "More actions: 1.0.0" }).click();
  await expect(page.getByRole("menuitem", { name: "Edit" })).toBeVisible();
  await expect(page.getByRole("menuitem", { name: "Mirror attachments" })).toHaveCount(0);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "More actions: 1.1.0" }).click();
  await expect(page.getByRole("menuitem", { name: "Mirror attachments" })).toBeVisible();
});

test("Releases leads to the repository of the project while none is entered", async ({ page, server, project }) => {
  let answer = () => {};
  const asked = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route("**/api/v1/admin/projects?*", async (route) => {
    await asked;
    await route.continue();
  });
  await open(page, server, `/admin/versions?project=${project}`);
  const releases = page.getByRole("button", { name: "Releases" });
  await expect(releases).toBeDisabled();
  answer();
  await releases.click();
  await page.getByRole("menuitem", { name: "Enter the repository of the project" }).click();
  await expect(page).toHaveURL(new RegExp(`/admin/projects\\?.*edit=${project}`));
  await expect(page.getByRole("dialog").getByLabel("Repository")).toBeVisible();
});

test("the page of versions is accessible: list, menus, drawer, dialogs, file library", async ({ page, server, project }) => {
  const { versions, fields, common } = zh;
  const repo_url = "https://github.com/acme/app";
  await server.call("PATCH", `/admin/projects/${project}`, { repo_url });
  await server.call("POST", `/admin/projects/${project}/locales`, { locale: "ar", label: "العربية" });
  await upload(server, project, "app-1.1.0-setup.exe");
  const { id } = await put(server, project, "1.0.0", {
    title: "שלום",
    content: "- **One**\n\n```sh\nmake\n```",
    custom_data: { build: { number: 7, tags: ["a", "b"] } },
    download_links: [{ url: `${repo_url}/releases/download/v1/a.zip`, name: "A", platform: "linux" }],
  });
  await open(page, server, `/admin/versions?project=${project}`, { language: "zh" });
  await expect(page.locator("tbody tr")).toHaveCount(1);
  await expectAccessible(page);
  await expectEachAccessible(page, [
    page.getByRole("button", { name: common.columns }),
    page.getByRole("button", { name: versions.releases }),
    page.getByRole("button", { name: common.labelled(common.more, "1.0.0") }),
    "help=1",
    `open=${id}`,
    `delete=${id}`,
    "simulate=1&sim_version=1.0.0",
  ]);
  await goTo(page, `/admin/versions?project=${project}&edit=${id}`);
  const form = page.getByRole("dialog", { name: common.actionTitle(common.edit, "1.0.0") });
  await expect(form.locator(".cm-content")).toHaveCount(2);
  await expectAccessible(page);
  await form.getByRole("tab", { name: "العربية" }).click();
  await expectAccessible(page);
  await expectEachAccessible(page, [
    form.getByRole("button", { name: versions.form.fetch }),
    form.getByRole("button", { name: fields.links.fromLibrary }),
    form.getByRole("group", { name: fields.links.one(1) }).getByLabel(fields.links.platform),
  ]);
});

test("everything fits on a phone", async ({ page, server, project }) => {
  await put(server, project, "1.0.0", { title: "A rather long title that says a lot about this version" });
  await open(page, server, `/admin/versions?project=${project}&new=1`, { phone: true });
  await expect(page.locator(".cm-content")).toHaveCount(2);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(375);
  await expectAccessible(page);
});

test("of addresses of downloads, those that a browser can open are links, and the others are text with a button that copies it", async ({
  page,
  server,
  project,
  context,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const address = "javascript:alert(1)";
  const { id } = await put(server, project, "1.0", { download_url: address });
  const other = await put(server, project, "2.0", {
    download_links: [{ url: "https://dl.example/app.dmg", name: "For Macs" }, { url: "ftp://dl.example/app.deb" }],
  });
  await open(page, server, `/admin/versions?project=${project}&open=${id}`);
  const drawer = page.getByRole("dialog");
  await expect(drawer.getByText(address)).toHaveCount(2);
  await expect(drawer.getByRole("link")).toHaveCount(0);
  for (const button of await drawer.getByRole("button", { name: "Copy", exact: true }).all()) {
    await button.click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(address);
    await page.evaluate(() => navigator.clipboard.writeText(""));
  }
  await goTo(page, `/admin/versions?project=${project}&open=${other.id}`);
  await expect(drawer.getByRole("link", { name: "For Macs" })).toHaveAttribute("href", "https://dl.example/app.dmg");
  await expect(drawer.getByRole("link", { name: "ftp://dl.example/app.deb" })).toHaveAttribute("href", "ftp://dl.example/app.deb");

  // The repository of a project is also free text.
  for (const [repository, links] of [
    ["northlight/app", 0],
    ["https://git.example/app", 1],
  ] as const) {
    await server.call("PATCH", `/admin/projects/${project}`, { repo_url: repository });
    await page.goto(`${server.url}/admin/projects?project=${project}&q=${project}&open=${project}`);
    const shown = page.getByRole("dialog", { name: project });
    await expect(shown.getByText(repository, { exact: true })).toBeVisible();
    await expect(shown.getByRole("link", { name: repository })).toHaveCount(links);
  }
});
