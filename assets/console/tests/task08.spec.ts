// Task 8: Where do people drop off? A funnel from events, filtered by a property, saved as a
// card, on the dashboard, with another range.

import { expect, open, test } from "./fixtures";
import { people } from "./people";

test("a funnel becomes a card of the dashboard, which follows the range", async ({ page, server, project }) => {
  await people(server, project);
  await open(page, server, `/admin/events/funnel?project=${project}`);
  const choose = async (label: string, event: string) => {
    await page.getByRole("combobox", { name: label }).click();
    await page.getByRole("option", { name: event }).click();
  };
  await choose("Step 1", "open");
  await choose("Step 2", "view");
  await page.getByRole("button", { name: "Add step" }).click();
  await choose("Step 3", "buy");
  const result = page.locator('[data-figure="result"]');
  await expect(result.locator("[data-drawn]")).toHaveAttribute("aria-label", /open: 6, view: 4, buy: 2.*33\.3%/);

  // Only those who opened it in dark.
  await page.getByRole("button", { name: "Add condition" }).first().click();
  await page
    .getByRole("combobox", { name: "Property" })
    .or(page.getByRole("textbox", { name: "Property" }))
    .first()
    .fill("theme");
  await page
    .getByRole("combobox", { name: "Value" })
    .or(page.getByRole("textbox", { name: "Value" }))
    .first()
    .fill("dark");
  await expect(result.locator("[data-drawn]")).toHaveAttribute("aria-label", /open: 3, view: 2, buy: 1/);
  await result.getByRole("button", { name: /as a table/ }).click();
  await expect(result.getByRole("row", { name: /3\. buy/ })).toContainText("50%");
  const address = page.url();
  await page.reload();
  expect(page.url()).toBe(address);
  await expect(result.getByRole("row", { name: /1\. open/ })).toContainText("3");

  await page.getByRole("button", { name: "Save as card" }).click();
  const dialog = page.getByRole("dialog", { name: "Save as card" });
  await dialog.getByLabel("Title").fill("Dark buyers");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "Open dashboard" }).click();

  const card = page.getByRole("region", { name: "Dark buyers" });
  await expect(card.locator("[data-drawn]")).toHaveAttribute("aria-label", /open: 3, view: 2, buy: 1/);
  // Two of the buyers came two days ago.
  await page.getByText("24 h", { exact: true }).click();
  await expect(page).toHaveURL(/range=24h/);
  await expect(card.locator("[data-drawn]")).toHaveAttribute("aria-label", /open: 1,/);
  await page.goBack();
  await expect(card.locator("[data-drawn]")).toHaveAttribute("aria-label", /open: 3,/);

  // Other programs read a metric query.
  const { data } = await server.call<{ data: { title: string; query: { type: string; events: { name: string }[] } }[] }>(
    "GET",
    `/admin/projects/${project}/events/dashboards/cards`,
  );
  expect(data.map(({ title, query }) => [title, query.type, query.events.map(({ name }) => name)])).toEqual([
    ["Dark buyers", "value", ["open", "buy"]],
  ]);
});
