// The required content and actions of the page Feedback.

import { zh } from "../src/texts/zh";
import { expect, expectAccessible, expectEachAccessible, inEachWay, open, test } from "./fixtures";
import { keyboard, phone, pointer } from "./hand";
import { sendFeedback } from "./seed";
import type { Server } from "./server";

const praise = {
  content: "The export is great.\nالتصدير رائع",
  rating: 5,
  user_id: "ann",
  contact: "ann@example.com",
  platform: "macos",
  platform_version: "15.1",
  custom_data: { plan: "free", app_version: "4.2" },
};

async function idOf(server: Server, project: string, content: string): Promise<string> {
  const { data } = await server.call<{ data: { id: string; content: string }[] }>("GET", `/admin/projects/${project}/feedbacks`);
  return data.find((feedback) => feedback.content === content)!.id;
}

/** A project on a server that forwards feedback as issues of acme/app. */
async function forwardingProject(server: Server): Promise<string> {
  await server.call("POST", "/admin/projects", { project_key: "app", name: "App" });
  await server.call("PUT", "/admin/projects/app/codehost-integration", { repo_full_name: "acme/app", feedback_issue_enabled: true });
  return "app";
}

test("feedback: the text has the room, beside rating, status, sender, version, platform and age; the rest when it is chosen", async ({
  page,
  server,
  project,
}) => {
  const { id } = await sendFeedback(server, project, praise);
  await server.call("PATCH", `/admin/projects/${project}/feedbacks/${id}`, { status: "in_progress", result: "Thanked." });
  await open(page, server, `/admin/feedbacks?project=${project}`);
  for (const name of ["Content", "Rating", "Status", "User", "Version", "Platform", "Time"]) {
    await expect(page.getByRole("columnheader", { name, exact: true })).toBeAttached();
  }
  const row = page.locator("tbody tr");
  for (const text of ["The export is great.", "ann", "ann@example.com", "In progress", "4.2", "macOS", "15.1", "second"]) {
    await expect(row).toContainText(text);
  }
  await expect(row.getByRole("img", { name: "5 of 5 stars" })).toBeVisible();
  const text = (await page.getByRole("columnheader", { name: "Content" }).boundingBox())!.width;
  expect(text).toBeGreaterThan(320);
  await page.getByRole("button", { name: "Columns" }).click();
  for (const name of [
    "Contact",
    "Internal note",
    "Reply",
    "Issue",
    "Hidden",
    "IP address",
    "Country",
    "Region",
    "City",
    "User agent",
    "Custom data",
    "ID",
  ]) {
    const item = page.getByRole("menuitemcheckbox", { name, exact: true });
    await expect(item).not.toBeChecked();
    await item.click();
    await expect(page.getByRole("columnheader", { name, exact: true })).toBeAttached();
  }
});

test("feedback: filters by platform, rating, status and hidden ones", async ({ page, server, project }) => {
  await sendFeedback(server, project, praise);
  const { id } = await sendFeedback(server, project, { content: "slow", rating: 1, platform: "web" });
  await server.call("PATCH", `/admin/projects/${project}/feedbacks/${id}`, { status: "closed" });
  await open(page, server, `/admin/feedbacks?project=${project}`);
  const rows = page.locator("tbody tr");
  const filters = page.getByRole("search");
  for (const [name, option] of [
    ["Platform", "Web"],
    ["Rating", "1 star"],
    ["Status", "Closed"],
  ] as const) {
    await expect(rows).toHaveCount(2);
    await filters.getByRole("combobox", { name }).click();
    await page.getByRole("option", { name: option }).click();
    await expect(rows).toHaveCount(1);
    await expect(rows).toContainText("slow");
    await filters.getByRole("button", { name: "Reset", exact: true }).click();
  }
});

test("feedback: add by hand, edit with status and result, copy, delete", async ({ page, server, project }) => {
  await open(page, server, `/admin/feedbacks?project=${project}`);
  await page.getByRole("button", { name: "Add" }).click();
  const form = page.getByRole("dialog");
  await form.getByRole("textbox", { name: "Content" }).fill("told us at the fair");
  await form.getByRole("combobox", { name: "Rating" }).click();
  await page.getByRole("option", { name: "4 stars" }).click();
  await form.getByRole("textbox", { name: "User" }).fill("bob");
  await form.getByRole("textbox", { name: "Contact" }).fill("bob@example.com");
  await form.getByRole("button", { name: "Save" }).click();
  await expect(form).toBeHidden();
  const link = page.getByRole("link", { name: "told us at the fair" });
  await link.focus();
  await page.keyboard.press("e");
  await form.getByRole("combobox", { name: "Status" }).click();
  await page.getByRole("option", { name: "Resolved" }).click();
  await form.getByRole("textbox", { name: "Internal note" }).fill("Answered.");
  await form.getByRole("button", { name: "Save" }).click();
  await expect(form).toBeHidden();
  await expect(page.locator("tbody tr")).toContainText("Resolved");
  const more = page.getByRole("button", { name: "More actions: told us at the fair" });
  await more.click();
  await page.getByRole("menuitem", { name: "Copy configuration" }).click();
  await expect(form.getByRole("textbox", { name: "User" })).toHaveValue("bob");
  await form.getByRole("textbox", { name: "Content" }).fill("a second one");
  await form.getByRole("button", { name: "Save" }).click();
  await expect(page.locator("tbody tr")).toHaveCount(2);
  await more.click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await expect(form).toContainText("told us at the fair");
  await expect(form).toContainText("This cannot be undone.");
  await form.getByRole("button", { name: "Delete" }).click();
  await expect(page.locator("tbody tr")).toHaveCount(1);
  const { data } = await server.call<{ data: object[] }>("GET", `/admin/projects/${project}/feedbacks`);
  expect(data).toMatchObject([
    { content: "a second one", rating: 4, user_id: "bob", contact: "bob@example.com", status: "open", result: null },
  ]);
});

inEachWay([pointer, keyboard, phone], () => {
  test("task 5: read one star after the other, answer, forward one, hide spam", async ({ page, hand, codehost, connected: server }) => {
    const { common, feedbacks, sent } = hand.t;
    const project = await forwardingProject(server);
    for (const [content, rating] of [
      ["great", 5],
      ["CHEAP WATCHES http://spam.example/x.png", 1],
      ["crashes on start", 1],
      ["too slow", 1],
    ] as const) {
      await sendFeedback(server, project, { content, rating });
    }
    await hand.open(server, `/admin/feedbacks?project=${project}`);
    const rows = page.locator("tbody tr");
    await expect(rows).toHaveCount(4);
    const filters = page.getByRole("search");
    if (hand.way.phone) {
      await hand.press(filters.getByRole("button", { name: common.filters }));
    }
    await hand.choose(filters.getByRole("combobox", { name: feedbacks.rating }), feedbacks.stars(1));
    await expect(rows).toHaveCount(3);

    await hand.press(page.getByRole("link", { name: "too slow" }));
    const drawer = page.getByRole("dialog");
    const next = drawer.getByRole("button", { name: common.next, exact: true });
    const previous = drawer.getByRole("button", { name: common.previous, exact: true });
    const reads = (content: string) => expect(drawer.getByText(content).first()).toBeVisible();
    await reads("too slow");
    await hand.shortcut("ArrowDown", next);
    await reads("crashes on start");
    await hand.press(drawer.getByRole("button", { name: feedbacks.forward }));
    await expect(drawer.getByRole("link", { name: feedbacks.issueNumber(1) })).toHaveAttribute("href", `${codehost.url}/acme/app/issues/1`);
    await hand.shortcut("ArrowDown", next);
    await reads("CHEAP WATCHES");
    await hand.menu(drawer.getByRole("button", { name: new RegExp(`^${common.more}`) }), sent.hide);
    await expect(rows).toHaveCount(2);
    await hand.shortcut("ArrowUp", previous);
    await reads("crashes on start");
    await hand.shortcut("ArrowUp", previous);
    await reads("too slow");

    await hand.press(drawer.getByRole("radio", { name: feedbacks.statuses.in_progress }));
    await hand.fill(drawer.getByRole("textbox", { name: feedbacks.result }), "Faster in 2.5.");
    await hand.shortcut("Escape", drawer.getByRole("button", { name: common.close, exact: true }));
    await expect(drawer).toBeHidden();
    await expect
      .poll(() => server.call("GET", `/admin/projects/${project}/feedbacks?include_hidden=true`))
      .toMatchObject({
        data: [
          { content: "too slow", status: "in_progress", result: "Faster in 2.5.", is_hidden: false, codehost_issue_number: null },
          { content: "crashes on start", status: "open", is_hidden: false, codehost_issue_number: 1 },
          { content: expect.stringMatching("CHEAP"), is_hidden: true, codehost_issue_number: null },
          { content: "great", is_hidden: false },
        ],
      });
    expect(codehost.issues).toHaveLength(1);
  });
});

test("feedback: what was written is kept when the next one is opened", async ({ page, server, project }) => {
  await sendFeedback(server, project, { content: "first" });
  await sendFeedback(server, project, { content: "second" });
  await open(page, server, `/admin/feedbacks?project=${project}`);
  await page.getByRole("link", { name: "second" }).click();
  const drawer = page.getByRole("dialog");
  await drawer.getByRole("textbox", { name: "Internal note" }).fill("noted");
  await drawer.getByRole("button", { name: "Next" }).click();
  await expect(drawer.getByText("first").first()).toBeVisible();
  await expect(page.getByText("Note saved")).toBeVisible();
  await expect(drawer.getByRole("textbox", { name: "Internal note" })).toHaveValue("");
  await drawer.getByRole("button", { name: "Previous" }).click();
  await expect(drawer.getByRole("textbox", { name: "Internal note" })).toHaveValue("noted");
});

test("feedback: an inbox that is worked through by keyboard, and remembers what was read", async ({ page, server, project }) => {
  for (const content of ["first", "second", "third"]) {
    await sendFeedback(server, project, { content });
  }
  await open(page, server, `/admin/feedbacks?project=${project}`);
  const unread = page.getByRole("img", { name: "Unread" });
  await expect(unread).toHaveCount(3);
  await page.getByRole("link", { name: "3 waiting" }).click();
  await expect(page).toHaveURL(/status=open/);

  await page.keyboard.press("j");
  await expect(page.getByRole("link", { name: "third" })).toBeFocused();
  await page.keyboard.press("Enter");
  const drawer = page.getByRole("dialog");
  const reply = drawer.getByRole("textbox", { name: "Reply to the sender" });
  await expect(reply).toBeVisible();
  // The drawer takes the focus a moment after it is shown.
  await expect(drawer.locator(":focus")).toHaveCount(1);
  await page.keyboard.press("r");
  await expect(reply).toBeFocused();
  await page.keyboard.type("Fixed in 2.5.");
  await page.keyboard.press("Control+Shift+Enter");
  await expect(page.getByText("2 waiting")).toBeVisible();
  await page.keyboard.press("j");
  await expect(drawer.getByText("second", { exact: true })).toBeVisible();
  await expect(reply).toHaveValue("");
  await page.keyboard.press("s");
  await expect(page.getByText("1 waiting")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.locator("tbody tr")).toHaveCount(1);
  await expect
    .poll(() => server.call("GET", `/admin/projects/${project}/feedbacks`))
    .toMatchObject({
      data: [
        { content: "third", status: "resolved", reply: "Fixed in 2.5.", result: null },
        { content: "second", status: "resolved", reply: null },
        { content: "first", status: "open" },
      ],
    });
  await server.call("PATCH", `/admin/projects/${project}/feedbacks/${await idOf(server, project, "second")}`, { status: "open" });
  await page.reload();
  // Only the unopened one.
  await expect(page.locator("tbody tr")).toHaveCount(2);
  await expect(unread).toHaveCount(1);
});

test("feedback: a reply is a draft until it is sent, and then says what the sender sees", async ({ page, server, project }) => {
  await sendFeedback(server, project, { content: "first" });
  const { id } = await sendFeedback(server, project, { content: "second" });
  const stored = async () => (await server.call<{ reply: string | null }>("GET", `/admin/projects/${project}/feedbacks/${id}`)).reply;
  await open(page, server, `/admin/feedbacks?project=${project}&open=${id}`);
  const drawer = page.getByRole("dialog");
  const reply = drawer.getByRole("textbox", { name: "Reply to the sender" });
  const send = drawer.getByRole("button", { name: "Send", exact: true });
  await expect(send).toBeDisabled();
  await reply.fill("Half a");
  await expect(drawer.getByText("Not sent yet.")).toBeVisible();
  await drawer.getByRole("button", { name: "Next" }).click();
  await expect(drawer.getByText("first", { exact: true })).toBeVisible();
  await expect(reply).toHaveValue("");
  await drawer.getByRole("button", { name: "Previous" }).click();
  await expect(reply).toHaveValue("Half a");
  await page.reload();
  await expect(reply).toHaveValue("Half a");
  await expect(page.locator("tr[data-open]")).toContainText("Draft");
  expect(await stored()).toBeNull();

  await reply.fill("A whole sentence.");
  await page.keyboard.press("ControlOrMeta+Enter");
  await expect(drawer.getByText(/^Sent .*(ago|now)$/)).toBeVisible();
  await expect(reply).toBeHidden();
  await expect(drawer.getByText("A whole sentence.")).toBeVisible();
  expect(await stored()).toBe("A whole sentence.");
  await expect(page.locator("tr[data-open]")).not.toContainText("Draft");

  // What was taken back is a draft again.
  await page.getByRole("button", { name: "Undo" }).click();
  await expect.poll(stored).toBeNull();
  await expect(reply).toHaveValue("A whole sentence.");
  await send.click();
  await expect.poll(stored).toBe("A whole sentence.");

  await page.keyboard.press("r");
  await expect(reply).toBeFocused();
  await reply.fill("Another sentence.");
  await expect(drawer.getByText(/^The sender still sees the reply sent /)).toBeVisible();
  await drawer.getByRole("button", { name: "Discard draft" }).click();
  await expect(drawer.getByText("A whole sentence.")).toBeVisible();
  await drawer.getByRole("button", { name: "Edit reply" }).click();
  await reply.fill("");
  await drawer.getByRole("button", { name: "Remove reply" }).click();
  await expect.poll(stored).toBeNull();
  await expect(reply).toHaveValue("");
});

test.describe("a server that refuses a reply", () => {
  test.use({ expected: [/status of 503/] });

  test("feedback: a reply that could not be sent stays a draft", async ({ page, server, project }) => {
    const { id } = await sendFeedback(server, project, { content: "first" });
    await open(page, server, `/admin/feedbacks?project=${project}&open=${id}`);
    await page.route(`**/feedbacks/${id}`, (route) =>
      route.request().method() === "PATCH"
        ? route.fulfill({
            status: 503,
            contentType: "application/json",
            body: '{"statusCode":503,"message":"the disk is full","error":"Service Unavailable"}',
          })
        : route.fallback(),
    );
    const reply = page.getByRole("textbox", { name: "Reply to the sender" });
    await reply.fill("Fixed.");
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await expect(page.getByRole("alert").filter({ hasText: "The disk is full" })).toBeVisible();
    await expect(reply).toHaveValue("Fixed.");
    await expect(page.getByText("Not sent yet.")).toBeVisible();
  });
});

test("feedback: the drawer shows each thing once, and edits the words of the sender only from the menu", async ({
  page,
  server,
  project,
}) => {
  const { id } = await sendFeedback(server, project, praise);
  await server.call("PATCH", `/admin/projects/${project}/feedbacks/${id}`, { result: "noted", reply: "Thank you." });
  await open(page, server, `/admin/feedbacks?project=${project}&open=${id}`);
  const drawer = page.getByRole("dialog");
  await expect(drawer.getByText("Thank you.", { exact: true })).toBeVisible();
  await expect(drawer.getByText(/^Sent .*(ago|now)$/)).toBeVisible();
  await expect(drawer.getByText("The export is great.")).toHaveCount(1);
  for (const name of ["Content", "Status", "Internal note", "Reply"]) {
    await expect(drawer.locator("dt").filter({ hasText: new RegExp(`^${name}$`) })).toHaveCount(0);
  }
  await expect(drawer.getByRole("button", { name: "Edit", exact: true })).toHaveCount(0);
  await drawer.getByRole("button", { name: /^More actions/ }).click();
  await expect(page.getByRole("menuitem", { name: "Edit" })).toBeVisible();
});

test("feedback: forwarded to the code host from the row and from the drawer, once", async ({ page, codehost, connected: server }) => {
  const project = await forwardingProject(server);
  await sendFeedback(server, project, { content: "first" });
  const { id } = await sendFeedback(server, project, { content: "second" });
  await open(page, server, `/admin/feedbacks?project=${project}`);
  const menu = page.getByRole("button", { name: "More actions: first" });
  await menu.click();
  await page.getByRole("menuitem", { name: "Forward to GitHub" }).click();
  await expect(page.getByText("Forwarded as issue #1")).toBeVisible();
  const row = page.getByRole("row").filter({ hasText: "first" });
  const issue = row.getByRole("link", { name: "Issue #1" });
  await expect(issue).toHaveAttribute("href", `${codehost.url}/acme/app/issues/1`);
  await menu.click();
  await expect(page.getByRole("menuitem", { name: "Edit" })).toBeVisible();
  await expect(page.getByRole("menuitem", { name: /GitHub/ })).toHaveCount(0);
  await page.keyboard.press("Escape");

  await page.getByRole("link", { name: "second" }).click();
  const drawer = page.getByRole("dialog");
  // Another user was faster, but there is only one issue.
  await expect(drawer.getByRole("button", { name: "Forward to GitHub" })).toBeVisible();
  await server.call("POST", `/admin/projects/${project}/feedbacks/${id}/forward`);
  await drawer.getByRole("button", { name: "Forward to GitHub" }).click();
  await expect(drawer.getByRole("link", { name: "Issue #2" })).toBeVisible();
  await expect(drawer.getByRole("button", { name: "Forward to GitHub" })).toHaveCount(0);
  expect(codehost.issues.map(({ body }) => /first|second/.exec(body)?.[0])).toEqual(["first", "second"]);
});

test("feedback: why it cannot be forwarded, and the way to change that", async ({ page, server, project }) => {
  const { id } = await sendFeedback(server, project, praise);
  await open(page, server, `/admin/feedbacks?project=${project}&open=${id}`);
  const drawer = page.getByRole("dialog");
  // The address of the project does not matter, because the switch is off.
  await expect(drawer.getByText("Forwarding is off. Turn it on in")).toBeVisible();
  await server.call("PATCH", `/admin/projects/${project}`, { repo_url: "https://github.com/acme/app" });
  await page.reload();
  await expect(drawer.getByText("Forwarding is off. Turn it on in")).toBeVisible();
  await server.call("PUT", `/admin/projects/${project}/codehost-integration`, { repo_full_name: "acme/app" });
  await drawer.getByRole("link", { name: "GitHub integration" }).click();
  await expect(page.getByRole("textbox", { name: "Repository" })).toHaveValue("acme/app");
  await page.goBack();
  await expect(drawer).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(drawer).toBeHidden();
  await page.getByRole("button", { name: /^More actions: The export/ }).click();
  await page.getByRole("menuitem", { name: "Set up forwarding to GitHub" }).click();
  await expect(page.getByRole("textbox", { name: "Repository" })).toHaveValue("acme/app");
});

test.describe("a code host that fails", () => {
  test.use({ expected: [/status of 503/] });

  test("feedback: what failed to be forwarded says so, and is tried again", async ({ page, codehost, connected: server }) => {
    const project = await forwardingProject(server);
    await sendFeedback(server, project, praise);
    codehost.failing = 1;
    await open(page, server, `/admin/feedbacks?project=${project}`);
    await page.getByRole("button", { name: /^More actions: The export/ }).click();
    await page.getByRole("menuitem", { name: "Forward to GitHub" }).click();
    const notice = page.getByRole("alert").filter({ hasText: "the feedback was not forwarded; try again later" });
    await notice.getByRole("button", { name: "Retry" }).click();
    await expect(page.getByRole("link", { name: "Issue #1" })).toBeVisible();
    await expect(notice).toBeHidden();
    expect(codehost.issues).toHaveLength(1);
  });
});

test.describe("two tabs", () => {
  test.use({ expected: [/status of 412/] });

  test("feedback: who saves second is told, and loads the other change or saves over it", async ({ page, server, project, context }) => {
    await sendFeedback(server, project, { content: "dark" });
    await open(page, server, `/admin/feedbacks?project=${project}`);
    await page.getByRole("link", { name: "dark" }).focus();
    await page.keyboard.press("e");
    const dialog = page.getByRole("dialog");
    const result = dialog.getByRole("textbox", { name: "Internal note" });
    await expect(result).toHaveValue("");

    const other = await context.newPage();
    await open(other, server, `/admin/feedbacks?project=${project}`);
    await other.getByRole("link", { name: "dark" }).focus();
    await other.keyboard.press("e");
    await other.getByRole("dialog").getByRole("textbox", { name: "Internal note" }).fill("Other");
    await other.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    await expect(other.getByRole("dialog")).toBeHidden();
    await other.close();

    await result.fill("Mine");
    await dialog.getByRole("button", { name: "Save", exact: true }).click();
    await expect(dialog.getByText("This record was changed elsewhere")).toBeVisible();
    await expect(result).toHaveValue("Mine");
    await dialog.getByRole("button", { name: "Load the other change" }).click();
    await expect(result).toHaveValue("Other");
    await result.fill("Both");
    await dialog.getByRole("button", { name: "Save", exact: true }).click();
    await expect(dialog).toBeHidden();
    await expect.poll(() => server.call("GET", `/admin/projects/${project}/feedbacks`)).toMatchObject({ data: [{ result: "Both" }] });
  });
});

test("the page of feedback is accessible: list, menus, drawer, dialogs", async ({ page, server, project }) => {
  const { feedbacks, common } = zh;
  const { id } = await sendFeedback(server, project, praise);
  await open(page, server, `/admin/feedbacks?project=${project}`, { language: "zh" });
  await expect(page.locator("tbody tr")).toHaveCount(1);
  await expectAccessible(page);
  await expectEachAccessible(page, [
    page.getByRole("button", { name: common.columns }),
    page.getByRole("search").getByRole("combobox", { name: feedbacks.rating }),
    page.getByRole("button", { name: new RegExp(`^${common.more}`) }),
    "help=1",
    `open=${id}`,
    "new=1",
    `edit=${id}`,
    `delete=${id}`,
  ]);
});

test("feedback on a phone: read and answer", async ({ page, server, project }) => {
  const { id } = await sendFeedback(server, project, praise);
  await open(page, server, `/admin/feedbacks?project=${project}`, { phone: true });
  await page.getByRole("link", { name: "The export is great." }).click();
  await page.getByRole("dialog").getByText("Resolved", { exact: true }).click();
  await expect
    .poll(async () => (await server.call<{ status: string }>("GET", `/admin/projects/${project}/feedbacks/${id}`)).status)
    .toBe("resolved");
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(375);
});
