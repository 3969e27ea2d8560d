// The first page of a project: what needs attention.

import { expect, open, test } from "./fixtures";

test("each finding has one figure, one curve and one link, in the language of the page", async ({ page, demo }) => {
  await open(page, demo, "/admin?project=quillmere", { language: "zh" });
  const findings = page.getByRole("main").getByRole("list").getByRole("listitem");
  await expect(findings.first()).toHaveText(/\d.*\p{Script=Han}/u);
  const count = await findings.count();
  expect(count).toBeLessThanOrEqual(6);
  for (const finding of await findings.all()) {
    await expect(finding.getByRole("link")).toHaveCount(1);
    await expect(finding.locator("svg")).toHaveCount(1);
  }
});

test("waiting feedback leads to the open feedback of the project", async ({ page, server, project }) => {
  await server.call("PUT", `/admin/projects/${project}/versions/by-version/1.0.0`, { title: "First", content: "Works." });
  await server.call("POST", `/admin/projects/${project}/feedbacks`, { content: "It stops", rating: 1 });
  await open(page, server, `/admin?project=${project}`);
  const finding = page.getByRole("listitem").filter({ hasText: "feedback message waits for an answer, 1 with one star" });
  await expect(finding).toContainText("1");
  await finding.getByRole("link", { name: "Read feedback" }).click();
  await expect(page).toHaveURL(new RegExp(`/admin/feedbacks\\?.*project=${project}`));
  await expect(page).toHaveURL(/status=open/);
  await expect(page.getByRole("link", { name: "It stops" })).toBeVisible();
});

test("nothing to do is said in one line", async ({ page, server, project }) => {
  await server.call("PUT", `/admin/projects/${project}/versions/by-version/1.0.0`, { title: "First", content: "Works." });
  await open(page, server, `/admin?project=${project}`);
  await expect(page.getByRole("main")).toContainText("Nothing needs your attention.");
  await expect(page.getByRole("main").getByRole("listitem")).toHaveCount(0);
});
