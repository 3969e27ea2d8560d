// The required content and actions of the page Tokens.

import { zh } from "../src/texts/zh";
import { expect, expectAccessible, expectEachAccessible, inEachWay, open, test } from "./fixtures";
import { keyboard, phone, pointer } from "./hand";

interface Created {
  id: string;
  token: string;
}

inEachWay([pointer, keyboard, phone], () => {
  test("task 9: a key for CI is limited, copied once, rotated, seen in use, and revoked", async ({
    page,
    hand,
    context,
    server,
    project,
  }) => {
    const { common, fields, tokens } = hand.t;
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    const name = `CI of ${project}`;
    const publish = (credential: string) =>
      server.call("PUT", `/admin/projects/${project}/versions/by-version/1.0.0`, { comparable_version: "1.0.0" }, credential);
    await hand.open(server, "/admin/tokens");
    await hand.shortcut("n", page.getByRole("button", { name: common.add, exact: true }));
    const dialog = page.getByRole("dialog", { name: common.newTitle(tokens.noun) });
    await hand.fill(dialog.getByRole("textbox", { name: tokens.name }), name);
    const writes = (kind: "files" | "versions") =>
      dialog.getByRole("checkbox", { name: fields.scopes.one(fields.scopes.kinds[kind], fields.scopes.write) });
    await hand.press(writes("files"));
    await expect(writes("versions")).toBeChecked();
    const days = dialog.getByLabel(tokens.daysLabel);
    await expect(days).toHaveValue("30");
    await hand.fill(days, "90");
    await hand.press(dialog.getByRole("checkbox", { name: tokens.allProjects }));
    await hand.choose(dialog.getByRole("combobox", { name: tokens.listedProjects }), project);
    if (!hand.way.keyboard) {
      // The list stays open for more projects, and closes on a click beside it.
      await dialog.getByRole("heading").click();
    }
    await hand.press(dialog.getByRole("button", { name: common.save, exact: true }));

    await expect(dialog.getByText(tokens.shown.title)).toBeVisible();
    await hand.press(dialog.getByRole("button", { name: common.copy, exact: true }));
    await expect(dialog.getByRole("button", { name: common.copied, exact: true })).toBeVisible();
    const key = await page.evaluate(() => navigator.clipboard.readText());
    expect(key).toMatch(/^svc_[0-9a-f]{48}$/);
    await hand.press(dialog.getByRole("button", { name: tokens.shown.done }));
    await expect(dialog).toBeHidden();
    expect(await page.content()).not.toContain(key);
    const { data } = await server.call<{
      data: { name: string; scopes: string[]; project_ids: string[]; expires_at: number; created_at: number }[];
    }>("GET", "/auth/api-keys");
    const stored = data.find((other) => other.name === name)!;
    expect(stored.scopes.sort()).toEqual(["files:write", "versions:write"]);
    expect(stored.project_ids).toEqual([project]);
    expect(stored.expires_at - stored.created_at).toBe(90 * 86_400);

    await hand.fill(page.getByRole("searchbox", { name: common.search }), name);
    const row = page.locator("tbody tr");
    await expect(row).toHaveCount(1);
    await expect(row.getByText(tokens.states.active)).toBeVisible();
    const drawer = page.getByRole("dialog", { name });
    const lastUse = drawer.getByText(tokens.lastUsed, { exact: true }).locator("xpath=following-sibling::dd[1]");
    const look = async (seen: () => Promise<void>) => {
      await hand.press(row.getByRole("link", { name }));
      await seen();
      await hand.shortcut("Escape", drawer.getByRole("button", { name: common.close, exact: true }));
      await expect(drawer).toBeHidden();
    };
    await look(() => expect(lastUse).toHaveText(tokens.unused));
    await publish(key);
    await page.reload();
    await look(() => expect(lastUse).toContainText(String(new Date().getFullYear())));

    const more = row.getByRole("button", { name: common.labelled(common.more, name) });
    await hand.menu(more, tokens.rotate);
    const rotation = page.getByRole("dialog", { name: tokens.rotateTitle(name) });
    await expect(rotation.getByLabel(tokens.grace)).toHaveValue("60");
    await hand.press(rotation.getByRole("button", { name: tokens.rotate }));
    const shown = rotation.getByRole("textbox", { name: tokens.shown.key, exact: true });
    await expect(shown).toBeVisible();
    const rotated = await shown.inputValue();
    expect(rotated).not.toBe(key);
    await expect(rotation.getByText(new RegExp(tokens.shown.former(".+")))).toBeVisible();
    await hand.press(rotation.getByRole("button", { name: tokens.shown.done }));
    await expect(rotation).toBeHidden();
    await publish(key);
    await publish(rotated);

    await hand.menu(more, tokens.revoke);
    const question = page.getByRole("dialog", { name: common.actionTitle(tokens.revoke, common.quoted(name)) });
    await expect(question.getByText(tokens.revokeText)).toBeVisible();
    await hand.press(question.getByRole("button", { name: tokens.revoke }));
    await expect(row.getByText(tokens.states.revoked)).toBeVisible();
    await expect(publish(rotated)).rejects.toThrow("401");
  });
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

test("the page of tokens is accessible: list, menus, drawer, dialogs", async ({ page, server, project }) => {
  const { tokens, common } = zh;
  const name = `seen ${project}`;
  const { id } = await server.call<Created>("POST", "/auth/api-keys", { name, scopes: ["logs:read"] });
  await open(page, server, `/admin/tokens?q=${project}`, { language: "zh" });
  await expect(page.locator("tbody tr")).toHaveCount(1);
  await expectAccessible(page);
  await expectEachAccessible(page, [
    page.getByRole("button", { name: common.columns }),
    page.getByRole("search").getByRole("combobox", { name: tokens.state }),
    page.getByRole("button", { name: common.labelled(common.more, name) }),
    "help=1",
    `open=${id}`,
    `edit=${id}`,
    `rotate=${id}`,
    `delete=${id}`,
  ]);
  await page.keyboard.press("n");
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: tokens.name }).fill(`once ${project}`);
  await dialog.getByRole("checkbox", { name: tokens.allProjects }).uncheck();
  await expectAccessible(page);
  await dialog.getByRole("checkbox", { name: tokens.allProjects }).check();
  await dialog.getByRole("button", { name: common.save }).click();
  await expect(dialog.getByText(tokens.shown.title)).toBeVisible();
  await expectAccessible(page);
});
