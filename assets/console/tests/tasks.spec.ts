// Tasks of people, each in at most five actions from the first page of the project: an action is a
// press, a choice or a text that is typed.

import { Counted } from "./counted";
import { expect, inEachWay, settled, test } from "./fixtures";
import { keyboard, phone, pointer } from "./hand";
import { seedLogs } from "./seed";

inEachWay([pointer, keyboard, phone], () => {
  test("answer the oldest feedback with one star", async ({ page, hand, ownDemo: demo }) => {
    test.slow();
    const { feedbacks } = hand.t;
    type List = { total: number; data: { id: string; content: string }[] };
    const path = "/admin/projects/quillmere/feedbacks";
    const { total, data } = await demo.call<List>("GET", `${path}?status=open&rating=1&sort=created_at&order=asc`);
    await hand.open(demo, "/admin?project=quillmere");
    const counted = new Counted(hand);
    await counted.go("feedbacks");
    await counted.press(page.getByRole("link", { name: feedbacks.worst(String(total)) }));
    const first = page.locator("tbody tr").first();
    await expect(first).toContainText(data[0]!.content.trim().slice(0, 20));
    await counted.press(first.locator(".cell-link"));
    const drawer = page.getByRole("dialog");
    await counted.fill(drawer.getByRole("textbox", { name: feedbacks.replyLabel }), "Fixed in 4.3.2.");
    await counted.press(drawer.getByRole("button", { name: feedbacks.sendAndResolve }));
    await expect.poll(() => demo.call("GET", `${path}/${data[0]!.id}`)).toMatchObject({ reply: "Fixed in 4.3.2.", status: "resolved" });
    counted.expectFew();
  });

  test("from a peak in the chart to the lines of that hour", async ({ page, hand, demo }) => {
    test.slow();
    const { logs } = hand.t;
    await hand.open(demo, "/admin?project=quillmere");
    const counted = new Counted(hand);
    const asked = page.waitForRequest(/logs\/timeseries/);
    await counted.go("logs");
    const chart = page.getByRole("slider", { name: logs.histogram.choose });
    const { pathname, search } = new URL((await asked).url());
    const { data } = await demo.call<{ data: { time: number; total: number }[] }>("GET", pathname.replace("/api/v1", "") + search);
    await settled(page);
    const peak = data.reduce((best, bar) => (bar.total > best.total ? bar : best));
    const { width } = (await chart.boundingBox())!;
    await counted.press(chart, { x: ((data.indexOf(peak) + 0.5) / data.length) * width, y: 30 });
    await expect(page.locator("tbody")).toContainText("E42");
    const address = new URL(page.url()).searchParams;
    expect([address.get("time_from"), address.get("time_to")]).toEqual([String(peak.time), String(peak.time + 3599)]);
    await expect(page.getByText(hand.t.common.pageOf(1, await page.locator("tbody tr").count(), String(peak.total)))).toBeVisible();
    counted.expectFew();
  });

  test("what broke today", async ({ page, hand, server, project }) => {
    const { today } = hand.t;
    await server.call("PUT", `/admin/projects/${project}/versions/by-version/4.3.1`, { title: "4.3.1", content: "Faster." });
    await seedLogs(server, project, 4);
    await seedLogs(server, project, 12, (index) => ({ level: 3, content: `E77: cannot open archive ${index}\nat open (archive.js:7)` }));
    // The first error of the four counts as well.
    const found = page.getByRole("list", { name: today.list }).getByRole("listitem").filter({ hasText: "13" });
    await hand.open(server, `/admin?project=${project}`);
    await expect(found).toContainText(today.actions.errors);
    const counted = new Counted(hand);
    await counted.press(found.getByRole("link", { name: today.actions.errors }));
    const rows = page.locator("tbody tr");
    await expect(page).toHaveURL(/level=3/);
    await expect(rows.first()).toContainText("E77");
    const { common } = hand.t;
    const count = await rows.count();
    await expect(page.getByText(count < 13 ? common.pageOf(1, count, "13") : common.inTotal("13"))).toBeVisible();
    await counted.press(rows.first().locator(".cell-link"));
    await expect(page.getByRole("dialog")).toContainText("at open (archive.js:7)");
    counted.expectFew();
  });
});
