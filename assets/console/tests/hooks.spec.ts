// Hooks: created, tested against a receiver on this machine, rotated, switched, and their deliveries.

import { createServer, type Server as HttpServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { en } from "../src/texts/en";
import { zh } from "../src/texts/zh";
import { expect, expectAccessible, expectStill, open, settled, test, watchMoves } from "./fixtures";
import { expectToFit } from "./walk";

interface Received {
  headers: IncomingHttpHeaders;
  body: { type: string; data: Record<string, unknown> };
}

/** A receiver that answers with `status` and "thanks". */
class Receiver {
  status = 200;
  readonly received: Received[] = [];

  private constructor(private readonly http: HttpServer) {}

  static async start(): Promise<Receiver> {
    const http = createServer();
    const receiver = new Receiver(http);
    http.on("request", async (request, response) => {
      let body = "";
      for await (const chunk of request) {
        body += chunk;
      }
      receiver.received.push({ headers: request.headers, body: JSON.parse(body) });
      response.writeHead(receiver.status).end("thanks");
    });
    await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.http.address() as AddressInfo).port}/in`;
  }

  async stop(): Promise<void> {
    this.http.closeAllConnections();
    await new Promise((resolve) => this.http.close(resolve));
  }
}

let receiver: Receiver;

test.beforeEach(async () => {
  receiver = await Receiver.start();
});

test.afterEach(() => receiver.stop());

const { hooks: texts, common } = en;

test("a webhook: created with a secret shown once, tested, changed, rotated, switched off and deleted", async ({
  page,
  server,
  project,
}) => {
  await open(page, server, `/admin/projects/hooks?project=${project}`);
  await expect(page.getByText(texts.none)).toBeVisible();
  await expectAccessible(page);

  await page.getByRole("button", { name: texts.add }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: common.save }).click();
  await expect(dialog.getByText(texts.form.nameNeeded)).toBeVisible();
  await expect(dialog.getByText(texts.form.urlNeeded)).toBeVisible();
  await dialog.getByRole("textbox", { name: texts.form.name, exact: true }).fill("CI");
  await dialog.getByRole("textbox", { name: texts.form.url, exact: true }).fill(receiver.url);
  await dialog.getByRole("textbox", { name: texts.form.authorization }).fill("Bearer sesame");
  await expectAccessible(page);
  await dialog.getByRole("button", { name: common.save }).click();
  const secret = dialog.getByRole("textbox", { name: texts.shown.key });
  await expect(secret).toHaveValue(/^whsec_/);
  const first = await secret.inputValue();
  await expectAccessible(page);
  await dialog.getByRole("button", { name: texts.shown.done }).click();
  await expect(dialog).toBeHidden();

  const card = page.getByRole("article", { name: "CI" });
  await expect(card.getByText(receiver.url)).toBeVisible();
  await expect(card.getByText(texts.form.everything)).toBeVisible();
  await expect(card.getByText(texts.last.never)).toBeVisible();
  expect(await page.content()).not.toContain(first);

  await card.getByRole("button", { name: texts.test.button, exact: true }).click();
  await expect(dialog.getByText(/^The receiver accepted the event: status 200 after [\d,]+ ms\.$/)).toBeVisible();
  await expect(dialog.getByText("thanks")).toBeVisible();
  expect(receiver.received.map(({ body }) => body.type)).toEqual(["hook.test"]);
  expect(receiver.received[0]!.headers["authorization"]).toBe("Bearer sesame");
  expect(receiver.received[0]!.headers["webhook-signature"]).toMatch(/^v1,\S+$/);
  await expectAccessible(page);
  receiver.status = 503;
  await dialog.getByRole("button", { name: texts.test.again }).click();
  await expect(dialog.getByText(/^The receiver did not accept the event: status 503/)).toBeVisible();
  await dialog.getByRole("button", { name: common.close }).last().click();
  await expect(dialog).toBeHidden();

  await card.getByRole("button", { name: common.more }).click();
  await page.getByRole("menuitem", { name: common.edit }).click();
  await expect(dialog.getByRole("textbox", { name: texts.form.authorization })).toHaveAttribute("placeholder", /•/);
  await dialog.getByRole("combobox", { name: texts.form.events }).click();
  await page.getByRole("option", { name: "rollout.*", exact: true }).click();
  await page.getByRole("option", { name: texts.form.everything }).click();
  await dialog.getByRole("textbox", { name: texts.form.name, exact: true }).click();
  await dialog.getByRole("button", { name: common.save }).click();
  await expect(card.getByText("rollout.*")).toBeVisible();
  await expect(card.getByText(texts.form.everything)).toBeHidden();

  await card.getByRole("button", { name: texts.rotate }).click();
  await expectAccessible(page);
  await dialog.getByRole("button", { name: texts.rotate }).click();
  await expect(secret).toHaveValue(/^whsec_/);
  expect(await secret.inputValue()).not.toBe(first);
  await expect(dialog.getByText(/requests are also signed with the previous secret/)).toBeVisible();
  await dialog.getByRole("button", { name: texts.shown.done }).click();
  await card.getByRole("button", { name: texts.test.button, exact: true }).click();
  await expect.poll(() => receiver.received.at(-1)!.headers["webhook-signature"]).toMatch(/^v1,\S+ v1,\S+$/);
  await dialog.getByRole("button", { name: common.close }).last().click();

  await card.getByRole("button", { name: texts.switchOff }).click();
  await expect(card.getByText(texts.states["off"]!, { exact: true })).toBeVisible();
  await card.getByRole("button", { name: texts.switchOn }).click();
  await expect(card.getByText(texts.states["on"]!, { exact: true })).toBeVisible();

  await card.getByRole("button", { name: common.more }).click();
  await page.getByRole("menuitem", { name: common.delete }).click();
  await expect(dialog.getByText(texts.deletion)).toBeVisible();
  await dialog.getByRole("button", { name: common.delete }).click();
  await expect(card).toBeHidden();
});

test("the projects page leads to the hooks of a project", async ({ page, server, project }) => {
  await open(page, server, `/admin/projects?project=${project}&q=${project}`);
  await page.getByRole("main").getByRole("button", { name: common.more }).last().click();
  await page.getByRole("menuitem", { name: en.projects.actions.hooks }).click();
  await expect(page).toHaveURL(`${server.url}/admin/projects/hooks?project=${project}`);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(texts.title);
});

test("a hook without deliveries says so, and leads back", async ({ page, server, project }) => {
  await server.call("POST", `/admin/projects/${project}/hooks`, { kind: "webhook", name: "CI", url: receiver.url });
  await open(page, server, `/admin/projects/hooks?project=${project}`);
  await page.getByRole("article", { name: "CI" }).getByRole("link", { name: texts.deliveries.title }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(texts.deliveries.title);
  await expect(page.getByText(texts.deliveries.none)).toBeVisible();
  await expect(page.getByRole("main").getByText("CI", { exact: true })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("main").getByRole("link", { name: texts.title, exact: true }).click();
  await expect(page.getByRole("article", { name: "CI" })).toBeVisible();
});

test("deliveries: state, filter, payload, and sent again", async ({ page, server, project }) => {
  const at = `/admin/projects/${project}/hooks`;
  await server.call("POST", at, { kind: "webhook", name: "CI", url: receiver.url, events: ["announcement.*"] });
  await server.call("POST", `/admin/projects/${project}/announcements`, { title: "Maintenance", content: "On Sunday." });
  await expect.poll(() => receiver.received.length).toBe(1);
  await open(page, server, `/admin/projects/hooks?project=${project}`);
  const card = page.getByRole("article", { name: "CI" });
  await expect(card.getByText(/^Last attempt .*: status 200\.$/)).toBeVisible();
  await card.getByRole("link", { name: texts.deliveries.title }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(texts.deliveries.title);
  const record = page.getByRole("link", { name: "announcement.published" });
  await expect(record).toBeVisible();
  await expect(page.getByRole("table").getByText(texts.deliveries.states["delivered"]!, { exact: true })).toBeVisible();
  await expectAccessible(page);
  await record.click();
  const drawer = page.getByRole("dialog", { name: "announcement.published" });
  await expect(drawer.getByText("Maintenance")).toBeVisible();
  await expect(drawer.getByText("thanks")).toBeVisible();
  await expectAccessible(page);
  const { id } = (await server.call<{ data: { id: string }[] }>("GET", `${at}/${new URL(page.url()).searchParams.get("hook")}/deliveries`))
    .data[0]!;
  await drawer.getByRole("button", { name: texts.deliveries.again }).click();
  await expect.poll(() => receiver.received.map(({ headers }) => headers["webhook-id"])).toEqual([id, id]);
  await page.goto(`${page.url().replace(/&open=[^&]*/, "")}&state=dead`);
  await expect(page.getByText(common.nothingMatches)).toBeVisible();
});

test.describe("input that the server refuses", () => {
  test.use({ expected: [/status of 400/] });

  test("is shown at its field: e-mail without a mail server, an unknown recipient", async ({ page, own }) => {
    await open(page, own, "/admin/settings/hooks?new=1");
    const dialog = page.getByRole("dialog");
    await dialog
      .getByRole("combobox", { name: texts.form.kind })
      .or(dialog.getByRole("textbox", { name: texts.form.kind }))
      .click();
    await page.getByRole("option", { name: texts.kinds["email"]! }).click();
    await dialog.getByRole("textbox", { name: texts.form.name, exact: true }).fill("Team");
    const recipients = dialog.getByRole("combobox", { name: texts.form.to });
    await recipients.fill("nobody");
    await recipients.press("Enter");
    await dialog.getByRole("button", { name: common.save }).click();
    await expect(dialog.getByText(/^to\[0\] must be/)).toBeVisible();
    await recipients.press("Backspace");
    await recipients.fill("team@example.com");
    await recipients.press("Enter");
    await dialog.getByRole("button", { name: common.save }).click();
    await expect(dialog.getByText(/email needs a mail server/)).toBeVisible();
  });
});

test("hooks of the instance have its events; the address of a chat is not shown again", async ({ page, own }) => {
  await own.call("POST", "/admin/hooks", { kind: "discord", name: "Chat", url: "https://discord.example/api/webhooks/1/very-secret" });
  const moves = await watchMoves(page);
  await open(page, own, "/admin/settings/hooks");
  const card = page.getByRole("article", { name: "Chat" });
  await expect(card.getByText(/discord\.example\/api\/webhooks\//)).toBeVisible();
  expect(await page.content()).not.toContain("very-secret");
  await expect(card.getByRole("button", { name: texts.rotate })).toBeHidden();
  await settled(page);
  expectStill(moves);
  await card.getByRole("button", { name: common.more }).click();
  await page.getByRole("menuitem", { name: common.edit }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("combobox", { name: texts.form.events }).click();
  await page.getByRole("option", { name: "instance.backup_failed" }).click();
  await dialog.getByRole("textbox", { name: texts.form.name, exact: true }).fill("Team chat");
  await dialog.getByRole("button", { name: common.save }).click();
  await expect(page.getByRole("article", { name: "Team chat" })).toBeVisible();
});

test("in Chinese, on a phone: nothing is cut off", async ({ page, server, project }) => {
  const at = `/admin/projects/${project}/hooks`;
  await server.call("POST", at, { kind: "ntfy", name: "Phone", url: receiver.url, events: ["version.*", "rollout.held"] });
  await open(page, server, `/admin/projects/hooks?project=${project}`, { language: "zh", theme: "dark", phone: true });
  await expect(page.getByText(zh.hooks.kinds["ntfy"]!, { exact: true })).toBeVisible();
  await expectToFit(page);
  await expectAccessible(page);
  await page.getByRole("button", { name: zh.hooks.add }).click();
  await expect(page.getByRole("dialog").getByText(zh.hooks.form.eventsHint)).toBeVisible();
  await expectToFit(page);
  await expectAccessible(page);
});
