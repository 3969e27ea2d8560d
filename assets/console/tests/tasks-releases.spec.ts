// Questions about releases and their users, each answered in at most five actions from the first
// page of the project.

import { Counted } from "./counted";
import { expect, expectAccessible, goTo, inEachWay, open, test } from "./fixtures";
import { keyboard, phone, pointer } from "./hand";

interface Usage {
  required: number;
  latest: { id: string; version: string };
  data: { version: string; decision: string; target: string }[];
}

const usagePath = "/admin/projects/quillmere/versions/usage";

inEachWay([pointer, keyboard, phone], () => {
  test("who must update, and to what", async ({ page, hand, demo }) => {
    test.slow();
    const { usage: texts } = hand.t.versions;
    const usage = await demo.call<Usage>("GET", usagePath);
    expect(usage.required).toBeGreaterThan(0);
    await hand.open(demo, "/admin?project=quillmere");
    const counted = new Counted(hand);
    await counted.go("versions");
    const number = new Intl.NumberFormat(hand.way.language === "zh" ? "zh-Hans-CN" : "en-GB").format(usage.required);
    await counted.press(page.getByRole("button", { name: texts.required(number), exact: true }));
    const table = page.getByRole("dialog", { name: texts.title });
    const lines = usage.data.filter(({ decision }) => decision === "required");
    await expect(table.locator("tbody tr")).toHaveCount(lines.length);
    await expect(table.locator("tbody tr").first()).toContainText(lines[0]!.version);
    await expect(table.locator("tbody tr").first()).toContainText(texts.told.required(lines[0]!.target));
    counted.expectFew();
  });

  test("did 4.3.1 arrive", async ({ page, hand, demo }) => {
    test.slow();
    const { release: texts } = hand.t.versions;
    const { latest } = await demo.call<Usage>("GET", usagePath);
    expect(latest.version).toBe("4.3.1");
    await hand.open(demo, "/admin?project=quillmere");
    const counted = new Counted(hand);
    await counted.go("versions");
    await counted.press(page.getByRole("group", { name: hand.t.versions.usage.title }).getByRole("link"));
    await expect(page.getByRole("heading", { level: 1, name: texts.title("4.3.1") })).toBeVisible();
    await expect(page.getByRole("status").filter({ hasText: "4.3.1" })).toHaveText(/\d+\s?%.*4\.3\.1/);
    await expect(page.locator('[data-figure="release-adoption"] [data-drawn]')).toBeVisible();
    await expect(page.locator('[data-figure="release-behind"] li').first()).toHaveText(/\d/);
    await expect(page.getByRole("region", { name: texts.comparison }).getByRole("row")).toHaveCount(7);
    counted.expectFew();
  });

  test("where do people drop off", async ({ page, hand, demo }) => {
    test.slow();
    const { events, charts } = hand.t;
    await hand.open(demo, "/admin?project=quillmere");
    const counted = new Counted(hand);
    await counted.go("events");
    await counted.press(page.getByRole("main").getByRole("link", { name: events.pages.funnel, exact: true }));
    await counted.choose(page.getByRole("combobox", { name: events.funnel.step(1) }), /app_opened/);
    await counted.choose(page.getByRole("combobox", { name: events.funnel.step(2) }), /document_exported/);
    const result = page.locator('[data-figure="result"]');
    await expect(result.locator("[data-drawn]")).toBeVisible();
    await expect(result).toContainText(charts.funnelDropped);
    await expect(result.locator("strong")).toHaveText(/\d+(\.\d)?\s?%/);
    counted.expectFew();
  });
});

test("a release is beside its predecessor, which one press opens, and it is accessible", async ({ page, demo }) => {
  await open(page, demo, "/admin/versions?project=quillmere");
  await page.getByRole("button", { name: "More actions: 4.3.1", exact: true }).click();
  await page.getByRole("menuitem", { name: "Did it arrive?" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Release 4.3.1");
  const comparison = page.getByRole("region", { name: "Beside its predecessor" });
  await expect(comparison.getByRole("row", { name: /^Error logs/ })).toContainText(/\d → [\d,]+/);
  await expectAccessible(page);
  const predecessor = comparison.getByRole("columnheader").last();
  const name = (await predecessor.textContent())!;
  await predecessor.getByRole("link").click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(`Release ${name}`);
  await page.goBack();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Release 4.3.1");
});

test("Today, Versions and the page of a release say the same share", async ({ page, demo }) => {
  const { latest } = await demo.call<{ latest: { version: string; share: number } }>("GET", usagePath);
  const share = `${Math.round(latest.share * 100)}%`;
  await open(page, demo, "/admin?project=quillmere");
  await expect(page.getByRole("listitem").filter({ hasText: `came from ${latest.version}` })).toContainText(share);
  await goTo(page, "/admin/versions?project=quillmere");
  await expect(page.getByRole("main")).toContainText(`${share} on ${latest.version}`);
  await goTo(page, "/admin/versions/release?project=quillmere");
  await expect(page.getByText(`${share} are on ${latest.version}, `)).toBeVisible();
});

test("without a version the page of a release says so", async ({ page, server, project }) => {
  await open(page, server, `/admin/versions/release?project=${project}`);
  await expect(page.getByText("There is no version yet.")).toBeVisible();
  await goTo(page, `/admin/versions?project=${project}`);
  await expect(page.getByText("No update check in the last seven days.")).toBeVisible();
});

test("without update checks the page of a release does not claim that apps have updated", async ({ page, server, project }) => {
  await server.call("PUT", `/admin/projects/${project}/versions/by-version/1.0.0`, { title: "First" });
  await open(page, server, `/admin/versions/release?project=${project}`);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Release 1.0.0");
  await expect(page.getByRole("status").filter({ hasText: "No update checks in the last 24 hours." })).toBeVisible();
  await expect(page.locator('[data-figure="release-behind"]')).toContainText("No update checks in the last 24 hours.");
  await expect(page.getByText("Nobody is behind.")).toHaveCount(0);
});

test("nobody is behind a version that is offered to nobody", async ({ page, demo }) => {
  const { data } = await demo.call<{ data: { id: string; version: string; is_deprecated: boolean }[] }>(
    "GET",
    "/admin/projects/quillmere/versions?limit=100",
  );
  const { id, is_deprecated } = data.find(({ version }) => version === "4.3.0")!;
  expect(is_deprecated).toBe(true);
  await open(page, demo, `/admin/versions/release?project=quillmere&release=${id}`);
  await expect(page.locator('[data-figure="release-behind"]')).toContainText("It is offered to nobody, so nobody is behind.");
  const row = page.getByRole("region", { name: "Beside its predecessor" }).getByRole("row", { name: /^Update checks still behind/ });
  await expect(row.getByRole("cell")).toHaveText(["–", /^[\d,]+$/]);
});

test("a release fits on a phone", async ({ page, demo }) => {
  await open(page, demo, "/admin/versions/release?project=quillmere", { phone: true });
  await expect(page.locator('[data-figure="release-adoption"] [data-drawn]')).toBeVisible();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(375);
});
