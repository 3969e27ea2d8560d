// The required content and actions of the page Codehost integration.

import { createHmac } from "node:crypto";
import { expect, expectAccessible, inEachWay, open, test } from "./fixtures";
import { phone, pointer } from "./hand";

inEachWay([pointer, phone], () => {
  test("task 11: connect the repository with what the page says, and see the test delivery arrive", async ({
    page,
    hand,
    context,
    server,
    project,
  }) => {
    const { codehost, common, fields, projects } = hand.t;
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await server.call("PATCH", `/admin/projects/${project}`, { repo_url: "https://github.com/acme/app" });
    await hand.open(server, `/admin/projects?project=${project}&q=${project}`);
    await hand.menu(page.getByRole("button", { name: common.labelled(common.more, project) }), projects.actions.integration);
    await hand.press(page.getByRole("tab", { name: codehost.tabs.webhook }));
    await expect(page.getByText(codehost.webhook.off)).toBeVisible();
    const copied = async (button: string) => {
      const one = page.getByRole("button", { name: button, exact: true });
      await hand.press(one);
      // Its name indicates when that is done.
      await expect(one).toBeHidden();
      return page.evaluate(() => navigator.clipboard.readText());
    };
    const address = await copied(codehost.webhook.address);
    expect(address).toBe(`${server.url}/api/v1/webhooks/codehost/${project}`);
    const contentType = await copied(codehost.webhook.contentType);
    await hand.press(page.getByRole("button", { name: fields.secret.random }));
    const secret = await copied(fields.secret.copy);
    expect(secret.length).toBeGreaterThanOrEqual(16);
    await hand.press(page.getByRole("button", { name: common.save, exact: true }));
    await expect(page.getByText(codehost.webhook.off)).toBeHidden();

    const deliver = async (event: string, body: string) => {
      const response = await fetch(address, {
        method: "POST",
        headers: {
          "content-type": contentType,
          "x-github-event": event,
          "x-github-delivery": `${project}-${event}`,
          "x-hub-signature-256": `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`,
        },
        body,
      });
      return (await response.json()) as { status: string };
    };
    const { last } = codehost.webhook;
    await expect(page.getByText(last.none)).toBeVisible();
    expect((await deliver("ping", "{}")).status).toBe("pong");
    // The page refreshes by itself.
    const arrived = page.getByRole("status").filter({ hasText: last.states["pong"]! });
    await expect(arrived).toContainText("ping");
    const release = { tag_name: "v1.2.0", name: "From the repository", body: "- New", draft: false, prerelease: false, assets: [] };
    expect((await deliver("release", JSON.stringify({ action: "published", release }))).status).toBe("synced");
    await hand.go("versions");
    await hand.press(page.getByRole("link", { name: "1.2.0" }));
    await expect(page.getByRole("dialog", { name: "1.2.0" })).toContainText("From the repository");
  });
});

test("the repository comes from the project, a mask stands for the secret, and one button saves both tabs", async ({
  page,
  server,
  project,
}) => {
  await server.call("PATCH", `/admin/projects/${project}`, { repo_url: "https://github.com/acme/app.git" });
  await server.call("PUT", `/admin/projects/${project}/codehost-webhook`, { secret: "0123456789abcdefghij" });
  await open(page, server, `/admin/projects/codehost?project=${project}`);
  await expect(page.getByRole("textbox", { name: "Repository" })).toHaveValue("acme/app");
  await page.getByRole("tab", { name: "Release webhook" }).click();
  const secret = page.getByLabel("Secret", { exact: true });
  await expect(secret).toHaveAttribute("placeholder", "**************efghij");
  await secret.fill("short");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await expect(page.getByText("At least 16 characters.", { exact: true })).toBeVisible();
  await page.getByRole("button", { name: "Keep the stored secret" }).click();
  await page.getByRole("button", { name: "Clear" }).click();
  await expect(page.getByText("Will be cleared when you save.")).toBeVisible();
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByRole("button", { name: "Clear" }).click();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await expect(page.getByText("Without a secret, every delivery is refused.")).toBeVisible();
  expect(await server.call("GET", `/admin/projects/${project}/codehost-integration`)).toMatchObject({ repo_full_name: "acme/app" });
  expect(await server.call("GET", `/admin/projects/${project}/codehost-webhook`)).toMatchObject({ enabled: false });
});

test.describe("refused", () => {
  test.use({ expected: [/status of 400/] });

  test("what is switched on shows its details, says why it is not effective, and is refused in the server's words", async ({
    page,
    server,
    project,
  }) => {
    await open(page, server, `/admin/projects/codehost?project=${project}`);
    await expect(page.getByText("Issue template")).toHaveCount(0);
    await page.getByRole("switch", { name: "Forward feedback as issues" }).check();
    await expect(page.getByText("No repository is set.")).toBeVisible();
    await page.getByRole("radio", { name: "Own template" }).check();
    await page.getByLabel("Title", { exact: true }).fill("[feedback] ");
    await page.getByRole("button", { name: "content_head" }).first().click();
    await expect(page.getByLabel("Title", { exact: true })).toHaveValue("[feedback] {{ content_head }}");
    await expect(page.getByRole("region", { name: "Preview with sample feedback" })).toContainText(
      "[feedback] The export is slow since 1.4.",
    );
    await page.getByRole("switch", { name: "Comment commands" }).check();
    await page.getByText("Anyone", { exact: true }).click();
    await expect(page.getByText("Anyone who can comment can start these workflows.")).toBeVisible();
    await page.getByRole("button", { name: "Add command" }).click();
    const command = page.getByRole("group", { name: "Command 1" });
    await command.getByLabel("Name").fill("build");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await expect(page.getByText("Enter a repository to use this feature.")).toBeVisible();
    await expect(page.getByText("Each command needs a name", { exact: false })).toBeVisible();
    await page.getByRole("textbox", { name: "Repository" }).fill("acme/app");
    await command.getByLabel("Workflow").fill("build.yml");
    await command.getByLabel("Branch or tag").fill("main");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    // No app is set up on this server, and the switch explains that.
    await expect(page.getByText("feedback_issue_enabled needs the code host app", { exact: false })).toBeVisible();
  });
});

test.describe("a file that is missing", () => {
  test.use({ expected: [/Failed to load resource/] });

  test("a template comes from a file of the repository, and names are allowed to run commands", async ({
    page,
    codehost,
    connected: server,
  }) => {
    codehost.files.set("docs/feedback.md main", "---\ntitle: 'Says a user: {{ content_head }}'\n---\n**Text**\n\n{{ content }}\n");
    await server.call("POST", "/admin/projects", { project_key: "app", name: "App", repo_url: `${codehost.url}/acme/app` });
    await open(page, server, "/admin/projects/codehost?project=app");
    await page.getByRole("textbox", { name: "Repository" }).fill("acme/app");
    await page.getByRole("switch", { name: "Forward feedback as issues" }).check();
    await page.getByRole("radio", { name: "File in the repository" }).check();
    const fetch = page.getByRole("button", { name: "Fetch and preview" });
    const path = page.getByLabel("Path", { exact: true });
    await path.fill("docs/nowhere.md");
    await page.getByLabel("Branch, tag or commit").fill("main");
    const save = page.getByRole("button", { name: "Save", exact: true });
    await save.click();
    await expect(page.getByText("Not effective yet")).toHaveCount(0);
    await fetch.click();
    await expect(page.getByRole("alert").filter({ hasText: "no such text file" })).toBeVisible();
    await path.fill("docs/feedback.md");
    await page.getByRole("switch", { name: "Comment commands" }).check();
    const names = page.getByRole("combobox", { name: "Additional users" });
    await names.fill("octo,cat,");
    await page.getByRole("button", { name: "Add command" }).click();
    const command = page.getByRole("group", { name: "Command 1" });
    await command.getByLabel("Name").fill("build");
    await command.getByLabel("Workflow").fill("build.yml");
    await command.getByLabel("Branch or tag").fill("main");
    await save.click();
    const settings = () => server.call("GET", "/admin/projects/app/codehost-integration");
    await expect.poll(settings).toMatchObject({
      feedback_issue_template_source: "repo",
      feedback_issue_template_repo_path: "docs/feedback.md",
      feedback_issue_template_repo_ref: "main",
      command_allowed_users: ["octo", "cat"],
    });
    await fetch.click();
    const preview = page.getByRole("region", { name: "Preview with sample feedback" });
    await expect(preview).toContainText("Says a user: The export is slow since 1.4.");
    await expect(preview.locator("strong")).toHaveText("Text");
  });
});

test("the integration is accessible, with its details, in both tabs", async ({ page, server, project }) => {
  await open(page, server, `/admin/projects/codehost?project=${project}`, { language: "zh" });
  const switches = page.getByRole("switch");
  await switches.nth(0).check();
  await switches.nth(1).check();
  await page.getByRole("radio").nth(1).check();
  await expectAccessible(page);
  await page.getByRole("tab").nth(1).click();
  await expectAccessible(page);
});
