// How many users have updated? Adoption over 30 days, by version and platform; the link
// shows a colleague the same.

import type { Page } from "@playwright/test";
import { expect, inEachWay, open, test } from "./fixtures";
import { keyboard, phone, pointer } from "./hand";

const figure = (page: Page, name: string) => page.locator(`[data-figure="${name}"]`);

/** The days that are over; the last row is today. */
const days = async (page: Page) => (await figure(page, "adoption").locator("tbody tr").allInnerTexts()).slice(0, 29);

inEachWay([pointer, keyboard, phone], () => {
  test("task 7: see adoption over 30 days, by version and platform, and send a colleague a link that shows the same", async ({
    page,
    hand,
    demo,
    browser,
  }) => {
    test.slow();
    const { charts, statistics } = hand.t;
    await hand.open(demo, "/admin/analytics?project=quillmere");
    await hand.press(page.getByRole("radio", { name: charts.ranges["30d"] }));
    await hand.press(figure(page, "trend").getByRole("radio", { name: statistics.splits.platform }));
    const adoption = figure(page, "adoption");
    await hand.press(adoption.getByRole("radio", { name: statistics.adoptionAs.share }));
    await hand.press(adoption.getByRole("button", { name: charts.asTable(statistics.adoption) }));
    await expect(adoption.getByRole("columnheader", { name: "4.3.1" })).toBeVisible();
    await expect(adoption.locator("tbody tr")).toHaveCount(30);
    const shown = await days(page);
    expect(shown.at(-1)).toMatch(/\d%/);

    const colleague = await browser.newPage({ locale: "en-GB", timezoneId: "Europe/Berlin" });
    const address = new URL(page.url());
    await open(colleague, demo, address.pathname + address.search, { language: hand.way.language });
    await expect(figure(colleague, "adoption").locator("tbody tr")).toHaveCount(30);
    expect(await days(colleague)).toEqual(shown);
    await expect(figure(colleague, "trend").getByRole("button", { name: "Windows" })).toBeVisible();
    await colleague.close();
  });
});
