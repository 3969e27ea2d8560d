// Where do users drop off? A funnel from events, filtered by a property, saved as a
// card, on the dashboard, with another range.

import type { Locator } from "@playwright/test";
import { expect, inEachWay, test } from "./fixtures";
import { keyboard, phone, pointer } from "./hand";
import { people } from "./people";

/** Waits until the funnel shows these numbers of users at open, view and buy. */
const expectPeople = (figure: Locator, ...counts: number[]) => {
  const steps = ["open", "view", "buy"].slice(0, counts.length).map((name, index) => `${name}\\D+${counts[index]}\\b`);
  return expect(figure.locator("[data-drawn]")).toHaveAttribute("aria-label", new RegExp(steps.join(".*")));
};

inEachWay([pointer, keyboard, phone], () => {
  test("task 8: a funnel, filtered by a property, becomes a card of the dashboard, which follows the range", async ({
    page,
    hand,
    server,
    project,
  }) => {
    test.slow();
    const { charts, common, events } = hand.t;
    await people(server, project);
    await hand.open(server, `/admin/events/funnel?project=${project}`);
    const choose = (step: number, event: string) =>
      hand.choose(page.getByRole("combobox", { name: events.funnel.step(step) }), new RegExp(`^${event}`));
    await choose(1, "open");
    await choose(2, "view");
    await hand.press(page.getByRole("button", { name: events.funnel.add }));
    await choose(3, "buy");
    // A long name ends with dots, and the whole of it is the tooltip.
    await expect(page.getByRole("combobox", { name: events.funnel.step(3) })).toHaveAttribute("title", "buy");
    await expect(page.getByRole("combobox", { name: events.funnel.step(3) })).toHaveCSS("text-overflow", "ellipsis");
    const result = page.locator('[data-figure="result"]');
    await expectPeople(result, 6, 4, 2);
    // Each step comes a minute after the previous one.
    await expect(result).toContainText(charts.funnelStep);
    await expect(result).toContainText(/6.*33\.3%.*2 ?(mins|分钟)|33\.3%.*6.*2 ?(mins|分钟)/);

    // Only users with the dark theme.
    await hand.press(page.getByRole("button", { name: events.conditions.add }).first());
    await hand.fill(page.getByLabel(events.conditions.property, { exact: true }).first(), "theme");
    await hand.fill(page.getByLabel(events.conditions.value, { exact: true }).first(), "dark");
    await expectPeople(result, 3, 2, 1);
    await hand.press(result.getByRole("button", { name: charts.asTable(events.funnel.title) }));
    await expect(result.getByRole("row", { name: /3\. buy/ })).toContainText("50.0%");
    await expect(result.getByRole("columnheader", { name: charts.median })).toBeVisible();
    const cell = (step: RegExp, at: number) => result.getByRole("row", { name: step }).getByRole("cell").nth(at);
    await expect(cell(/3\. buy/, 6)).toHaveText(/^1 ?(min|分钟)$/);
    await expect(cell(/3\. buy/, 7)).toHaveText(/^2 ?(mins|分钟)$/);
    await expect(cell(/1\. open/, 7)).toHaveText("–");
    const address = page.url();
    await page.reload();
    expect(page.url()).toBe(address);
    await expect(result.getByRole("row", { name: /1\. open/ })).toContainText("3");

    await hand.press(page.getByRole("button", { name: events.card.save }));
    const dialog = page.getByRole("dialog", { name: events.card.save });
    await hand.fill(dialog.getByLabel(events.card.title), "Dark buyers");
    await hand.press(dialog.getByRole("button", { name: common.save }));
    await hand.press(page.getByRole("button", { name: events.card.open }));

    const card = page.getByRole("region", { name: "Dark buyers" });
    await expectPeople(card, 3, 2, 1);
    // Two of the buyers came two days ago.
    await hand.press(page.getByRole("radio", { name: charts.ranges["24h"] }));
    await expect(page).toHaveURL(/range=24h/);
    await expectPeople(card, 1);
    await page.goBack();
    await expectPeople(card, 3);

    // For other programs, the card is a metric query.
    const { data } = await server.call<{ data: { title: string; query: { type: string; events: { name: string }[] } }[] }>(
      "GET",
      `/admin/projects/${project}/events/dashboards/cards`,
    );
    expect(data.map(({ title, query }) => [title, query.type, query.events.map(({ name }) => name)])).toEqual([
      ["Dark buyers", "value", ["open", "buy"]],
    ]);
  });
});
