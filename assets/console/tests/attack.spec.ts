// Input of visitors and other users is text, and rendered Markdown has no active content: attack strings go through
// every field, and no element may come of them. The fixture watches the policy of the page, other origins and errors.

import type { Page } from "@playwright/test";
import { expect, goTo, open, settled, test, windowFor } from "./fixtures";

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

/** Elements that only the attack strings could have created; there must be none. */
function liveElements(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found = [
      ...document.querySelectorAll(
        "main iframe, main object, main embed, main base, main form[action], main img, main math, [role=dialog] iframe, [role=dialog] img:not(.cm-widgetBuffer), [role=dialog] math, script:not([src^='/console/']):not([type]), a[href^='javascript:' i], a[href^='data:' i]",
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
    await page.setViewportSize(kind === "logs" ? windowFor(10, 116) : windowFor(16));
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
  await server.call("POST", "/admin/projects", { project_key: "app", name: corpus[0], author: corpus[1], repo_url: corpus[6] });
  for (const address of ["javascript:window.attacked=1", "data:text/html,<script>window.attacked=1</script>"]) {
    await expect(server.call("PATCH", path, { website_url: address })).rejects.toThrow("400");
  }
  for (const [index, text] of corpus.entries()) {
    await server.call("POST", `${path}/versions`, {
      version: `1.${index}`,
      comparable_version: `1.${index}`,
      title: text,
      ...(index % 2 ? { download_links: [{ url: `https://downloads.example/${index}`, name: text }] } : { download_url: text }),
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
  // A version that bears the name of an attack: the public page lists it in its form, and says it as the answer.
  await server.call("POST", `${path}/versions`, { version: corpus[0], comparable_version: "0.9" });
  const since = `/projects/app?since=${encodeURIComponent(corpus[0]!)}`;
  for (const address of ["/admin", "/admin/projects?open=app", "/admin/events?project=app", "/projects/app", since, "/"]) {
    await page.goto(server.url + address);
    await settled(page);
    await expect(page.locator("main")).toBeVisible();
    expect(await liveElements(page)).toEqual([]);
  }
});

// Markdown of administrators may show pictures of other hosts, because they have chosen them.
const inMarkdown = corpus.filter((text) => !text.includes("pixel.png"));

/** Elements that Markdown must never create. */
function liveMarkdown(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found = [
      ...document.querySelectorAll(
        "main iframe, main object, main embed, main base, main form:not(.since), main .prose form, main form ~ form, main math, main style, main input[autofocus], main script, dialog script, dialog iframe, dialog style, dialog form:not([method=dialog]), [role=dialog] iframe, [role=dialog] math, [role=dialog] script, a[href^='javascript:' i], a[href^='data:' i], img[src^='javascript:' i]",
      ),
      ...[...document.querySelectorAll("main *, dialog *, [role=dialog] *")].filter((element) =>
        element.getAttributeNames().some((name) => name.startsWith("on")),
      ),
    ].map((element) => element.outerHTML.slice(0, 200));
    return "attacked" in window ? ["attacked", ...found] : found;
  });
}

test.describe("pictures that are nowhere", () => {
  test.use({ expected: [/status of 404/] });

  test("attack strings in Markdown make nothing live, on the public page, in the drawer and in the preview", async ({
    page,
    own: server,
  }) => {
    const path = "/admin/projects/app";
    await server.call("POST", "/admin/projects", { project_key: "app", name: "App", description: inMarkdown.join("\n\n") });
    const publish = async (text: string, index: number) => {
      const content = `Before\n\n${text}\n\nand ${text} inside`;
      await server.call("POST", `${path}/versions`, { version: `1.${index}`, comparable_version: `1.${index}`, content });
      await server.call("POST", `${path}/announcements`, { title: `Title ${index}`, content });
    };
    await Promise.all(inMarkdown.map(publish));
    const all = await server.call<{ id: string }>("POST", `${path}/announcements`, { title: "All", content: inMarkdown.join("\n\n") });
    await page.goto(`${server.url}/projects/app`);
    await settled(page);
    expect(await page.getByText("inside").count()).toBeGreaterThan(inMarkdown.length);
    expect(await liveMarkdown(page)).toEqual([]);

    await open(page, server, `/admin/announcements?project=app&open=${all.id}`);
    await expect(page.getByRole("dialog").getByText("constructor.constructor").first()).toBeVisible();
    await settled(page);
    expect(await liveMarkdown(page)).toEqual([]);
    await goTo(page, `/admin/announcements?project=app&edit=${all.id}`);
    await page.getByRole("dialog").getByText("Preview", { exact: true }).click();
    await expect(page.getByRole("region", { name: "Content, preview" })).toContainText("constructor.constructor");
    await settled(page);
    expect(await liveMarkdown(page)).toEqual([]);
  });

  test("attack strings in the notes of releases make nothing live when they are imported", async ({
    page,
    codehost,
    connected: server,
  }) => {
    await server.call("POST", "/admin/projects", { project_key: "app", name: "App", repo_url: `${codehost.url}/acme/app` });
    codehost.releases.push({
      tag_name: "v2.0.0",
      name: corpus[0]!,
      body: inMarkdown.join("\n\n"),
      assets: [{ name: corpus[1]!, browser_download_url: "javascript:window.attacked=1" }],
    });
    expect(await server.call("POST", "/admin/projects/app/versions/codehost-release-import")).toMatchObject({ imported: 1 });
    const { data } = await server.call<{ data: { id: string }[] }>("GET", "/admin/projects/app/versions");
    await open(page, server, `/admin/versions?project=app&open=${data[0]!.id}`);
    await expect(page.getByRole("dialog").getByText("constructor.constructor").first()).toBeVisible();
    await settled(page);
    expect(await liveMarkdown(page)).toEqual([]);
    await page.goto(`${server.url}/projects/app`);
    await settled(page);
    expect(await liveMarkdown(page)).toEqual([]);
  });
});

test("attack strings stay text in names of files, cards, properties and languages, and in what the palette finds", async ({
  page,
  own: server,
}) => {
  const path = "/admin/projects/app";
  await server.call("POST", "/admin/projects", { project_key: "app", name: "App" });
  const token = await server.login();
  const events = corpus.map((text, index) => ({
    event_id: String(index),
    name: "open",
    properties: { text: text.slice(0, 256), [text.slice(0, 32)]: 1 },
  }));
  await server.call("POST", "/public/app/events", { distinct_id: "somebody", events }, "");
  const make = async (text: string, index: number) => {
    const headers = { authorization: `Bearer ${token}` };
    const address = `${server.url}/api/v1${path}/files?filename=${encodeURIComponent(text)}`;
    // Names with a slash or a control character are refused.
    expect([201, 400]).toContain((await fetch(address, { method: "PUT", headers, body: text })).status);
    await server.call("POST", `${path}/locales`, { locale: `en-x-a${index}`, label: text.slice(0, 64) });
    await server.call("POST", `${path}/logs`, { level: 1, content: `findme ${text}` });
    if (index < 4) {
      const query = { type: "breakdown", events: [{ name: "open", alias: "A" }], group_by: { kind: "property", key: "text" } };
      await server.call("POST", `${path}/events/dashboards/cards`, { title: text, description: text, query });
    }
  };
  await Promise.all(corpus.map(make));
  // Names of events allow only certain characters.
  const named = corpus.map((name, index) => ({ event_id: `n${index}`, name }));
  expect(await server.call("POST", "/public/app/events", { distinct_id: "somebody", events: named }, "")).toMatchObject({ accepted: 0 });
  await open(page, server, "/admin/files?project=app");
  const look = async (address: string, shown: string) => {
    await goTo(page, address);
    await expect(page.getByText(shown, { exact: false }).first()).toBeVisible();
    await settled(page);
    expect(await liveElements(page)).toEqual([]);
  };
  let names = "";
  for (const part of [1, 2, 3]) {
    await look(`/admin/files?project=app&page=${part}`, "Ready");
    names += await page.locator("tbody").textContent();
  }
  expect(names).toContain("=HYPERLINK");
  await look("/admin/events/dashboard?project=app", corpus[0]!);
  await look("/admin/projects?project=app&edit=app", corpus[0]!);
  await goTo(page, "/admin/about");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await page.keyboard.press("Control+k");
  await page.getByRole("dialog").getByRole("combobox").fill("findme");
  await expect(page.getByRole("option").filter({ hasText: "findme" })).toHaveCount(10);
  expect(await liveElements(page)).toEqual([]);
});

test("addresses of projects are refused or lead nowhere else than they say", async ({ page, own: server }) => {
  await server.call("POST", "/admin/projects", { project_key: "app", name: "App" });
  for (const field of ["repo_url", "icon_url", "docs_url", "author_homepage_url"]) {
    const refused = corpus
      .filter((text) => !text.startsWith("https://"))
      .map((text) => {
        const answer = server.call("PATCH", "/admin/projects/app", { [field]: text });
        // A repository is a name in an address, or plain text.
        return field === "repo_url" ? answer.catch(() => undefined) : expect(answer, `${field}: ${text}`).rejects.toThrow("400");
      });
    await Promise.all(refused);
    if (field !== "repo_url") {
      await server.call("PATCH", "/admin/projects/app", { [field]: null });
    }
  }
  const quoted = 'https://127.0.0.1:1/" onclick="window.attacked=1';
  await server.call("PATCH", "/admin/projects/app", { repo_url: quoted }).catch(() => undefined);
  await expect(server.call("PATCH", "/admin/projects/app", { project_key: corpus[0] })).rejects.toThrow("400");
  await open(page, server, "/admin/projects?project=app&open=app");
  await settled(page);
  expect(await liveElements(page)).toEqual([]);
  await page.goto(`${server.url}/projects/app`);
  expect(await liveElements(page)).toEqual([]);
});
