// The pages of the settings: required content and actions.

import { expect, expectAccessible, expectEachAccessible, open, test } from "./fixtures";
import { password, username } from "./server";

test.describe("administrator", () => {
  test.use({ expected: [/status of 401/] });

  test("must allow: change user name and password with the current one; ends in a new login", async ({ page, own }) => {
    await open(page, own, "/admin/settings");
    await expect(page.getByLabel("User name")).toHaveAttribute("placeholder", username);
    await page.getByLabel("User name").fill("keeper");
    await page.getByRole("textbox", { name: "New password", exact: true }).fill("a better password");
    await page.getByRole("textbox", { name: "Repeat new password" }).fill("a better passwort");
    await page.getByRole("textbox", { name: "Current password" }).fill("wrong password");
    await page.getByRole("button", { name: "Save and log in again" }).click();
    await expect(page.getByText("The passwords do not match.")).toBeVisible();
    await page.getByRole("textbox", { name: "Repeat new password" }).fill("a better password");
    await page.getByRole("button", { name: "Save and log in again" }).click();
    await expect(page.getByRole("textbox", { name: "Current password" })).toHaveAttribute("aria-invalid", "true");
    await expect(page.getByRole("dialog")).toBeHidden();
    await page.getByRole("textbox", { name: "Current password" }).fill(password);
    await page.getByRole("button", { name: "Save and log in again" }).click();
    await expect(page).toHaveURL(/\/login/);
    await page.getByLabel("User name").fill("keeper");
    await page.getByRole("textbox", { name: "Password" }).fill("a better password");
    await page.getByRole("button", { name: "Log in", exact: true }).click();
    await expect(page).toHaveURL(`${own.url}/admin/settings`);
  });
});

test("codehost app: state, mask of true length, random, copy, clear with undo", async ({ page, context, own }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await open(page, own, "/admin/settings/codehost-app");
  await expect(page.getByText("Not configured")).toBeVisible();
  await expect(page.getByText(`${own.url}/api/v1/webhooks/codehost-app`)).toBeVisible();
  await page.getByLabel("App ID").fill("12345");
  await page.getByLabel("Private key").fill("-----BEGIN PRIVATE KEY-----\nxxxx\n-----END PRIVATE KEY-----");
  await page.getByRole("button", { name: "Random secret" }).click();
  await page.getByRole("button", { name: "Copy secret" }).click();
  const secret = await page.evaluate(() => navigator.clipboard.readText());
  expect(secret).toMatch(/^whsec_[0-9a-f]{48}$/);
  await page.getByRole("button", { name: "Save" }).click();

  await expect(page.getByText("Configured", { exact: true })).toBeVisible();
  await expect(page.getByText(/Fingerprint [0-9a-f]{16}, saved/)).toBeVisible();
  const field = page.getByRole("textbox", { name: "Webhook secret" });
  await expect(field).toHaveAttribute("placeholder", "*".repeat(secret.length - 6) + secret.slice(-6));
  expect(await page.content()).not.toContain(secret);

  await page.getByRole("button", { name: "Clear", exact: true }).last().click();
  await expect(page.getByText("Will be cleared when you save.")).toBeVisible();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(field).toBeVisible();
  await expect(page.getByRole("button", { name: "Save" })).toBeDisabled();
  await page.getByRole("button", { name: "Clear", exact: true }).last().click();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Save" }).click();
  await expect(field).toHaveAttribute("placeholder", "");
});

test("codehost app: features with their permissions, template with variables and preview, clear all", async ({ page, own }) => {
  await open(page, own, "/admin/settings/codehost-app");
  await page.getByLabel("App ID").fill("12345");
  await expect(page.getByText("issues: read and write")).toBeHidden();
  await page.getByRole("checkbox", { name: "Forward feedback as issues" }).check();
  await expect(page.getByText("issues: read and write")).toBeVisible();
  await page.getByRole("switch", { name: "Use your own template" }).check();
  const title = page.getByRole("textbox", { name: "Title" });
  await title.fill("From: ");
  await page.getByRole("group", { name: "Title: variables" }).getByRole("button", { name: "project_name" }).click();
  await expect(title).toHaveValue("From: {{ project_name }}");
  await expect(page.getByText("From: Aurora", { exact: true })).toBeVisible();
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("button", { name: "Save" })).toBeDisabled();

  await page.getByRole("button", { name: "Restore built-in" }).click();
  await expect(title).toHaveValue(/\{\{ ?content_head ?\}\}/);
  await page.getByRole("button", { name: "Reset" }).click();
  await expect(title).toHaveValue("From: {{ project_name }}");

  await page.getByRole("button", { name: "Clear all" }).click();
  await expectAccessible(page);
  await page.getByRole("dialog", { name: "Clear the app settings?" }).getByRole("button", { name: "Clear all" }).click();
  await expect(page.getByLabel("App ID")).toHaveValue("");
});

test.describe("a private key that is none", () => {
  test.use({ expected: [/status of 400/] });

  test("is refused at its field, in the words of the server", async ({ page, own }) => {
    await open(page, own, "/admin/settings/codehost-app");
    await page.getByLabel("Private key").fill("not a key");
    await page.getByRole("button", { name: "Save" }).click();
    await expect(page.getByLabel("Private key")).toHaveAttribute("aria-invalid", "true");
    await expect(page.getByLabel("Private key")).toHaveValue("not a key");
  });
});

test("translation: final address while typing, save, test, fingerprint, own prompt, clear", async ({ page, own }) => {
  await open(page, own, "/admin/settings/translation");
  await page.getByLabel("Address").fill("http://127.0.0.1:9/v1/");
  await expect(page.getByText("http://127.0.0.1:9/v1/chat/completions")).toBeVisible();
  await page.getByText("Anthropic", { exact: true }).click();
  await expect(page.getByText("http://127.0.0.1:9/v1/v1/messages")).toBeVisible();
  await page.getByText("OpenAI and compatible").click();
  await page.getByLabel("Model").fill("small");
  await page.getByRole("textbox", { name: "API key" }).fill("sk-secret");
  await page.getByRole("switch", { name: "Offer machine translation" }).check();
  await page.getByRole("switch", { name: "Use your own prompt" }).check();
  await page.getByRole("textbox", { name: "Prompt" }).fill("Translate into ");
  await page.getByRole("button", { name: "target_label" }).click();
  await expect(page.getByRole("textbox", { name: "Prompt" })).toHaveValue("Translate into {{ target_label }}");
  await expect(page.getByRole("button", { name: "Test" })).toBeDisabled();
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText(/Fingerprint [0-9a-f]{16}/)).toBeVisible();
  await page.getByRole("button", { name: "Test" }).click();
  await expect(page.getByText("It does not work")).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Clear all" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Clear all" }).click();
  await expect(page.getByText("Not configured")).toBeVisible();
});

test("storage: add, test in words, default, guide with credentials computed here, edit, delete", async ({ page, own }) => {
  await open(page, own, "/admin/settings/storage");
  await expect(page.getByText("4 GiB")).toBeVisible();
  const local = page.getByRole("article", { name: "Local" });
  await local.getByRole("button", { name: "Test" }).click();
  await expect(local.getByText("Writing, reading and deleting work")).toBeVisible();

  await page.getByRole("button", { name: "Add storage" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(dialog.getByText("Enter a name.")).toBeVisible();
  await dialog.getByRole("textbox", { name: "Name", exact: true }).fill("NAS");
  await dialog.getByLabel("Address of the folder").fill("http://127.0.0.1:9/dav");
  await dialog.getByLabel("User name").fill("用户");
  await dialog.getByRole("textbox", { name: "Password" }).fill("secret");
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Save" }).click();
  const nas = page.getByRole("article", { name: "NAS" });
  await expect(nas.getByText("http://127.0.0.1:9/dav · 0 files · Written in one piece")).toBeVisible();
  // A new storage is tested at once.
  await expect(nas.getByText("Writing, reading or deleting does not work.")).toBeVisible();

  await nas.getByRole("button", { name: "Direct downloads guide" }).click();
  const guide = page.getByRole("dialog", { name: "Direct downloads guide for “NAS”" });
  await expect(guide.getByText("http://127.0.0.1:9", { exact: true })).toBeVisible();
  await expect(guide.getByText("/f/(.*) → /dav/f/$1")).toBeVisible();
  const sent: string[] = [];
  page.on("request", (request) => sent.push(`${request.url()} ${request.postData() ?? ""}`));
  await guide.getByRole("textbox", { name: "Password" }).fill("p:w");
  await expect(guide.getByText(`Authorization: Basic ${Buffer.from("用户:p:w").toString("base64")}`)).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  expect(sent.filter((text) => text.includes("p:w"))).toEqual([]);

  await nas.getByRole("button", { name: "Make default" }).click();
  await expect(nas.getByText("Default", { exact: true })).toBeVisible();
  await expect(local.getByRole("button", { name: "Make default" })).toBeVisible();
  await local.getByRole("button", { name: "Make default" }).click();
  await expect(local.getByText("Default", { exact: true })).toBeVisible();

  await nas.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Edit" }).click();
  await dialog.getByLabel("Part size in KiB").fill("1024");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(nas.getByText("Written in parts of 1 MiB")).toBeVisible();
  await expect(nas.getByRole("button", { name: "Direct downloads guide" })).toBeHidden();

  await nas.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await expectAccessible(page);
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await expect(nas).toBeHidden();
});

test("storage: credentials of the CDN are kept, told apart by provider, and cleared", async ({ page, own }) => {
  await open(page, own, "/admin/settings/storage");
  const cdn = page.getByRole("region", { name: "CDN refresh" });
  await expect(cdn.getByText("Without a distribution address, nothing is refreshed.")).toBeVisible();
  await cdn.getByLabel("AccessKey ID").fill("id-1");
  await cdn.getByRole("textbox", { name: "AccessKey secret" }).fill("secret-1");
  await cdn.getByRole("switch", { name: "Refresh CDN copies" }).check();
  await cdn.getByRole("button", { name: "Save" }).click();
  await expect(cdn.getByText("Configured", { exact: true })).toBeVisible();
  await cdn.getByText("Cloudflare", { exact: true }).click();
  await expect(cdn.getByLabel("Zone ID")).toHaveValue("");
  await cdn.getByRole("button", { name: "Reset" }).click();
  await expect(cdn.getByLabel("AccessKey ID")).toHaveValue("id-1");
  await cdn.getByRole("button", { name: "Clear all" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Clear all" }).click();
  await expect(cdn.getByLabel("AccessKey ID")).toHaveValue("");
});

test("terms: fill in, generate, preview, warn, save, restore", async ({ page, own }) => {
  await open(page, own, "/admin/settings/terms");
  await expect(page.getByRole("tab")).toHaveCount(2);
  await expect(page.getByText("Built-in text", { exact: true }).first()).toBeVisible();
  await expect(page.getByText("Not published yet: the text still has placeholders")).toBeVisible();
  await expect(page.getByRole("link", { name: "/terms/privacy-policy" })).toHaveAttribute("href", "/terms/privacy-policy");
  const custom = page.getByRole("switch", { name: "Use this text instead of the built-in one" });
  await page.getByRole("textbox", { name: "Effective date" }).fill("1 January 2027");
  await page.getByRole("button", { name: "Generate text" }).click();
  // Missing values are marked, and no text is generated.
  await expect(page.getByRole("textbox", { name: "Operator" })).toBeFocused();
  await expect(page.getByText("8 fields need attention")).toBeVisible();
  await expect(page.getByText("The finished text is in the editor.")).toBeHidden();
  await expect(custom).not.toBeChecked();
  await page.getByRole("textbox", { name: "Operator" }).fill("Example Ltd");
  await expect(page.getByText("7 fields need attention")).toBeVisible();

  await custom.check();
  await page.getByRole("textbox", { name: "Text in Markdown" }).fill("By {{ operator_name }}");
  await page.getByRole("button", { name: "Save" }).click();
  const warning = page.getByRole("dialog", { name: "The text still has placeholders {{ … }}" });
  await expect(warning).toBeVisible();
  await expectAccessible(page);
  await warning.getByRole("button", { name: "Cancel" }).click();

  const form = page.getByRole("region", { name: "Fill in" });
  const { placeholders } = await own.call<{ placeholders: { required: boolean; example: string }[] }>(
    "GET",
    "/admin/terms/documents/privacy-policy",
  );
  const officer = placeholders.find(({ required }) => !required)!;
  for (const input of await form.getByRole("textbox").all()) {
    if ((await input.inputValue()) === "" && (await input.getAttribute("placeholder")) !== officer.example) {
      await input.fill("given");
    }
  }
  await page.getByRole("button", { name: "Generate text" }).click();
  await expect(page.getByText("The finished text is in the editor.")).toBeVisible();
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("Your own text")).toBeVisible();
  await expect(page.getByText("Not published yet")).toBeHidden();
  const { content } = await own.call<{ content: string }>("GET", "/public/terms/privacy-policy", undefined, "");
  expect(content).toContain("Example Ltd");
  expect(content).not.toContain("{{");

  await expectAccessible(page);
  await expectEachAccessible(page, [
    page.getByRole("button", { name: "View built-in text" }),
    page.getByRole("button", { name: "Restore built-in" }),
  ]);
  await page.getByRole("button", { name: "Restore built-in" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Restore built-in" }).click();
  await expect(page.getByText("Not published yet")).toBeVisible();
});

test("leaving changed settings asks first; staying keeps them", async ({ page, own }) => {
  await open(page, own, "/admin/settings/translation");
  await page.getByLabel("Model").fill("small");
  await page.getByRole("link", { name: "Storage" }).click();
  const question = page.getByRole("dialog", { name: "Discard your changes?" });
  await expectAccessible(page);
  await question.getByRole("button", { name: "Keep editing" }).click();
  await expect(page.getByLabel("Model")).toHaveValue("small");
  await page.getByRole("link", { name: "Storage" }).click();
  await question.getByRole("button", { name: "Discard" }).click();
  await expect(page).toHaveURL(`${own.url}/admin/settings/storage`);
});
