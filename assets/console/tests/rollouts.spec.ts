// The rollout of a version on the page of its release: how far it is, its health, and what an
// administrator does with it.

import { expect, expectAccessible, inEachWay, open, settled, test } from "./fixtures";
import { keyboard, phone, pointer } from "./hand";
import type { Server } from "./server";
import { expectToFit } from "./walk";

interface Rollout {
  version_id: string;
  version: string;
  state: string;
  percent: number;
  history: { action: string; reason: string | null }[];
}

/** Returns the rollouts of the demo, by version. */
async function rolloutsOf(server: Server, project: string): Promise<Map<string, Rollout>> {
  const { data } = await server.call<{ data: Rollout[] }>("GET", `/admin/projects/${project}/rollouts`);
  return new Map(data.map((rollout) => [rollout.version, rollout]));
}

const release = (project: string, id: string) => `/admin/versions/release?project=${project}&release=${id}`;

inEachWay([pointer, keyboard, phone], () => {
  test("a release that a rule held: see why, and go on only with a reason", async ({ page, hand, ownDemo: server }) => {
    test.slow();
    const { common, rollouts: texts, versions } = hand.t;
    const held = (await rolloutsOf(server, "wicklume")).get("0.12.2")!;
    await hand.open(server, "/admin/versions?project=wicklume");
    await expect(page.getByRole("row").filter({ hasText: "0.12.2" })).toContainText(versions.marks.held(""));
    await hand.menu(page.getByRole("button", { name: common.labelled(common.more, "0.12.2"), exact: true }), versions.release.open);

    const panel = page.getByRole("region", { name: texts.title, exact: true });
    await expect(panel).toContainText(texts.states["held"]!);
    await expect(panel).toContainText(texts.held("0.12.2"));
    await expect(panel.getByRole("listitem").filter({ hasText: "50" })).toHaveAttribute("aria-current", "step");
    // The rule says in words what it found, and the history gives the same figures.
    const rules = page.getByRole("list", { name: texts.health.rules });
    await expect(rules.getByRole("listitem").first()).toContainText(texts.health.states["failing"]!);
    await expect(rules.getByRole("listitem").first()).toContainText("0.12.1");
    await expect(page.locator('[data-figure="release-health"] [data-drawn]')).toBeVisible();
    await expect(page.getByRole("region", { name: texts.history })).toContainText(held.history[0]!.reason!);
    await settled(page);
    await expectAccessible(page);
    if (hand.way.phone) {
      await expectToFit(page);
    }

    await hand.press(panel.getByRole("button", { name: texts.resume, exact: true }));
    const dialog = page.getByRole("dialog");
    await expect(dialog).toContainText("0.12.2");
    await hand.press(dialog.getByRole("button", { name: texts.resume, exact: true }));
    await expect(dialog.getByText(texts.reasonNeeded)).toBeVisible();
    await hand.fill(dialog.getByRole("textbox", { name: texts.reason }), "The firmware was replaced");
    await hand.press(dialog.getByRole("button", { name: texts.resume, exact: true }));
    await expect(dialog).toBeHidden();
    await expect(panel).toContainText(texts.states["running"]!);
    await expect(page.getByRole("region", { name: texts.history })).toContainText("The firmware was replaced");
  });

  test("a release under way: pause it, take that back, take the next step, and end it", async ({ page, hand, ownDemo: server }) => {
    test.slow();
    const { common, rollouts: texts } = hand.t;
    const id = (await rolloutsOf(server, "wicklume")).get("0.12.3")!.version_id;
    await hand.open(server, release("wicklume", id));
    const panel = page.getByRole("region", { name: texts.title, exact: true });
    const dialog = page.getByRole("dialog");
    const act = async (name: string | RegExp) => {
      await hand.press(panel.getByRole("button", { name, exact: true }));
      await expect(dialog).toContainText("0.12.3");
      await hand.press(dialog.getByRole("button", { name, exact: true }));
      await expect(dialog).toBeHidden();
    };
    await act(texts.pause);
    await expect(panel).toContainText(texts.states["paused"]!);
    // On a busy machine, the keyboard does not reach the notice before it goes.
    await (hand.way.keyboard ? act(texts.resume) : hand.press(page.getByRole("button", { name: common.undo }).last()));
    await expect(panel).toContainText(texts.states["running"]!);
    await act(/100/);
    await expect(panel).toContainText(texts.states["completed"]!);
    await expect(panel.getByRole("button")).toHaveCount(0);
    expect((await rolloutsOf(server, "wicklume")).get("0.12.3")).toMatchObject({ state: "completed", percent: 100 });
  });

  test("withdraw a version with a public reason, and take it back", async ({ page, hand, ownDemo: server }) => {
    test.slow();
    const { rollouts, versions } = hand.t;
    const { yank: texts } = rollouts;
    const id = (await rolloutsOf(server, "wicklume")).get("0.12.3")!.version_id;
    await hand.open(server, release("wicklume", id));
    await hand.press(page.getByRole("button", { name: texts.open, exact: true }));
    const dialog = page.getByRole("dialog", { name: texts.title("0.12.3") });
    await expect(dialog).toContainText(texts.downgrade("0.12.1"));
    await expect(dialog).toContainText(texts.aborts);
    await expect(dialog).toContainText(/\d/);
    await hand.press(dialog.getByRole("button", { name: texts.open, exact: true }));
    await expect(dialog.getByText(texts.reasonNeeded)).toBeVisible();
    await hand.fill(dialog.getByRole("textbox", { name: texts.reason }), "Loses patterns");
    await hand.press(dialog.getByRole("button", { name: texts.open, exact: true }));
    await expect(dialog).toBeHidden();
    const panel = page.getByRole("region", { name: rollouts.title, exact: true });
    await expect(panel).toContainText(rollouts.states["aborted"]!);
    await expect(panel).toContainText("Loses patterns");
    const { yank_reason: reason } = await server.call<{ yank_reason: string }>("GET", `/admin/projects/wicklume/versions/${id}`);
    expect(reason).toBe("Loses patterns");

    await hand.press(page.getByRole("button", { name: texts.back, exact: true }));
    const back = page.getByRole("dialog", { name: texts.yanked("0.12.3") });
    await expect(back).toContainText(texts.backAborted("0.12.3"));
    await hand.press(back.getByRole("button", { name: texts.back, exact: true }));
    await expect(panel.getByText("Loses patterns")).toHaveCount(0);
    await hand.press(page.getByRole("link", { name: versions.title }).last());
    const row = page.getByRole("row").filter({ has: page.getByRole("link", { name: "0.12.3", exact: true }) });
    await expect(row).toContainText(versions.marks.aborted(""));
  });
});

test("publish step by step on a channel of the project, and see in the simulator whom it reaches", async ({ page, server, project }) => {
  test.slow();
  await server.call("PUT", `/admin/projects/${project}/distribution`, { channels: [{ name: "night", includes: ["stable"] }] });
  await server.call("PUT", `/admin/projects/${project}/versions/by-version/1.0.0`, {});
  await open(page, server, `/admin/versions?project=${project}`);
  await page.getByRole("button", { name: "Add", exact: true }).click();
  const form = page.getByRole("dialog", { name: "New version" });
  await form.getByRole("textbox", { name: "Version", exact: true }).fill("1.1.0");
  await form.getByText("Step by step", { exact: true }).click();
  const steps = form.getByRole("group", { name: "Steps" });
  await steps.getByRole("button", { name: "Remove step 2" }).click();
  await steps.getByRole("textbox", { name: "Share at the beginning" }).fill("0");
  await form.getByRole("button", { name: "Save", exact: true }).click();
  await expect(form).toBeHidden();
  const row = (version: string) => page.getByRole("row").filter({ has: page.getByRole("link", { name: version, exact: true }) });
  await expect(row("1.1.0")).toContainText("Rollout 0%");

  await page.getByRole("button", { name: "Add", exact: true }).click();
  await form.getByRole("textbox", { name: "Version", exact: true }).fill("1.2.0");
  await form.getByRole("combobox", { name: "Channel" }).click();
  await page.getByRole("option", { name: "night" }).click();
  await expect(form.getByRole("switch", { name: "Preview" })).toBeChecked();
  await form.getByRole("button", { name: "Save", exact: true }).click();
  await expect(form).toBeHidden();
  await expect(row("1.2.0")).toContainText("Preview");
  const { data } = await server.call<{ data: { version: string; channel: string }[] }>("GET", `/admin/projects/${project}/versions`);
  expect(data.find(({ version }) => version === "1.2.0")?.channel).toBe("night");

  await page.getByRole("button", { name: "More actions: 1.0.0", exact: true }).click();
  await page.getByRole("menuitem", { name: "Simulate an update from here" }).click();
  const view = page.getByRole("dialog", { name: "Update simulator" });
  await expect(view).toContainText("1.0.0 needs no update");
  await view.getByRole("combobox", { name: "Channel" }).click();
  await page.getByRole("option", { name: "night" }).click();
  await expect(view).toContainText("1.0.0 may update to 1.2.0");
  expect(new URL(page.url()).searchParams.get("sim_channel")).toBe("night");
  await expectAccessible(page);
});

test("the steps of a rollout can be changed, and a key decides whom its share includes", async ({ page, server, project }) => {
  test.slow();
  const put = (version: string, fields: object) =>
    server.call<{ id: string }>("PUT", `/admin/projects/${project}/versions/by-version/${version}`, fields);
  await put("1.0.0", {});
  const { id } = await put("1.1.0", { rollout: { percent: 30, steps: [{ percent: 30 }, { percent: 100 }] } });
  await open(page, server, release(project, id));
  const panel = page.getByRole("region", { name: "Rollout", exact: true });
  await panel.getByRole("button", { name: "Change steps" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "Share", exact: true }).fill("100");
  await dialog.getByRole("button", { name: "Change steps" }).click();
  await expect(dialog.getByText("The shares must rise and be below 100 %.")).toBeVisible();
  await dialog.getByRole("textbox", { name: "Share", exact: true }).fill("60");
  await dialog.getByRole("textbox", { name: "Share now" }).fill("60");
  await dialog.getByRole("combobox", { name: "Only in countries" }).fill("DE,");
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Change steps" }).click();
  await expect(dialog).toBeHidden();
  await expect(panel).toContainText("60% of the users are offered 1.1.0.");
  await expect(panel).toContainText("Only for clients in Germany.");

  await server.call("PUT", `/admin/projects/${project}/versions/${id}/rollout`, { cohort: null });
  await open(page, server, `/admin/versions?project=${project}&simulate=1&sim_version=1.0.0`);
  const view = page.getByRole("dialog", { name: "Update simulator" });
  await expect(view).toContainText("1.0.0 needs no update");
  await view.getByRole("button", { name: /^All \d rules/ }).click();
  await expect(view).toContainText("The rollout of 1.1.0 has not reached this client.");
  const key = await includedKey(server, project);
  await view.getByRole("textbox", { name: "Rollout key" }).fill(key);
  await expect(view).toContainText("1.0.0 may update to 1.1.0");
});

/** Returns a key that the rollout of 1.1.0 includes. */
async function includedKey(server: Server, project: string): Promise<string> {
  for (let key = 0; ; key++) {
    const body = { current_version: "1.0.0", rollout_key: String(key) };
    const { should_update: included } = await server.call<{ should_update: boolean }>(
      "POST",
      `/public/${project}/versions/check-update`,
      body,
    );
    if (included) {
      return String(key);
    }
  }
}

test("a version without a rollout is offered to everybody", async ({ page, server, project }) => {
  const { id } = await server.call<{ id: string }>("PUT", `/admin/projects/${project}/versions/by-version/1.0.0`, {});
  await open(page, server, release(project, id));
  await expect(page.getByRole("region", { name: "Rollout", exact: true })).toContainText("1.0.0 is offered to everybody.");
  await expect(page.getByRole("heading", { name: "What happened" })).toHaveCount(0);
});
