// The example page, used like by a visitor, against the real server at another origin.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { executable, launch } from "./browser.mjs";
import { eventNames, startOrigin, startServer, until } from "./world.mjs";

const skip = executable ? false : "needs Chromium: apt-get install chromium, or set CHROMIUM to its path";

test("the example page", { skip }, async () => {
  const server = await startServer();
  const [site, api] = await Promise.all([startOrigin(server), startOrigin(server)]);
  const browser = await launch();
  try {
    const key = await server.project();
    const of = `/admin/projects/${key}`;
    await server.admin("POST", of + "/versions", { version: "1.0.0", comparable_version: "1.0.0", title: "First", content: "…" });
    await server.admin("POST", of + "/versions", { version: "1.1.0", comparable_version: "1.1.0", title: "Colours", content: "…", is_latest: true });
    await server.admin("POST", of + "/announcements", { title: "Hello", content: "there is news" });
    site.pages["/notes"] = readFileSync(new URL("../example/index.html", import.meta.url), "utf8");
    const page = await browser.newPage();
    const address = `${site.url}/notes?api=${encodeURIComponent(api.api)}&project=${key}`;
    const batches = () => api.requests(`/public/${key}/events`).filter(({ method }) => method === "POST");

    await page.goto(address);
    await page.waitForSelector("body[data-ready]");
    assert.match(await page.textContent("#update"), /Version 1\.1\.0 is there: Colours/);
    assert.equal(await page.textContent("#announcement"), "Hello: there is news");

    const add = async (text) => {
      await page.fill("#add input", text);
      await page.click("#add button");
    };
    await add("before consent");
    assert.deepEqual(await page.evaluate(() => Object.keys(localStorage).filter((name) => name.startsWith("svc.analytics."))), []);
    await page.click("#yes");
    await add("buy milk");
    assert.deepEqual(await page.locator("#notes li").allTextContents(), ["before consent", "buy milk"]);

    await page.fill("#feedback textarea", "useful");
    await page.selectOption("#feedback select", "4");
    await page.click("#feedback button");
    await until(() => page.evaluate(() => document.querySelector("#feedback output").value), "an answer");
    assert.equal(await page.evaluate(() => document.querySelector("#feedback output").value), "Thank you!");
    const [feedback] = (await server.admin("GET", of + "/feedbacks")).data;
    assert.deepEqual([feedback.content, feedback.rating], ["useful", 4]);

    await page.evaluate(() => setTimeout(() => undefined.oops));
    await until(async () => (await server.admin("GET", of + "/logs")).total === 1, "the error report");

    // Leaving the page sends the remaining events, and the page remembers the consent.
    await page.goto(address);
    await until(() => batches().length > 0, "the events");
    assert.deepEqual(eventNames(batches()), ["note_added"]);
    await page.waitForSelector("body[data-ready]");
    assert.equal(await page.isVisible("#forget"), true);
    const { distinct_id: who } = JSON.parse(batches()[0].body);
    assert.equal((await server.admin("GET", `/public/${key}/events/me?distinct_id=${who}`)).data.length, 1);
    await page.click("#forget");
    await until(async () => (await server.admin("GET", `/public/${key}/events/me?distinct_id=${who}`)).data.length === 0, "the deletion");
    await until(() => page.evaluate(() => localStorage.getItem("consent") === "no"), "the page's note of it");
  } finally {
    await browser.close();
    site.stop();
    api.stop();
    await server.stop();
  }
});
