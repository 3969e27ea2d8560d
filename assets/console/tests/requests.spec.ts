// The first view of each page makes at most six requests to the interface, and none of them twice.

import type { Page } from "@playwright/test";
import { expect, open, settled, test } from "./fixtures";
import { pages } from "./walk";

const most = 6;

/** Collects the requests to the interface from now on. */
function watchRequests(page: Page): string[] {
  const asked: string[] = [];
  page.on("request", (request) => {
    const { pathname, search } = new URL(request.url());
    if (pathname.startsWith("/api/")) {
      asked.push([request.method(), pathname + search, request.postData()].filter(Boolean).join(" "));
    }
  });
  return asked;
}

for (const path of [...pages.map(([path]) => path), "/admin/versions/release"]) {
  test(`the first view of ${path} makes at most six requests, and none twice`, async ({ page, demo }) => {
    // Each card of the dashboard is a question of its own, and some ask for the period before.
    const { data } = await demo.call<{ data: { query: { type: string } }[] }>("GET", "/admin/projects/quillmere/events/dashboards/cards");
    const cards = data.reduce((sum, { query }) => sum + (query.type === "value" ? 2 : 1), 0);
    const asked = watchRequests(page);
    await open(page, demo, `${path}${path.includes("?") ? "&" : "?"}project=quillmere`);
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    await settled(page);
    expect(asked.filter((request, at) => asked.indexOf(request) !== at)).toEqual([]);
    expect(asked.length, asked.join("\n")).toBeLessThanOrEqual(path.endsWith("/dashboard") ? most + cards : most);
  });
}
