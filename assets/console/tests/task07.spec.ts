// Task 7: How many have updated? Adoption over 30 days, by version and platform; the link
// shows a colleague the same.

import { expect, open, test } from "./fixtures";

test("a link to adoption over 30 days shows a colleague the same", async ({ page, demo, browser }) => {
  await open(page, demo, "/admin/analytics?project=quillmere");
  await page.getByText("30 d", { exact: true }).click();
  await page.locator('[data-figure="trend"]').getByText("Platform", { exact: true }).click();
  await page.locator('[data-figure="adoption"]').getByText("Share", { exact: true }).click();
  await page
    .locator('[data-figure="adoption"]')
    .getByRole("button", { name: /as a table/ })
    .click();
  const rows = page.locator('[data-figure="adoption"] tbody tr');
  await expect(rows).toHaveCount(30);
  const address = page.url();
  for (const part of ["range=30d", "split=platform", "adoption=share", "tables=adoption", "project=quillmere"]) {
    expect(address).toContain(part);
  }
  const shown = (await rows.allInnerTexts()).slice(0, 29);

  const context = await browser.newContext({ locale: "en-GB", timezoneId: "Europe/Berlin" });
  const colleague = await context.newPage();
  await open(colleague, demo, new URL(address).pathname + new URL(address).search);
  const theirs = colleague.locator('[data-figure="adoption"] tbody tr');
  await expect(theirs).toHaveCount(30);
  expect((await theirs.allInnerTexts()).slice(0, 29)).toEqual(shown);
  await expect(colleague.locator('[data-figure="trend"]').getByRole("button", { name: "Windows" })).toBeVisible();
  await context.close();
});
