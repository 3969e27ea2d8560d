// The page Statistics: required content and actions.

import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { zh } from "../src/texts/zh";
import { expect, expectAccessible, expectEachAccessible, expectStill, inEachWay, open, settled, test, watchMoves } from "./fixtures";
import { Hand, keyboard, phone, pointer } from "./hand";

const path = "/admin/analytics?project=quillmere";

/** Scrolls each part into view that has not asked for its data yet. */
async function showAll(page: Page): Promise<void> {
  await expect(page.locator('[data-figure="adoption"], main h2').first()).toBeVisible();
  await page.evaluate(async () => {
    for (let later = document.querySelector("[data-later]"); later; later = document.querySelector("[data-later]")) {
      later.scrollIntoView();
      await new Promise(requestAnimationFrame);
    }
  });
}

test("Statistics shows all its figures, and is accessible", async ({ page, demo }) => {
  const { statistics, charts } = zh;
  await open(page, demo, `${path}&range=30d`, { language: "zh" });
  const { devices, requests, checks, announcements, topVersion, errors, rating } = statistics;
  await showAll(page);
  for (const name of [devices, requests, checks, announcements, topVersion, errors, rating]) {
    await expect(page.getByRole("region", { name, exact: true })).toHaveText(/\d/);
  }
  const drawn = ["trend", "platforms", "map", "adoption", "week", "calendar"];
  for (const id of drawn) {
    await expect(page.locator(`[data-figure="${id}"] [data-drawn]`)).toHaveAttribute("aria-label", /\d/);
  }
  for (const id of ["origins", "client-versions", "system-versions", "endpoints"]) {
    await expect(page.locator(`[data-figure="${id}"] li`).first()).toHaveText(/\d/);
  }
  await expect(page.locator('[data-figure="levels"] li')).toHaveCount(4);
  await expect(page.locator('[data-figure="ratings"] li')).toHaveCount(5);
  await expectAccessible(page);
  await expectEachAccessible(page, [
    page.getByRole("button", { name: charts.definition(requests), exact: true }),
    page.getByRole("button", { name: charts.download(statistics.trend) }),
  ]);
});

test("Statistics compares each figure with the time before, and draws its curve", async ({ page, demo }) => {
  const tile = (name: string) => page.getByRole("region", { name, exact: true });
  await open(page, demo, `${path}&range=30d`);
  await showAll(page);
  for (const name of ["Requests", "Update checks", "Announcement requests", "Error logs"]) {
    await expect(tile(name)).toContainText(/[▲▼] .*\d%|unchanged/);
    await expect(tile(name).locator("svg path").first()).toBeAttached();
  }
});

test("Statistics says that a figure is new when there was nothing before", async ({ page, server, project }) => {
  await server.call("POST", `/admin/projects/${project}/logs`, { level: 3, content: "the first" });
  await open(page, server, `/admin/analytics?project=${project}`);
  await showAll(page);
  await expect(page.getByRole("region", { name: "Error logs", exact: true })).toContainText("new");
});

test("the heading names the range of what is shown until there is an answer about another one", async ({ page, demo }) => {
  await open(page, demo, `${path}&range=30d`);
  await expect(page.locator('[data-figure="trend"] [data-drawn]')).toBeVisible();
  const heading = page.locator("main h1 + div p");
  const before = await heading.textContent();
  let answer = () => {};
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route("**/stats/**", async (route) => {
    await held;
    await route.continue();
  });
  const asked = page.waitForRequest(/stats\/requests\/timeseries/);
  await page.getByText("90 d", { exact: true }).click();
  await expect(page).toHaveURL(/range=90d/);
  await asked;
  await expect(page.getByRole("radio", { name: "90 d" })).toBeChecked();
  expect(await heading.textContent()).toBe(before);
  answer();
  await expect(heading).not.toHaveText(before!);
});

test("the curve of the rating has gaps where nobody rated", async ({ page, server, project }) => {
  await fetch(`${server.url}/api/v1/public/${project}/feedbacks`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ content: "Good", rating: 5 }),
  });
  await open(page, server, `/admin/analytics?project=${project}&range=30d`);
  await showAll(page);
  const tile = page.getByRole("region", { name: "Average rating", exact: true });
  await expect(tile).toContainText("5");
  // Only the last part has a value: a dot at the end without a line.
  await expect(tile.locator("svg").last().locator("path")).toHaveCount(1);
});

test("a bar is as long as the percent beside it, and ends before the numbers", async ({ page, demo }) => {
  await open(page, demo, `${path}&range=30d`);
  await showAll(page);
  for (const id of ["levels", "origins", "endpoints"]) {
    const rows = page.locator(`[data-figure="${id}"] li`);
    await expect(rows.first()).toHaveText(/%/);
    const bars = await rows.evaluateAll((rows) =>
      rows.map((row) => {
        const bar = row.querySelector<HTMLElement>("[style*=width]")!;
        const [end, track] = [bar.getBoundingClientRect(), bar.parentElement!.getBoundingClientRect()];
        const texts = [...row.querySelectorAll("span")].slice(-2);
        return {
          share: Number.parseFloat(texts[1]!.textContent!) / 100,
          length: end.width / track.width,
          room: texts[0]!.getBoundingClientRect().left - end.right,
        };
      }),
    );
    for (const { share, length, room } of bars) {
      expect(Math.abs(length - share)).toBeLessThan(0.02);
      expect(room).toBeGreaterThanOrEqual(0);
    }
  }
});

test("Statistics fits on a phone, and the page does not scroll sideways", async ({ page, demo }) => {
  await open(page, demo, path, { phone: true });
  await expect(page.locator('[data-figure="trend"] [data-drawn]')).toBeVisible();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(375);
});

test("Statistics keeps range and choices in the address, and back undoes the last step", async ({ page, demo }) => {
  await open(page, demo, path);
  await expect(page.getByRole("radio", { name: "7 d" })).toBeChecked();
  await page.getByText("1 y", { exact: true }).click();
  await expect(page).toHaveURL(/range=1y/);
  await page.locator('[data-figure="trend"]').getByText("Platform", { exact: true }).click();
  await expect(page).toHaveURL(/split=platform/);
  await expect(page.locator('[data-figure="trend"]').getByRole("button", { name: "Windows" })).toBeVisible();
  await page.goBack();
  await expect(page).not.toHaveURL(/split=/);
  await showAll(page);
  await page.locator('[data-figure="origins"]').getByText("Doughnut").click();
  await expect(page).toHaveURL(/origins=doughnut/);
  await expect(page.locator('[data-figure="origins"] [data-drawn]')).toBeVisible();
  // Eight slices and the sum of the others.
  await expect(page.locator('[data-figure="origins"] li')).toHaveCount(9);
});

test("Statistics draws the map of China by province", async ({ page, demo }) => {
  await open(page, demo, `${path}&range=90d&map=china`);
  await showAll(page);
  await expect(page.locator('[data-figure="map"] [data-drawn]')).toHaveAttribute("aria-label", /Guangdong/);
});

test("Statistics marks systems without a version", async ({ page, server, project }) => {
  await fetch(`${server.url}/api/v1/public/${project}/versions`, { headers: { "x-svc-platform": "linux" } });
  await open(page, server, `/admin/analytics?project=${project}`);
  const systems = page.locator('[data-figure="system-versions"]');
  // Counts are aggregated in the background.
  await expect(async () => {
    await page.getByRole("button", { name: "Refresh" }).click();
    await showAll(page);
    await expect(systems).toContainText("Linux, no version", { timeout: 2000 });
  }).toPass();
});

test("Statistics shows each figure as a table, and saves it as CSV and PNG", async ({ page, demo }) => {
  await open(page, demo, `${path}&range=30d`);
  const figure = page.locator('[data-figure="adoption"]');
  await expect(figure.locator("[data-drawn]")).toBeVisible();
  await figure.getByRole("button", { name: /as a table/ }).click();
  await expect(figure.getByRole("row")).toHaveCount(31);
  await expect(page).toHaveURL(/tables=adoption/);
  const save = async (item: string) => {
    await figure.getByRole("button", { name: /^Download/ }).click();
    const download = page.waitForEvent("download");
    await page.getByRole("menuitem", { name: item }).click();
    return download;
  };
  const csv = await save("Data (CSV)");
  expect(csv.suggestedFilename()).toMatch(/^version-adoption.*\.csv$/);
  const lines = (await readFile(await csv.path(), "utf8")).trim().split("\r\n");
  expect(lines).toHaveLength(31);
  expect(lines[0]).toMatch(/^Time,/);
  const png = await save("Image (PNG)");
  expect((await readFile(await png.path())).subarray(1, 4).toString()).toBe("PNG");
});

test("Statistics draws the adoption of a week by day", async ({ page, demo }) => {
  await open(page, demo, `${path}&range=7d&tables=adoption`);
  const rows = page.locator('[data-figure="adoption"] tbody tr');
  await expect(rows.first()).toBeVisible();
  expect(await rows.count()).toBeGreaterThanOrEqual(7);
  expect(await rows.count()).toBeLessThanOrEqual(8);
});

test("a list of shares of Statistics shows the bars that fit, and all of them when asked", async ({ page, demo }) => {
  await open(page, demo, `${path}&range=30d`);
  await showAll(page);
  const origins = page.locator('[data-figure="origins"]');
  const more = origins.getByRole("button", { name: /^\d+ more$/ });
  const hidden = Number.parseInt((await more.textContent()) ?? "", 10);
  const shown = await origins.getByRole("listitem").count();
  await more.click();
  await expect(origins.getByRole("listitem")).toHaveCount(shown + hidden);
  await expect(more).toBeHidden();
});

test("the calendar of Statistics has 364 days up to today, whatever the range", async ({ page, demo }) => {
  await open(page, demo, `${path}&range=24h`);
  await showAll(page);
  const figure = page.locator('[data-figure="calendar"]');
  await figure.getByRole("button", { name: /as a table/ }).click();
  await expect(figure.getByRole("row")).toHaveCount(365);
  const counts = (await figure.locator("tbody td:last-child").allTextContents()).map((text) => Number(text.replace(/\D/g, "")));
  const offset = await page.evaluate(() => -new Date().getTimezoneOffset());
  const midnight = Math.floor((Date.now() / 1000 + offset * 60) / 86_400) * 86_400 - offset * 60;
  const week = `start_time=${midnight - 7 * 86_400}&end_time=${midnight - 1}&tz_offset_minutes=${offset}`;
  const { data } = await demo.call<{ data: { count: number }[] }>(
    "GET",
    `/admin/projects/quillmere/stats/requests/timeseries?granularity=day&${week}`,
  );
  expect(counts.slice(-8, -1)).toEqual(data.map(({ count }) => count));
});

test("Statistics explains each number", async ({ page, demo }) => {
  await open(page, demo, path);
  await page.getByRole("button", { name: "What “Requests” means" }).click();
  await expect(page.getByRole("dialog")).toContainText("Failed requests do not count");
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toBeHidden();
});

test.describe("when one part fails", () => {
  test.use({ expected: [/status of 500/] });
  test("Statistics says which, shows the others, and tries that one again", async ({ page, demo }) => {
    let fails = true;
    await page.route("**/stats/requests/heatmap*", (route) =>
      fails
        ? route.fulfill({
            status: 500,
            contentType: "application/json",
            body: '{"statusCode":500,"message":"the disk is on fire","error":"Internal Server Error"}',
          })
        : route.continue(),
    );
    await open(page, demo, path);
    await showAll(page);
    const week = page.getByRole("region", { name: "Requests by hour of the week" });
    await expect(week.getByRole("alert")).toContainText("The disk is on fire");
    await expect(page.locator('[data-figure="trend"] [data-drawn]')).toBeVisible();
    fails = false;
    await week.getByRole("button", { name: "Retry" }).click();
    await expect(week.locator("[data-drawn]")).toBeVisible();
  });
});

test("Statistics follows the theme without a reload", async ({ page, demo }) => {
  await open(page, demo, path);
  const plot = page.locator('[data-figure="trend"] [data-drawn]');
  await expect(plot).toBeVisible();
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const before = await background();
  const picture = await plot.screenshot();
  await page.evaluate(() => document.documentElement.setAttribute("data-marked", ""));
  await page.getByRole("button", { name: /theme/i }).first().click();
  await page
    .getByRole("menuitemradio", { name: "Dark" })
    .or(page.getByRole("menuitem", { name: "Dark" }))
    .first()
    .click();
  await expect.poll(background).not.toBe(before);
  await expect.poll(async () => (await plot.screenshot()).equals(picture)).toBe(false);
  await expect(page.locator("html")).toHaveAttribute("data-marked", "");
});

test("without requests, Statistics begins with the update check to paste into an app", async ({ page, server, project }) => {
  await open(page, server, `/admin/analytics?project=${project}`);
  await expect(page.getByRole("heading", { name: "No requests in this range" })).toBeVisible();
  await expect(page.getByRole("tabpanel")).toContainText(`${server.url}/api/v1/public/${project}/versions/check-update`);
  await showAll(page);
  await expect(page.locator('[data-figure="levels"] li')).toHaveCount(4);
  await expect(page.locator('[data-figure="platforms"]')).toHaveCount(0);
});

test("Statistics begins with devices, and with the share of the latest version today", async ({ page, demo }) => {
  await open(page, demo, `${path}&range=30d`);
  const tile = (name: string) => page.getByRole("region", { name, exact: true });
  await expect(tile("Devices")).toContainText(/^Devices[\d,]+.*yesterday/);
  // The area, the line and its dashed end.
  await expect(tile("Devices").locator("svg").last().locator("path")).toHaveCount(3);
  const { latest } = await demo.call<{ latest: { version: string; share: number } }>("GET", "/admin/projects/quillmere/versions/usage");
  await expect(tile("On the latest version")).toContainText(`${Math.round(latest.share * 100)}%${latest.version}, last 24 hours`);
});

inEachWay([pointer, keyboard, phone], () => {
  test("pressing a bar filters the page; pressing it again shows all", async ({ page, way, demo }) => {
    const moves = await watchMoves(page);
    const hand = new Hand(page, way);
    const { statistics: texts, charts } = hand.t;
    await hand.open(demo, `${path}&range=30d`);
    await showAll(page);
    await settled(page);
    // Jumping to parts that have not asked yet moves those below them; scrolling does not.
    moves.splice(0);
    const figure = (id: string) => page.locator(`[data-figure="${id}"]`);
    const requests = page.getByRole("region", { name: texts.requests, exact: true });
    await expect(requests).toHaveText(/\d/);
    const all = await requests.textContent();
    const asked = page.waitForRequest(/requests\/overview\?.*platform=ANDROID/);
    await hand.press(figure("platforms").getByRole("button", { name: charts.only("Android") }));
    await expect(page).toHaveURL(/platform=ANDROID/);
    const { total } = await demo.call<{ total: number }>("GET", (await asked).url().split("/api/v1")[1]!);
    await expect(requests).toContainText(new Intl.NumberFormat("en").format(total));
    await expect(figure("platforms").locator("li")).toHaveCount(1);
    await expect(figure("system-versions").locator("li").first()).toContainText("Android");
    await expect(figure("client-versions")).not.toContainText(texts.filter.unfiltered(texts.filter.names.platform));
    await expect(figure("levels")).toContainText(texts.filter.unfiltered(texts.filter.names.platform));
    const chip = page.getByRole("button", { name: texts.filter.remove(texts.platform, "Android") });
    await expect(chip).toBeInViewport();
    const again = figure("platforms").getByRole("button", { name: charts.only("Android") });
    if (hand.way.keyboard) {
      await expect(again).toBeFocused();
    }
    await hand.press(again);
    await expect(page).not.toHaveURL(/platform=/);
    await expect(chip).toBeHidden();
    await expect(requests).toHaveText(all!);
    await settled(page);
    expectStill(moves);
  });
});

test("filters of Statistics add up, stand in the address, and each chip removes one", async ({ page, demo }) => {
  await open(page, demo, `${path}&range=30d`);
  await showAll(page);
  const chip = (name: string) => page.getByRole("button", { name: `Remove the filter ${name}` });
  await page.locator('[data-figure="endpoints"]').getByRole("button", { name: "Show only Update check" }).click();
  await page.locator('[data-figure="origins"]').getByRole("button", { name: "Show only Germany" }).click();
  await expect(page).toHaveURL(/endpoint=VERSION_CHECK_UPDATE.*region=DE|region=DE.*endpoint=VERSION_CHECK_UPDATE/);
  await expect(page.locator('[data-figure="adoption"]')).toContainText("Not filtered by region and endpoint");
  await expect(page.locator('[data-figure="client-versions"]').getByRole("button", { name: /Show only/ })).toHaveCount(0);
  await page.reload();
  await showAll(page);
  await expect(page.locator('[data-figure="endpoints"] li')).toHaveCount(1);
  await expect(page.getByRole("region", { name: "Devices", exact: true })).toContainText("not filtered");
  await expectAccessible(page);
  await chip("Endpoint Update check").click();
  await expect(page).not.toHaveURL(/endpoint=/);
  await expect(page.locator('[data-figure="endpoints"] li').nth(1)).toHaveText(/\d/);
  await chip("Region Germany").click();
  await expect(page.getByText("Press a platform, a region or an endpoint below")).toBeInViewport();
  await page.goBack();
  await expect(chip("Region Germany")).toBeInViewport();
  // A filter that no request passes leaves the figures, and a wrong one is ignored.
  await page.goto(`${demo.url}${path}&region=AQ&platform=AMIGA`);
  await expect(chip("Region Antarctica")).toBeVisible();
  await expect(page.locator('[data-figure="trend"]')).toContainText("No data in this range");
});

test("pressing a country on the map filters the page", async ({ page, demo }) => {
  await open(page, demo, `${path}&range=30d`);
  await showAll(page);
  const plot = page.locator('[data-figure="map"] [data-drawn]');
  await expect(plot).toBeVisible();
  await plot.scrollIntoViewIfNeeded();
  const { width, height } = (await plot.boundingBox())!;
  // In the middle of China, in the east of the map.
  await plot.click({ position: { x: width / 2 + 0.27 * 2.2 * height, y: height * 0.42 } });
  await expect(page).toHaveURL(/region=CN/);
});
