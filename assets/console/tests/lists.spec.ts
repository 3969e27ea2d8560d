// Behaviour shared by all pages of records, tested with logs and feedback.

import { expect, expectAccessible, open, settled, test, windowFor } from "./fixtures";
import { seedLogs, sendFeedback } from "./seed";

// Room for ten rows below the histogram of logs.
test.use({ viewport: windowFor(10, 116) });

test("paging, filters and search are in the address: back undoes the last step, reload loses nothing", async ({
  page,
  server,
  project,
}) => {
  await seedLogs(server, project, 25);
  await open(page, server, `/admin/logs?project=${project}`);
  const rows = page.locator("tbody tr");
  await expect(rows).toHaveCount(10);
  await expect(page.getByText("1–10 of 25")).toBeVisible();
  await page.getByRole("button", { name: "2", exact: true }).click();
  await expect(page.getByText("11–20 of 25")).toBeVisible();
  await expect(page).toHaveURL(/[?&]page=2/);

  await page.getByRole("search").getByRole("combobox", { name: "Level" }).click();
  await page.getByRole("option", { name: "Error" }).click();
  await expect(page).toHaveURL(/[?&]level=3/);
  await expect(page).not.toHaveURL(/page=/);
  await expect(rows).toHaveCount(6);

  await page.goBack();
  await expect(page.getByText("11–20 of 25")).toBeVisible();
  await page.goForward();
  await expect(rows).toHaveCount(6);
  await page.reload();
  await expect(rows).toHaveCount(6);

  await page.getByRole("searchbox", { name: "Search" }).fill("entry 07");
  await expect(rows).toHaveCount(1);
  await expect(page).toHaveURL(/q=entry/);
  await page.getByRole("button", { name: "Reset", exact: true }).last().click();
  await expect(page.getByText("1–10 of 25")).toBeVisible();
});

test("a list on one page has no buttons for pages, and says how many records there are", async ({ page, server, project }) => {
  await seedLogs(server, project, 1);
  await open(page, server, `/admin/logs?project=${project}`);
  await expect(page.getByText("1 in total", { exact: true })).toBeVisible();
  const foot = page.getByText("1 in total", { exact: true }).locator("..");
  await expect(foot.getByRole("button")).toHaveCount(0);
  // The first of these records exists already.
  await seedLogs(server, project, 11);
  await page.reload();
  await expect(page.getByText("1–10 of 11", { exact: true })).toBeVisible();
  await page.getByRole("button", { name: "Next page" }).click();
  await expect(page.getByText("11 of 11", { exact: true })).toBeVisible();
});

test("a page holds as many rows as the window, or as many as were chosen, and keeps them while it is read", async ({
  page,
  server,
  project,
}) => {
  await seedLogs(server, project, 30);
  await page.setViewportSize(windowFor(14, 116));
  await open(page, server, `/admin/logs?project=${project}`);
  const rows = page.locator("tbody tr");
  const fits = () => page.evaluate(() => document.documentElement.scrollHeight <= innerHeight);
  await expect(page.getByText("1–14 of 30")).toBeVisible();
  expect(await fits()).toBe(true);
  await page.setViewportSize(windowFor(20, 116));
  await page.getByRole("button", { name: "Next page" }).click();
  await expect(page.getByText("15–28 of 30")).toBeVisible();
  // The address shows the same rows in another window.
  const address = page.url();
  await page.setViewportSize(windowFor(9, 116));
  await page.reload();
  await expect(page.getByText("15–28 of 30")).toBeVisible();
  expect(page.url()).toBe(address);

  await page.getByRole("combobox", { name: "Rows per page" }).click();
  await page.getByRole("option", { name: "25 rows" }).click();
  await expect(page.getByText("1–25 of 30")).toBeVisible();
  await page.reload();
  await expect(rows).toHaveCount(25);
  await page.getByRole("combobox", { name: "Rows per page" }).click();
  await page.getByRole("option", { name: "Fit to window" }).click();
  await expect(page.getByText("1–9 of 30")).toBeVisible();
});

test("a list is sorted by a column, in the address and for screen readers, together with filters", async ({ page, server, project }) => {
  for (const [content, rating] of [
    ["best", 5],
    ["worst", 1],
    ["middle", 3],
  ] as const) {
    await sendFeedback(server, project, { content, rating });
  }
  await open(page, server, `/admin/feedbacks?project=${project}`);
  const rows = page.locator("tbody tr");
  const header = (name: string) => page.getByRole("columnheader", { name });
  const order = async (...contents: string[]) => {
    for (const [index, content] of contents.entries()) {
      await expect(rows.nth(index)).toContainText(content);
    }
  };
  await order("middle", "worst", "best");
  await expect(header("Time")).toHaveAttribute("aria-sort", "descending");
  await header("Rating").getByRole("button").click();
  await order("best", "middle", "worst");
  await expect(header("Rating")).toHaveAttribute("aria-sort", "descending");
  await expect(header("Time")).not.toHaveAttribute("aria-sort");
  await header("Rating").getByRole("button").press("Enter");
  await order("worst", "middle", "best");
  await expect(page).toHaveURL(/sort=rating&order=asc/);
  await page.reload();
  await order("worst", "middle", "best");
  await page.getByRole("searchbox").fill("st");
  await expect(rows).toHaveCount(2);
  await order("worst", "best");
  await page.getByRole("searchbox").fill("");
  await header("Rating").getByRole("button").click();
  await order("middle", "worst", "best");
  await expect(page).not.toHaveURL(/sort=/);
  await header("Time").getByRole("button").click();
  await order("best", "worst", "middle");
  await page.goBack();
  await order("middle", "worst", "best");
});

for (const phone of [false, true]) {
  test(`ticked records are changed together, ${phone ? "on a phone" : "with pointer and keyboard"}`, async ({ page, server, project }) => {
    await page.setViewportSize(windowFor(16));
    for (const content of ["one", "two", "three"]) {
      await sendFeedback(server, project, { content });
    }
    await open(page, server, `/admin/feedbacks?project=${project}`, { phone });
    await expect(page.locator("tbody tr")).toHaveCount(3);
    const foot = page.getByRole("group", { name: /selected/ });
    await page.getByRole("checkbox", { name: "Select one" }).click();
    await page.getByRole("checkbox", { name: "Select two" }).press("Space");
    await expect(foot).toContainText("2 selected");
    await expect(page.getByRole("dialog")).toHaveCount(0);
    await expectAccessible(page);
    await foot.getByRole("button", { name: "Resolve" }).click();
    await expect(foot).toHaveCount(0);
    const state = async () => {
      const { data } = await server.call<{ data: { status: string; is_hidden: boolean }[] }>(
        "GET",
        `/admin/projects/${project}/feedbacks?include_hidden=true`,
      );
      return data.map(({ status, is_hidden }) => `${status} ${is_hidden}`);
    };
    expect(await state()).toEqual(["open false", "resolved false", "resolved false"]);
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(state).toEqual(["open false", "open false", "open false"]);
    const [{ id }] = (await server.call<{ data: [{ id: string }] }>("GET", `/admin/projects/${project}/feedbacks`)).data;
    await server.call("PATCH", `/admin/projects/${project}/feedbacks/${id}`, { status: "in_progress" });
    await page.reload();
    await page.getByRole("checkbox", { name: "Select all on this page" }).click();
    await foot.getByRole("button", { name: "Resolve" }).click();
    await expect.poll(state).toEqual(["resolved false", "resolved false", "resolved false"]);
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(state).toEqual(["in_progress false", "open false", "open false"]);
    await page.getByRole("checkbox", { name: "Select all on this page" }).click();
    await expect(foot).toContainText("3 selected");
    await foot.getByRole("button", { name: "Hide" }).click();
    await expect(page.getByRole("heading", { name: "No feedback yet" })).toBeVisible();
    expect((await state()).every((one) => one.endsWith("true"))).toBe(true);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
  });
}

test("of two changes one after the other, each can be undone", async ({ page, server, project }) => {
  for (const content of ["one", "two"]) {
    await sendFeedback(server, project, { content });
  }
  await open(page, server, `/admin/feedbacks?project=${project}`);
  await page.getByRole("button", { name: "More actions: one" }).click();
  await page.getByRole("menuitem", { name: "Hide" }).click();
  await expect(page.locator("tbody tr")).toHaveCount(1);
  await page.getByRole("checkbox", { name: "Select two" }).click();
  await page
    .getByRole("group", { name: /selected/ })
    .getByRole("button", { name: "Resolve" })
    .click();
  const notice = (text: string) => page.locator(".mantine-Notification-root").filter({ hasText: text });
  await notice("Status is now").hover();
  await notice("Hidden").getByRole("button", { name: "Undo" }).click();
  await expect(page.locator("tbody tr")).toHaveCount(2);
  await notice("Status is now").getByRole("button", { name: "Undo" }).click();
  await expect(page.getByText("2 waiting")).toBeVisible();
});

test("a page on a small phone has as many rows as on a usual one, and feedback has two lines of text", async ({
  page,
  server,
  project,
}) => {
  for (let i = 0; i < 12; i++) {
    await sendFeedback(server, project, { content: `${i}: It stops while a long document with many pictures is being exported.` });
  }
  await open(page, server, `/admin/feedbacks?project=${project}`, { phone: true });
  await page.setViewportSize({ width: 375, height: 560 });
  await page.reload();
  await expect(page.locator("tbody tr")).toHaveCount(6);
  const text = page.getByRole("link", { name: /^Unread 11: It stops/ });
  expect((await text.boundingBox())!.height).toBeGreaterThan(36);
  const height = (await page.locator("tbody tr").first().boundingBox())!.height;
  expect(Math.round(height)).toBe(77);
});

test("a row on a phone shows the title, and the date below it", async ({ page, server, project }) => {
  await server.call("POST", `/admin/projects/${project}/announcements`, {
    title: "Maintenance of all servers in the night from Saturday to Sunday",
    content: "Text",
    is_hidden: true,
  });
  await open(page, server, `/admin/announcements?project=${project}`, { phone: true });
  const row = page.locator("tbody tr");
  await expect(row).toContainText("Hidden");
  await expect(row).toContainText(String(new Date().getFullYear()));
  const [title, date] = [await row.getByRole("link").boundingBox(), await row.getByText(String(new Date().getFullYear())).boundingBox()];
  expect(date!.y).toBeGreaterThanOrEqual(title!.y + title!.height - 1);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(375);
});

test("a value that is wider than its column ends in dots", async ({ page, server, project }) => {
  await seedLogs(server, project, 1, () => ({
    platform: "linux",
    platform_version: "a distribution with a long name",
    source: "s".repeat(90),
  }));
  await page.setViewportSize({ width: 1024, height: 700 });
  await open(page, server, `/admin/logs?project=${project}`);
  await expect(page.getByRole("link", { name: "entry 01" })).toBeVisible();
  const cut = await page.locator("tbody td, tbody td *").evaluateAll((elements) =>
    elements
      .filter((element) => element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).display !== "inline")
      .filter((element) => getComputedStyle(element).textOverflow !== "ellipsis")
      .map((element) => element.outerHTML),
  );
  expect(cut).toEqual([]);
  // All columns fit: none continues below the menu.
  expect(await page.getByRole("region", { name: "Logs", exact: true }).evaluate((area) => area.scrollWidth - area.clientWidth)).toBe(0);
});

test("what matches nothing says so, and what is empty is a beginning with commands", async ({ page, server, project }) => {
  await open(page, server, `/admin/logs?project=${project}`);
  await expect(page.getByRole("heading", { name: "No logs yet" })).toBeVisible();
  await expect(page.getByText(`${server.url}/api/v1/public/${project}/logs`)).toBeVisible();
  await page.getByRole("tab", { name: "Python" }).click();
  await expect(page.getByText("client.logs.install()")).toBeVisible();
  await seedLogs(server, project, 1);
  await page.goto(`${server.url}/admin/logs?project=${project}&q=nowhere`);
  await expect(page.getByText("Nothing matches these filters.")).toBeVisible();
});

test("a list is as high as its rows, and keeps its height when a search finds less", async ({ page, server, project }) => {
  for (const content of ["one", "two", "three"]) {
    await sendFeedback(server, project, { content });
  }
  await open(page, server, `/admin/feedbacks?project=${project}`);
  const rows = page.locator("tbody tr");
  await expect(rows).toHaveCount(3);
  const height = () => page.getByRole("main").evaluate((main) => main.lastElementChild!.getBoundingClientRect().height);
  const before = await height();
  await page.getByRole("searchbox").fill("nowhere");
  await expect(page.getByText("Nothing matches these filters.")).toBeVisible();
  expect(await height()).toBe(before);
  await page.getByRole("searchbox").fill("");
  await expect(rows).toHaveCount(3);
  const row = (await rows.first().boundingBox())!.height;
  await page
    .getByRole("button", { name: /^More actions/ })
    .first()
    .click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await expect(rows).toHaveCount(2);
  await expect.poll(height).toBe(before - row);
});

test("a search that found nothing is cleared and typed anew while the answer is slow: no letter is lost", async ({
  page,
  server,
  project,
}) => {
  await seedLogs(server, project, 3);
  await open(page, server, `/admin/logs?project=${project}&q=nowhere`);
  await expect(page.getByText("Nothing matches these filters.")).toBeVisible();
  let answer = () => {};
  const asked = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const cleared = page.waitForRequest((request) => request.url().includes("/logs?") && !request.url().includes("search="));
  await page.route("**/logs?*", async (route) => {
    await asked;
    await route.continue();
  });
  const box = page.getByRole("searchbox");
  await box.fill("");
  await cleared;
  await expect(page).not.toHaveURL(/q=/);
  await page.keyboard.type("entry 02");
  answer();
  await expect(box).toHaveValue("entry 02");
  await expect(page.locator("tbody tr")).toHaveCount(1);
});

test("columns are chosen, and widths dragged, for this browser", async ({ page, server, project }) => {
  await seedLogs(server, project, 1);
  await open(page, server, `/admin/logs?project=${project}`);
  const address = page.getByRole("columnheader", { name: "IP address" });
  await expect(page.getByRole("columnheader", { name: "Source" })).toBeVisible();
  await expect(address).toBeHidden();
  await page.getByRole("button", { name: "Columns" }).click();
  await page.getByRole("menuitemcheckbox", { name: "IP address" }).click();
  await page.keyboard.press("Escape");
  await expect(address).toBeVisible();
  await page.reload();
  await expect(address).toBeVisible();

  const source = page.getByRole("columnheader", { name: "Source" });
  const width = async () => Math.round((await source.boundingBox())!.width);
  const first = await width();
  const edge = page.locator("[data-edge=source]");
  const { x, y, height } = (await edge.boundingBox())!;
  await page.mouse.move(x + 4, y + height / 2);
  await page.mouse.down();
  await page.mouse.move(x + 44, y + height / 2);
  await page.mouse.move(x + 84, y + height / 2);
  await page.mouse.up();
  await expect.poll(width).toBe(first + 80);
  await page.reload();
  await expect.poll(width).toBe(first + 80);
  await edge.dblclick();
  await expect.poll(width).toBe(first);

  await page.getByRole("button", { name: "Columns" }).click();
  await page.getByRole("menuitem", { name: "Reset columns" }).click();
  await expect(address).toBeHidden();
});

test("the keyboard walks through the list and the drawer, across pages, and the focus returns", async ({ page, server, project }) => {
  await seedLogs(server, project, 12);
  await open(page, server, `/admin/logs?project=${project}`);
  const link = (name: string) => page.getByRole("link", { name });
  await expect(link("entry 12")).toBeVisible();
  await page.keyboard.press("j");
  await expect(link("entry 12")).toBeFocused();
  await page.keyboard.press("ArrowDown");
  await expect(link("entry 11")).toBeFocused();
  await page.keyboard.press("k");
  await expect(link("entry 12")).toBeFocused();
  for (let index = 0; index < 9; index++) {
    await page.keyboard.press("j");
  }
  await expect(link("entry 03")).toBeFocused();
  await page.keyboard.press("Enter");
  const drawer = page.getByRole("dialog");
  await expect(drawer.getByText("entry 03").first()).toBeVisible();
  await page.keyboard.press("ArrowRight");
  await expect(drawer.getByText("entry 02").first()).toBeVisible();
  await expect(page).toHaveURL(/page=2/);
  await page.keyboard.press("j");
  await expect(drawer.getByText("entry 01").first()).toBeVisible();
  await expect(drawer.getByRole("button", { name: "Next" })).toBeDisabled();
  await page.keyboard.press("ArrowLeft");
  await expect(drawer.getByText("entry 02").first()).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(drawer).toBeHidden();
  await expect(link("entry 02")).toBeFocused();
  await page.keyboard.press("/");
  await expect(page.getByRole("searchbox", { name: "Search" })).toBeFocused();
});

test("a form asks before it loses what was typed, and only then", async ({ page, server, project }) => {
  await seedLogs(server, project, 1);
  await open(page, server, `/admin/logs?project=${project}`);
  await expect(page.getByRole("link", { name: "entry 01" })).toBeVisible();
  const form = page.getByRole("dialog", { name: "New log" });
  const question = page.getByRole("dialog", { name: "Discard your changes?" });
  await page.keyboard.press("n");
  await expect(form.getByRole("textbox", { name: "Content" })).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(form).toBeHidden();

  // As on a slow machine, press the key before the form has the focus.
  await page.keyboard.press("n");
  await expect(form.getByRole("textbox", { name: "Content" })).toBeFocused();
  await page
    .locator("main button")
    .first()
    .evaluate((button) => button.focus());
  await page.keyboard.press("Escape");
  await expect(form).toBeHidden();

  await page.keyboard.press("n");
  await form.getByRole("textbox", { name: "Content" }).fill("half a sentence");
  for (const close of [
    () => page.keyboard.press("Escape"),
    () => form.getByRole("button", { name: "Close" }).click(),
    () => form.getByRole("button", { name: "Cancel" }).click(),
    () => page.mouse.click(20, 450),
    () => page.goBack(),
  ]) {
    await close();
    await expect(question).toBeVisible();
    await question.getByRole("button", { name: "Keep editing" }).click();
    await expect(question).toBeHidden();
    await expect(form.getByRole("textbox", { name: "Content" })).toHaveValue("half a sentence");
  }
  await page.keyboard.press("Escape");
  await expect(question).toBeVisible();
  await expectAccessible(page);
  await question.getByRole("button", { name: "Discard" }).click();
  await expect(form).toBeHidden();

  await page.getByRole("button", { name: "Add" }).click();
  await form.getByRole("textbox", { name: "Content" }).fill("a whole sentence");
  await form.getByRole("button", { name: "Save" }).click();
  await expect(form).toBeHidden();
  await expect(question).toBeHidden();
  await expect(page.getByRole("link", { name: "a whole sentence" })).toBeVisible();
});

test("an alias in the address: the list that it shows stays when the key of the project arrives", async ({ page, demo }) => {
  let answer = () => {};
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route(/\/admin\/projects\?/, async (route) => {
    await held;
    await route.fallback();
  });
  await open(page, demo, "/admin/versions?project=tidebrook");
  await page.getByRole("button", { name: "More actions: 1.5.0", exact: true }).click();
  const entry = page.getByRole("menuitem", { name: "Copy configuration" });
  await expect(entry).toBeVisible();
  const again = page.waitForResponse(/tidebrook-field-guide\/versions\?/);
  answer();
  await again;
  await settled(page);
  await expect(entry).toBeVisible();
});

test("a list that changes while it is read tells so and pushes nothing away", async ({ page, server, project }) => {
  await page.clock.install();
  await seedLogs(server, project, 12);
  await open(page, server, `/admin/logs?project=${project}`);
  const first = page.locator("tbody tr").first();
  await expect(first).toContainText("entry 12");
  await seedLogs(server, project, 3, (index) => ({ content: `later ${index}` }));
  await page.clock.fastForward(16_000);
  const added = page.getByRole("button", { name: "3 new" });
  await expect(added).toBeVisible();
  await expect(first).toContainText("entry 12");
  await added.click();
  await expect(first).toContainText("later 3");
  await expect(added).toBeHidden();
});

test.describe("trouble", () => {
  test.use({ expected: [/Failed to load resource|ERR_|NetworkError/] });

  test("the server stops and starts while a form is open: the text stays and is saved", async ({ page, own }) => {
    await own.call("POST", "/admin/projects", { project_key: "trouble", name: "Trouble" });
    await open(page, own, "/admin/logs?project=trouble");
    await page.getByRole("button", { name: "Add" }).click();
    const form = page.getByRole("dialog", { name: "New log" });
    await form.getByRole("textbox", { name: "Content" }).fill("written before the storm");
    await own.stop();
    await form.getByRole("button", { name: "Save" }).click();
    await expect(form.getByRole("alert")).toBeVisible();
    await expect(form.getByRole("textbox", { name: "Content" })).toHaveValue("written before the storm");
    await own.resume();
    await form.getByRole("button", { name: "Save" }).click();
    await expect(form).toBeHidden();
    await expect(page.getByRole("link", { name: "written before the storm" })).toBeVisible();
  });

  test("a record that is deleted while its drawer is open says so, and the next one is a key away", async ({ page, server, project }) => {
    await page.clock.install();
    await sendFeedback(server, project, { content: "the older one" });
    const { id } = await sendFeedback(server, project, { content: "the newer one" });
    await open(page, server, `/admin/feedbacks?project=${project}&open=${id}`);
    const drawer = page.getByRole("dialog");
    await expect(drawer.getByText("the newer one").first()).toBeVisible();
    await server.call("DELETE", `/admin/projects/${project}/feedbacks/${id}`);
    await page.clock.fastForward(16_000);
    await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange", { bubbles: true })));
    await expect(drawer.getByText("This record no longer exists.")).toBeVisible();
    await page.keyboard.press("ArrowRight");
    await expect(drawer.getByText("the older one").first()).toBeVisible();
  });

  test("a change that is refused goes back, in the server's own words", async ({ page, server, project }) => {
    const { id } = await sendFeedback(server, project, { content: "soon gone" });
    await open(page, server, `/admin/feedbacks?project=${project}`);
    await expect(page.getByRole("link", { name: "soon gone" })).toBeVisible();
    await server.call("DELETE", `/admin/projects/${project}/feedbacks/${id}`);
    await page.getByRole("button", { name: "More actions: soon gone" }).click();
    await page.getByRole("menuitem", { name: "Hide" }).click();
    await expect(page.getByRole("alert")).toContainText(/feedback not found/i);
    await expect(page.getByRole("heading", { name: "No feedback yet" })).toBeVisible();
  });
});

test("a slow network shows what is under way", async ({ page, server, project }) => {
  await seedLogs(server, project, 12);
  await open(page, server, `/admin/tokens?project=${project}`);
  const network = await page.context().newCDPSession(page);
  await network.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: 400,
    downloadThroughput: 64_000,
    uploadThroughput: 64_000,
  });
  await page.getByRole("link", { name: "Logs" }).click();
  await expect(page.getByRole("status", { name: "Loading" })).toBeVisible();
  await expect(page.locator("tbody tr")).toHaveCount(10);
  await page.getByRole("button", { name: "Add" }).click();
  const form = page.getByRole("dialog", { name: "New log" });
  await form.getByRole("textbox", { name: "Content" }).fill("slowly");
  const save = form.getByRole("button", { name: "Save" });
  await save.click();
  await expect(save).toHaveAttribute("data-loading", "true");
  await expect(form).toBeHidden();
  await expect(page.getByRole("link", { name: "slowly" })).toBeVisible();
});

test("in a window of 1024 px, lists leave columns out instead of cutting badges and times", async ({ page, demo }) => {
  await page.setViewportSize({ width: 1024, height: 768 });
  for (const list of ["versions", "files", "announcements", "feedbacks", "logs", "tokens", "projects"]) {
    await open(page, demo, `/admin/${list}?project=quillmere`);
    await expect(page.locator("tbody tr").first()).toBeVisible();
    await settled(page);
    const cut = await page.evaluate(() =>
      [...document.querySelectorAll<HTMLElement>("tbody .mantine-Badge-label, tbody td")]
        .filter((cell) => cell.scrollWidth > cell.clientWidth && (cell.tagName !== "TD" || /^\d+ \w+ \d{4}|ago$/.test(cell.textContent)))
        .map(({ textContent }) => textContent),
    );
    expect.soft(cut, list).toEqual([]);
    const text = page.getByRole("columnheader", { name: { announcements: "Title", feedbacks: "Content", logs: "Content" }[list] });
    if (["announcements", "feedbacks", "logs"].includes(list)) {
      expect.soft((await text.boundingBox())!.width, list).toBeGreaterThan(220);
    }
  }
  await expect(page.getByRole("columnheader", { name: "Description" })).toBeHidden();
  await page.getByRole("button", { name: "Columns" }).click();
  await page.getByRole("menuitemcheckbox", { name: "Description" }).click();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("columnheader", { name: "Description" })).toBeVisible();
});
