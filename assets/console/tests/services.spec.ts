// Other services: the code host, a translator, a CDN.

import { expect, expectAccessible, open, test } from "./fixtures";
import { Server } from "./server";
import { Service } from "./service";

test("the history of a repository is imported, its latest release synced, and one fetched into the form", async ({
  page,
  codehost,
  connected: server,
}) => {
  const { releases } = codehost;
  releases.push({ tag_name: "v1.1.0", name: "Second", body: "**new**" }, { tag_name: "v1.0.0", name: "First" });
  await server.call("POST", "/admin/projects", { project_key: "app", name: "App", repo_url: `${codehost.url}/acme/app` });
  await open(page, server, "/admin/versions?project=app");
  const fromReleases = async (item: string) => {
    await page.getByRole("button", { name: "Releases" }).click();
    await page.getByRole("menuitem", { name: item }).click();
  };
  await fromReleases("Import history");
  await expect(page.getByText("2 of 2 releases imported, 0 skipped")).toBeVisible();
  await expect(page.locator("tbody tr")).toHaveCount(2);
  releases[0]!.name = "Second, corrected";
  await fromReleases("Sync latest");
  await expect(page.getByText("1.1.0 now matches its release")).toBeVisible();
  await expect(page.getByRole("row").filter({ hasText: "1.1.0" })).toContainText("Second, corrected");

  releases.unshift({ tag_name: "v1.2.0-beta.1", name: "Third", prerelease: true });
  await page.getByRole("button", { name: "Add", exact: true }).click();
  const form = page.getByRole("dialog", { name: "New version" });
  const fetched = async (tag: string) => {
    await form.getByRole("button", { name: "Fetch release" }).click();
    const asked = page.getByRole("dialog", { name: "Fetch release" });
    await asked.getByLabel("Release tag").fill(tag);
    await asked.getByRole("button", { name: "Fetch release" }).click();
    await expect(asked).toBeHidden();
  };
  const version = form.getByRole("textbox", { name: "Version", exact: true });
  const title = form.getByRole("textbox", { name: "Title", exact: true });
  await fetched("v1.0.0");
  await expect(version).toHaveValue("1.0.0");
  await expect(title).toHaveValue("First");
  await fetched("");
  await expect(version).toHaveValue("1.2.0-beta.1");
  await expect(title).toHaveValue("Third");
  await expect(form.getByRole("switch", { name: "Preview" })).toBeChecked();
  // It filled the form and changed no record.
  expect(await server.call("GET", "/admin/projects/app/versions")).toMatchObject({ total: 2 });
});

test("attachments of a version are mirrored, and its links lead to the copies", async ({ page, codehost, connected: server }) => {
  codehost.attachments.set("v1.0.0/app.zip", "the app");
  await server.call("POST", "/admin/projects", { project_key: "app", name: "App", repo_url: `${codehost.url}/acme/app` });
  const versions = "/admin/projects/app/versions";
  const attachment = (tag: string, name: string) => `${codehost.url}/acme/app/releases/download/${tag}/${name}`;
  const { id } = await server.call<{ id: string }>("PUT", `${versions}/by-version/1.0.0`, {
    download_links: [
      { url: attachment("v1.0.0", "app.zip"), name: "App", platform: "linux" },
      { url: "https://example.com/app.html", name: "More" },
    ],
  });
  await open(page, server, "/admin/versions?project=app");
  const mirror = async () => {
    await page.getByRole("button", { name: "More actions: 1.0.0" }).click();
    await page.getByRole("menuitem", { name: "Mirror attachments" }).click();
  };
  await mirror();
  await expect(page.getByText("Attachments: 1 queued, 0 already present, 1 skipped")).toBeVisible();
  const read = () => server.call<{ download_url: string; download_links: object[] }>("GET", `${versions}/${id}`);
  const copy = expect.stringMatching(/^https:\/\/downloads\.example\/f\/.*app\.zip$/);
  await expect.poll(read).toMatchObject({
    download_url: copy,
    download_links: [
      { url: copy, name: "App", platform: "linux" },
      { url: "https://example.com/app.html", name: "More" },
    ],
  });
  const path = new URL((await read()).download_url).pathname;
  expect(await (await fetch(server.url + path)).text()).toBe("the app");
  await page.goto(`${server.url}/admin/files?project=app`);
  await expect(page.getByRole("row").filter({ hasText: "app.zip" })).toContainText("Ready");

  // An attachment that cannot be fetched ends with the reason, and the link stays unchanged.
  const gone = attachment("v1.0.0", "gone.zip");
  await server.call("PATCH", `${versions}/${id}`, { download_url: gone });
  await page.goto(`${server.url}/admin/versions?project=app`);
  await mirror();
  await expect(page.getByText("Attachments: 1 queued, 0 already present, 0 skipped")).toBeVisible();
  await page.goto(`${server.url}/admin/files?project=app`);
  await expect(page.getByRole("row").filter({ hasText: "gone.zip" })).toContainText("Failed");
  expect((await read()).download_url).toBe(gone);
});

test("a repository fills the empty fields of a new project", async ({ page, codehost, connected: server }) => {
  await open(page, server, "/admin/projects?new=1");
  const form = page.getByRole("dialog");
  await form.getByRole("textbox", { name: "Name" }).fill("Mine");
  const fetch = form.getByRole("button", { name: "Fetch from repository" });
  await expect(fetch).toBeDisabled();
  await form.getByLabel("Repository").fill(`${codehost.url}/acme/app`);
  await fetch.click();
  await expect(form.getByText("Empty fields were filled from the repository.")).toBeVisible();
  await expect(form.getByRole("textbox", { name: "Description" })).toContainText("A lamp");
  await expect(form.getByRole("textbox", { name: "Website" })).toHaveValue("https://acme.example");
  await expect(form.getByRole("textbox", { name: "Name" })).toHaveValue("Mine");
});

test("a language is translated in the form, which asks before it overwrites, and saves nothing", async ({ page, own: server }) => {
  const service = await Service.start();
  await server.call("PUT", "/admin/translation", { enabled: true, provider: "openai", base_url: `${service.url}/v1`, model: "small" });
  await server.call("POST", "/admin/projects", { project_key: "app", name: "App" });
  await server.call("POST", "/admin/projects/app/locales", { locale: "de", label: "Deutsch" });
  const path = "/admin/projects/app/announcements";
  const { id } = await server.call<{ id: string }>("POST", path, { title: "Soon", content: "Text" });
  await open(page, server, `/admin/announcements?project=app&edit=${id}`);
  const form = page.getByRole("dialog", { name: "Edit “Soon”" });
  await form.getByRole("tab", { name: "Deutsch" }).click();
  const title = form.getByRole("textbox", { name: "Title" });
  const translate = form.getByRole("button", { name: "Translate" });
  await translate.click();
  await expect(title).toHaveValue("Übersetzt: Soon");
  await expect(form.getByRole("textbox", { name: "Content" })).toContainText("Übersetzt: Text");
  await title.fill("Bald");
  await translate.click();
  const question = page.getByRole("dialog", { name: "Overwrite this translation?" });
  await expect(question).toBeVisible();
  await expectAccessible(page);
  await question.getByRole("button", { name: "Cancel" }).click();
  await expect(title).toHaveValue("Bald");
  await translate.click();
  await question.getByRole("button", { name: "Overwrite" }).click();
  await expect(title).toHaveValue("Übersetzt: Soon");
  expect((await server.call<{ translations?: unknown[] }>("GET", `${path}/${id}`)).translations ?? []).toEqual([]);
  await service.remove();
});

test("a copy at the CDN is refreshed, a failure says why, what is too large is skipped, and the settings are cleared", async ({ page }) => {
  const service = await Service.start();
  const server = await Server.start(undefined, [
    "--upload-max-mb=1",
    `--cdn-cloudflare-url=${service.url}`,
    "--dist-base-url=https://downloads.example",
  ]);
  await server.call("PUT", "/admin/storage/cdn", {
    provider: "cloudflare",
    enabled: true,
    access_key_id: "zone",
    access_key_secret: "s",
  });
  await server.call("POST", "/admin/projects", { project_key: "app", name: "App" });
  const headers = { authorization: `Bearer ${await server.login()}` };
  await fetch(`${server.url}/api/v1/admin/projects/app/files?filename=setup.exe`, { method: "PUT", headers, body: "program" });
  await open(page, server, "/admin/files?project=app");
  const refresh = async () => {
    await page.getByRole("button", { name: "More actions: setup.exe" }).click();
    await page.getByRole("menuitem", { name: "Refresh CDN" }).click();
  };
  await refresh();
  await expect(page.getByText("The CDN will fetch setup.exe again")).toBeVisible();
  expect(service.purged).toEqual([expect.stringMatching(/^https:\/\/downloads\.example\/f\/.*setup\.exe$/)]);
  service.refusing = true;
  await refresh();
  await expect(page.getByText("The CDN was not refreshed: ", { exact: false })).toContainText("too often");

  await page.getByRole("button", { name: "Upload", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Upload files" });
  const choosing = page.waitForEvent("filechooser");
  await dialog.getByRole("button", { name: "Choose files" }).click();
  const large = { name: "large.bin", mimeType: "application/octet-stream", buffer: Buffer.alloc(1024 * 1024 + 1) };
  await (await choosing).setFiles([large]);
  await expect(dialog.getByRole("listitem")).toContainText("Larger than 1 MiB, skipped");
  await expect(dialog.getByRole("button", { name: "Nothing to upload" })).toBeDisabled();

  await page.goto(`${server.url}/admin/settings/storage`);
  const cdn = page.getByRole("region", { name: "CDN refresh" });
  await cdn.getByRole("button", { name: "Clear all" }).click();
  const question = page.getByRole("dialog", { name: "Clear the CDN settings?" });
  await expect(question).toBeVisible();
  await expectAccessible(page);
  await question.getByRole("button", { name: "Clear all" }).click();
  await expect(cdn.getByLabel("AccessKey ID")).toHaveValue("");
  await page.goto("about:blank");
  await Promise.all([server.remove(), service.remove()]);
});
