// Task 1: from nothing to the first version, with what the console says to paste.

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, expectAccessible, looks, open, test } from "./fixtures";
import { password, username } from "./server";

test("log in, make a project, publish its first version with the pasted command, and watch it appear", async ({ page, own }) => {
  test.setTimeout(120_000);
  await page.goto(`${own.url}/login?returnTo=/admin/projects`);
  await page.getByRole("textbox", { name: "User name" }).fill(username);
  await page.getByRole("textbox", { name: "Password" }).fill(password);
  await page.getByRole("button", { name: "Log in" }).click();

  // The empty list says what a project is and how it begins.
  await expect(page.getByRole("heading", { name: "No project yet" })).toBeVisible();
  await page.getByRole("button", { name: "Create the first project" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "Name", exact: true }).fill("First App");
  await expect(dialog.getByRole("textbox", { name: "Key", exact: true })).toHaveValue("first-app");
  await dialog.getByRole("button", { name: "Save" }).click();

  // What to paste, with this server's address, the project's key and a place for the API key.
  const command = dialog.getByRole("tabpanel", { name: "curl" }).first().locator("code,pre").first();
  await expect(command).toContainText(`${own.url}/api/v1/admin/projects/first-app/versions/by-version/1.0.0`);
  await expect(command).toContainText("$SVC_API_KEY");
  for (const language of ["TypeScript", "Go", "Python", "Rust"]) {
    await dialog.getByRole("tab", { name: language }).first().click();
    const code = dialog.getByRole("tabpanel", { name: language }).first();
    await expect(code).toContainText("first-app");
    await expect(code).toContainText("SVC_API_KEY");
  }
  await dialog.getByRole("tab", { name: "curl" }).first().click();
  const pasted = (await command.textContent()) ?? "";
  await dialog.getByRole("link", { name: "Go to versions" }).click();
  await expect(page.getByRole("heading", { name: "No version yet" })).toBeVisible();

  const { token } = await own.call<{ token: string }>("POST", "/auth/api-keys", { name: "ci" });
  await promisify(execFile)("bash", ["-euc", pasted], { env: { ...process.env, SVC_API_KEY: token } });
  // The list asks again by itself, every 15 seconds.
  await expect(page.getByRole("link", { name: "1.0.0" })).toBeVisible({ timeout: 60_000 });
});

for (const look of looks) {
  test(`beginnings are accessible in ${look.language}, ${look.theme}`, async ({ page, server, project }) => {
    for (const path of ["versions", "announcements", `projects?start=${project}`]) {
      await open(page, server, `/admin/${path}${path.includes("?") ? "&" : "?"}project=${project}`, look);
      await expect(page.getByRole("tab", { name: "curl" }).first()).toBeVisible();
      await expectAccessible(page);
    }
  });
}
