// Task 9: a key for CI limited to one project and two scopes for 90 days; copy it once; rotate
// it; see when it was last used; revoke it.

import { expect, expectAccessible, looks, open, test } from "./fixtures";

interface Created {
  id: string;
  token: string;
}

test("must allow: create, copy once, rotate, see the last use, revoke", async ({ page, context, server, project }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const name = `CI of ${project}`;
  await open(page, server, "/admin/tokens?new=1");
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "Name" }).fill(name);
  await dialog.getByRole("checkbox", { name: "Files: write" }).check();
  await expect(dialog.getByRole("checkbox", { name: "Versions: write" })).toBeChecked();
  await expect(dialog.getByLabel("Days from now")).toHaveValue("30");
  await dialog.getByLabel("Days from now").fill("90");
  await dialog.getByRole("checkbox", { name: "All projects" }).uncheck();
  await dialog.getByRole("combobox", { name: "Selected projects" }).fill(project);
  await page.getByRole("option", { name: project, exact: true }).click();
  await dialog.getByRole("heading").click();
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Save" }).click();

  await expect(dialog.getByText("Copy the key now")).toBeVisible();
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Copy" }).click();
  const key = await page.evaluate(() => navigator.clipboard.readText());
  expect(key).toMatch(/^svc_[0-9a-f]{48}$/);
  await dialog.getByRole("button", { name: "I have copied it" }).click();
  await expect(dialog).toBeHidden();
  expect(await page.content()).not.toContain(key);

  const listed = await server.call<{
    data: { name: string; scopes: string[]; project_ids: string[]; expires_at: number; created_at: number }[];
  }>("GET", "/auth/api-keys");
  const stored = listed.data.find((other) => other.name === name)!;
  expect(stored.scopes.sort()).toEqual(["files:write", "versions:write"]);
  expect(stored.project_ids).toEqual([project]);
  expect(stored.expires_at - stored.created_at).toBe(90 * 86_400);

  await page.getByRole("searchbox", { name: "Search" }).fill(name);
  const row = page.getByRole("row").filter({ hasText: name });
  await expect(row.getByText("Active")).toBeVisible();
  await expect(row.getByText("Never")).toBeVisible();
  await server.call("PUT", `/admin/projects/${project}/versions/by-version/1.0.0`, { comparable_version: "1.0.0" }, key);
  await page.reload();
  await expect(row.getByText("Never")).toBeHidden();

  await row.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Rotate" }).click();
  await expect(page.getByRole("dialog").getByLabel("Minutes that the previous key stays valid")).toHaveValue("60");
  await expectAccessible(page);
  await page.getByRole("dialog").getByRole("button", { name: "Rotate" }).click();
  const rotated = await page.getByRole("dialog").getByRole("textbox", { name: "Key", exact: true }).inputValue();
  expect(rotated).not.toBe(key);
  await expect(page.getByText(/The previous key works until/)).toBeVisible();
  await page.getByRole("button", { name: "I have copied it" }).click();
  for (const credential of [key, rotated]) {
    await server.call("PUT", `/admin/projects/${project}/versions/by-version/1.0.0`, { comparable_version: "1.0.0" }, credential);
  }

  await row.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Revoke" }).click();
  const confirm = page.getByRole("dialog", { name: `Revoke: ${name}` });
  await expect(confirm.getByText("loses access immediately")).toBeVisible();
  await expectAccessible(page);
  await confirm.getByRole("button", { name: "Revoke" }).click();
  await expect(row.getByText("Revoked")).toBeVisible();
  await expect(
    server.call("PUT", `/admin/projects/${project}/versions/by-version/1.0.0`, { comparable_version: "1.0.0" }, rotated),
  ).rejects.toThrow("401");
});

test("with the keyboard alone", async ({ page, server, project }) => {
  await open(page, server, "/admin/tokens");
  await expect(page.getByRole("heading", { level: 1, name: "Tokens" })).toBeVisible();
  await page.keyboard.press("n");
  await expect(page.getByRole("textbox", { name: "Name" })).toBeFocused();
  await page.keyboard.type(`keys of ${project}`);
  await page.keyboard.press("Tab");
  await page.keyboard.press("Space");
  await expect(page.getByRole("checkbox", { name: "Projects: read" })).toBeChecked();
  await page.keyboard.press("Enter");
  await expect(page.getByText("Copy the key now")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toBeHidden();
  const { data } = await server.call<{ data: { name: string }[] }>("GET", "/auth/api-keys");
  expect(data.map(({ name }) => name)).toContain(`keys of ${project}`);
});

test("must show: a warning for a token that never expires", async ({ page, server }) => {
  await open(page, server, "/admin/tokens?new=1");
  await expect(page.getByText("works until it is revoked")).toBeHidden();
  await page.getByRole("dialog").getByText("Never", { exact: true }).click();
  await expect(page.getByText("works until it is revoked")).toBeVisible();
  await expectAccessible(page);
});

test("what is wrong stands at its field, and nothing is sent", async ({ page, server }) => {
  await open(page, server, "/admin/tokens?new=1");
  await page.getByLabel("Days from now").fill("366");
  await page.getByRole("checkbox", { name: "Versions: write" }).uncheck();
  await page.getByRole("checkbox", { name: "All projects" }).uncheck();
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("Enter a name.")).toBeVisible();
  await expect(page.getByText("Select at least one scope.")).toBeVisible();
  await expect(page.getByText("A whole number from 1 to 365.")).toBeVisible();
  await expect(page.getByText("Select at least one project.")).toBeVisible();
});

test("must allow: local search, state filter and edit", async ({ page, server, project }) => {
  const make = (name: string) => server.call<Created>("POST", "/auth/api-keys", { name: `${name} ${project}`, scopes: ["logs:read"] });
  const [kept, revoked] = [await make("kept"), await make("revoked")];
  await server.call("DELETE", `/auth/api-keys/${revoked.id}`);
  await open(page, server, `/admin/tokens?q=${project}`);
  await expect(page.getByRole("row").filter({ hasText: project })).toHaveCount(2);
  await page.getByRole("combobox", { name: "State" }).click();
  await page.getByRole("option", { name: "Revoked" }).click();
  await expect(page.getByRole("row").filter({ hasText: project })).toHaveCount(1);
  await expect(page.getByRole("row").filter({ hasText: `revoked ${project}` })).toBeVisible();
  await page.goto(`${server.url}/admin/tokens?edit=${kept.id}&q=${project}`);
  await page.getByRole("textbox", { name: "Name" }).fill(`renamed ${project}`);
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("row").filter({ hasText: `renamed ${project}` })).toBeVisible();
});

for (const look of [...looks, { language: "en", theme: "dark", phone: true } as const]) {
  test(`the list is accessible in ${look.language}, ${look.theme}${look.phone ? ", on a phone" : ""}`, async ({ page, server }) => {
    await server.call("POST", "/auth/api-keys", { name: "seen", scopes: ["logs:read"] });
    await open(page, server, "/admin/tokens", look);
    await expect(page.getByRole("row").nth(1)).toBeVisible();
    await expectAccessible(page);
  });
}
