// The page of logs: required content and actions, and navigation from an error to its neighbours.

import { zh } from "../src/texts/zh";
import { expect, expectAccessible, expectEachAccessible, inEachWay, open, test } from "./fixtures";
import { keyboard, phone, pointer } from "./hand";
import { seedLogs } from "./seed";

const crash = {
  level: 3,
  content: "E42: write failed\nat save (editor.js:12)",
  source: "editor",
  platform: "linux",
  platform_version: "Debian 13",
  device_info: { model: "ThinkPad", memory: { total: 16384 } },
  custom_data: { session: "s-1", app_version: "4.2.1" },
};

test("logs: level, content, version, source, platform and system, time; the rest when it is chosen", async ({ page, server, project }) => {
  await server.call("POST", `/public/${project}/logs`, crash, "");
  await open(page, server, `/admin/logs?project=${project}`);
  const row = page.locator("tbody tr");
  for (const text of ["Error", "E42: write failed", "editor", "4.2.1", "Linux", "debian 13", new Date().getFullYear().toString()]) {
    await expect(row).toContainText(text);
  }
  const hidden = ["IP address", "City", "Region", "User agent"];
  for (const name of hidden) {
    await expect(page.getByRole("columnheader", { name })).toBeHidden();
  }
  await page.getByRole("button", { name: "Columns" }).click();
  for (const name of hidden) {
    await page.getByRole("menuitemcheckbox", { name }).click();
  }
  await page.keyboard.press("Escape");
  for (const name of hidden) {
    await expect(page.getByRole("columnheader", { name })).toBeAttached();
  }
  await expect(row).toContainText("127.0.0.1");
});

test("logs: the drawer has every field, device and custom data as trees, and copies all", async ({ page, server, project, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await server.call("POST", `/public/${project}/logs`, crash, "");
  await open(page, server, `/admin/logs?project=${project}`);
  await page.locator("tbody tr").click({ position: { x: 300, y: 18 } });
  const drawer = page.getByRole("dialog");
  const tree = drawer.getByRole("tree", { name: "Device" });
  await expect(tree.getByText("ThinkPad")).toBeVisible();
  const memory = tree.getByRole("treeitem", { name: /memory/ });
  await expect(memory).toHaveAttribute("aria-expanded", "true");
  await memory.click();
  await expect(tree.getByText("16384")).toBeHidden();
  await expect(drawer.getByRole("tree", { name: "Custom data" }).getByText("s-1")).toBeVisible();
  await drawer.getByRole("button", { name: "Copy all" }).click();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied).toContain("Content: E42: write failed");
  expect(copied).toContain('"model":"ThinkPad"');
});

test("logs: filters by level, platform, time and hidden ones; hide and show again with undo", async ({ page, server, project }) => {
  await seedLogs(server, project, 4, (index) => ({ platform: index === 1 ? "ios" : "windows" }));
  await open(page, server, `/admin/logs?project=${project}`);
  const rows = page.locator("tbody tr");
  await expect(rows).toHaveCount(4);
  const filters = page.getByRole("search");
  await filters.getByRole("combobox", { name: "Platform" }).click();
  await page.getByRole("option", { name: "iOS" }).click();
  await expect(rows).toHaveCount(1);
  await filters.getByRole("button", { name: "Reset", exact: true }).click();
  await filters.getByRole("combobox", { name: "Level" }).click();
  await page.getByRole("option", { name: "Debug" }).click();
  await expect(rows).toHaveCount(1);
  await expect(rows).toContainText("entry 04");
  await filters.getByRole("button", { name: "Reset", exact: true }).click();
  const before = Math.floor(Date.now() / 1000) - 7200;
  await page.goto(`${server.url}/admin/logs?project=${project}&time_to=${before}`);
  await expect(page.getByText("Nothing matches these filters.")).toBeVisible();
  await filters.getByRole("button", { name: "Reset", exact: true }).click();
  await expect(rows).toHaveCount(4);

  await page.getByRole("button", { name: /More actions: .* entry 02/ }).click();
  await page.getByRole("menuitem", { name: "Hide" }).click();
  await expect(rows).toHaveCount(3);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(rows).toHaveCount(4);
  await page.getByRole("button", { name: /More actions: .* entry 02/ }).click();
  await page.getByRole("menuitem", { name: "Hide" }).click();
  await expect(rows).toHaveCount(3);
  await filters.getByRole("switch", { name: "Show hidden" }).click();
  await expect(rows).toHaveCount(4);
  await page.getByRole("button", { name: /More actions: .* entry 02/ }).click();
  await page.getByRole("menuitem", { name: "Unhide" }).click();
  await filters.getByRole("switch", { name: "Show hidden" }).click();
  await expect(rows).toHaveCount(4);
});

test("logs: the version is the one that the app reports of itself, at either place", async ({ page, server, project }) => {
  const versions = [
    { device_info: { app_version: "1.1" }, custom_data: { app_version: "9.9" } },
    { device_info: { app_version: 7 }, custom_data: { app_version: "1.2" } },
    { custom_data: { app_version: "x".repeat(65) } },
  ];
  await seedLogs(server, project, 3, (index) => versions[index - 1]!);
  await open(page, server, `/admin/logs?project=${project}`);
  for (const [name, version] of [
    ["entry 01", "1.1"],
    ["entry 02", "1.2"],
  ] as const) {
    await expect(page.getByRole("row").filter({ hasText: name }).getByRole("cell", { name: version, exact: true })).toBeVisible();
  }
  await expect(page.getByText("xxxxx")).toHaveCount(0);
});

test("logs: the histogram counts what the list shows, and a part of it is chosen by pointer and keyboard", async ({
  page,
  server,
  project,
}) => {
  await seedLogs(server, project, 8);
  await server.call("POST", "/admin/projects", { project_key: `${project}-b`, name: "Other" });
  await open(page, server, `/admin/logs?project=${project}`);
  const slider = page.getByRole("slider", { name: "Show the logs of this time" });
  await expect(slider).toHaveAttribute("aria-valuetext", /: 8 · Error 2 · Warning 2 · Info 2 · Debug 2$/);
  await page.getByRole("search").getByRole("combobox", { name: "Level" }).click();
  await page.getByRole("option", { name: "Error" }).click();
  await expect(slider).toHaveAttribute("aria-valuetext", /: 2 · Error 2$/);

  // The tab stop begins at the peak, which is the running hour.
  await slider.focus();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/time_from=\d+&time_to=\d+/);
  const { searchParams } = new URL(page.url());
  const from = Number(searchParams.get("time_from"));
  expect(from % 3600).toBe(0);
  expect(Number(searchParams.get("time_to"))).toBe(from + 3599);
  await expect(page.locator("tbody tr")).toHaveCount(2);
  await page.keyboard.press("ArrowLeft");
  await expect(slider).toHaveAttribute("aria-valuetext", /: 0$/);
  await page.keyboard.press("Enter");
  await expect(page.getByText("Nothing matches these filters.")).toBeVisible();
  await page.goBack();
  await expect(page.locator("tbody tr")).toHaveCount(2);

  // Dragging selects several hours.
  const { x, y, width, height } = (await slider.boundingBox())!;
  await page.mouse.move(x + width / 2, y + height / 2);
  await page.mouse.down();
  await page.mouse.move(x + width - 1, y + height / 2, { steps: 4 });
  await page.mouse.up();
  const dragged = () => {
    const { searchParams } = new URL(page.url());
    return Number(searchParams.get("time_to")) - Number(searchParams.get("time_from"));
  };
  await expect.poll(dragged).toBe(84 * 3600 - 1);

  await page.goto(`${server.url}/admin/logs?project=${project}-b`);
  await expect(page.getByRole("heading", { name: "No logs yet" })).toBeVisible();
  await expect(slider).toHaveCount(0);
});

test("logs: one is added by hand with all its fields, and nothing else can be changed", async ({ page, server, project }) => {
  await open(page, server, `/admin/logs?project=${project}`);
  await page.getByRole("button", { name: "Add" }).click();
  const form = page.getByRole("dialog", { name: "New log" });
  await form.getByRole("combobox", { name: "Level" }).click();
  await page.getByRole("option", { name: "Warning" }).click();
  await form.getByRole("textbox", { name: "Content" }).fill("seen by support");
  await form.getByRole("textbox", { name: "Source" }).fill("phone call");
  await form.getByRole("combobox", { name: "Platform" }).click();
  await page.getByRole("option", { name: "macOS" }).click();
  await form.getByRole("textbox", { name: "System version" }).fill("15.1");
  const type = async (field: string, text: string) => {
    await form.getByRole("textbox", { name: field }).focus();
    await page.keyboard.press("Control+a");
    await page.keyboard.press("Delete");
    await page.keyboard.insertText(text);
  };
  await type("Device", '{"model":"MacBook"}');
  await type("Custom data", "[1]");
  await form.getByRole("button", { name: "Save" }).click();
  await expect(form.getByText("This must be a JSON object: { … }.")).toBeVisible();
  await type("Custom data", '{"ticket":7}');
  await form.getByRole("button", { name: "Save" }).click();
  await expect(form).toBeHidden();
  const { data } = await server.call<{ data: object[] }>("GET", `/admin/projects/${project}/logs`);
  expect(data).toMatchObject([
    {
      level: 2,
      content: "seen by support",
      source: "phone call",
      platform: "macos",
      platform_version: "15.1",
      device_info: { model: "MacBook" },
      custom_data: { ticket: 7 },
      is_hidden: false,
    },
  ]);
  await page.getByRole("button", { name: /More actions/ }).click();
  await expect(page.getByRole("menuitem")).toHaveText(["Copy configuration", "Hide"]);
});

inEachWay([pointer, keyboard, phone], () => {
  test("task 6: search everything for E42, land on the log, see its device as a tree, go to the logs of that platform in that hour", async ({
    page,
    hand,
    demo,
  }) => {
    test.slow();
    const { common, fields, frame, logs } = hand.t;
    const search = () => demo.call<{ data: { kind: string }[] }>("GET", "/admin/search?q=E42");
    // The index is built after the start.
    await expect.poll(async () => (await search()).data.some(({ kind }) => kind === "log")).toBe(true);
    await hand.open(demo, "/admin/announcements?project=tidebrook");
    await hand.find("E42", new RegExp(`E42: .*${frame.palette.kinds.log} · Quillmere`));

    const drawer = page.getByRole("dialog", { name: `${logs.levels[3]} E42: ` });
    const tree = drawer.getByRole("tree", { name: logs.deviceInfo });
    await expect(tree.getByRole("treeitem", { name: /^memory/ })).toHaveAttribute("aria-expanded", "true");
    await expect(tree.getByRole("treeitem", { name: /^total_mb/ })).toContainText(/\d/);
    await hand.press(drawer.getByRole("link", { name: logs.sameHour(fields.platform.android) }));
    await expect(drawer).toBeHidden();
    const address = new URL(page.url()).searchParams;
    expect(address.get("project")).toBe("quillmere");
    const [from, to] = [Number(address.get("time_from")), Number(address.get("time_to"))];
    expect(to - from).toBe(3599);
    const query = new URLSearchParams({ platform: "android", start_time: String(from), end_time: String(to) });
    const { total } = await demo.call<{ total: number }>("GET", `/admin/projects/quillmere/logs?${query}`);
    expect(total).toBeGreaterThan(300);
    await expect(page.getByText(common.pageOf(1, await page.locator("tbody tr").count(), String(total)))).toBeVisible();
  });
});

test("logs: deleted by time, level and address, after they were counted and the count was typed", async ({ page, server, project }) => {
  await seedLogs(server, project, 9);
  const left = async () => {
    const { data } = await server.call<{ data: { level: number }[] }>("GET", `/admin/projects/${project}/logs`);
    return data.map(({ level }) => level).sort();
  };
  await open(page, server, `/admin/logs?project=${project}`);
  await page.getByRole("button", { name: "Delete logs" }).click();
  const dialog = page.getByRole("dialog", { name: "Delete logs" });
  const count = dialog.getByRole("button", { name: "Count" });
  await expect(count).toBeDisabled();
  await dialog.getByRole("combobox", { name: "Level" }).click();
  await page.getByRole("option", { name: "Info" }).click();
  await count.click();
  await expect(dialog.getByRole("status")).toHaveText("3 logs meet these conditions. This cannot be undone.");
  const confirmed = dialog.getByLabel("Type 3 to confirm");
  await expect(confirmed).toBeFocused();
  // Changed conditions are counted again.
  await dialog.getByRole("textbox", { name: "IP address" }).fill("192.0.2.1");
  await expect(confirmed).toBeHidden();
  await count.click();
  await expect(dialog.getByRole("status")).toHaveText("No log meets these conditions.");
  await expect(count).toBeDisabled();
  await dialog.getByRole("textbox", { name: "IP address" }).fill("127.0.0.1");
  await count.click();
  const run = dialog.getByRole("button", { name: "Delete 3 logs" });
  await expect(run).toBeDisabled();
  await confirmed.fill("2");
  await expect(run).toBeDisabled();
  await expectAccessible(page);
  // Counting deletes nothing, and logs that arrive after it are kept.
  expect(await left()).toHaveLength(9);
  await confirmed.fill("3");
  await run.click();
  await expect(dialog).toBeHidden();
  await expect(page.getByText("3 logs were deleted")).toBeVisible();
  await expect(page.locator("tbody tr")).toHaveCount(6);
  expect(await left()).toEqual([0, 0, 2, 2, 3, 3]);

  // Logs of any level before a time: none is that old.
  await page.getByRole("button", { name: "Delete logs" }).click();
  await dialog.getByRole("textbox", { name: "Created before" }).fill("2020-01-01T00:00");
  await count.click();
  await expect(dialog.getByRole("status")).toHaveText("No log meets these conditions.");
  await dialog.getByRole("textbox", { name: "Created before" }).fill("2199-01-01T00:00");
  await count.click();
  await expect(dialog.getByRole("status")).toContainText("6 logs");
});

test("the page of logs is accessible: list, menus, drawer, dialogs", async ({ page, server, project }) => {
  const { logs, common } = zh;
  const { id } = await server.call<{ id: string }>("POST", `/public/${project}/logs`, crash, "");
  await seedLogs(server, project, 4);
  await open(page, server, `/admin/logs?project=${project}`, { language: "zh" });
  await expect(page.locator("tbody tr")).toHaveCount(5);
  await expectAccessible(page);
  await expectEachAccessible(page, [
    page.getByRole("button", { name: common.columns }),
    page.getByRole("search").getByRole("combobox", { name: logs.level }),
    page.getByRole("search").getByRole("button", { name: new RegExp(`${common.from}$`) }),
    page.getByRole("button", { name: new RegExp(`^${common.more}`) }).first(),
    "help=1",
    `open=${id}`,
    "new=1",
    "prune=1",
  ]);
});
