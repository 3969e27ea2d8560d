// Takes the measurements that main.go requests on standard input in one Chromium, and writes the
// results to standard output, both as JSON. Every measurement begins and ends in the page: it
// begins at a navigation, a click or a key, and ends at the second frame after the expected result
// is there. The targets are measured alternately.

import { createRequire } from "node:module";
import { cpus } from "node:os";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";

const require = createRequire(new URL("../../assets/console/package.json", import.meta.url));
const { chromium } = require("@playwright/test");
const axe = require("axe-core");

const task = JSON.parse(await text(process.stdin));
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu"], // drawn by the processor, as on a machine without a screen
});
const say = (line) => process.stderr.write(`${line}\n`);

/** How each target is used. `rows` selects records; `settled` is true when no more will arrive. */
const ways = {
  svc: {
    logs: `/admin/logs?project=${task.project}`,
    rows: "table .cell-link",
    settled: "!document.querySelector('[aria-busy=true]')",
    other: { link: "nav a[href^='/admin/feedbacks']", there: "location.pathname === '/admin/feedbacks'" },
    back: { link: "nav a[href^='/admin/logs']", there: "location.pathname === '/admin/logs'" },
    search: "main input[type=search]",
    enter: false,
    async login(target) {
      const answer = await post(`${target.url}/api/v1/auth/login`, { username: target.user, password: target.password });
      return { "svc.console.login": JSON.stringify({ token: answer.access_token, username: target.user }), "svc.console.language": "en" };
    },
  },
  pocketbase: {
    logs: "/_/#/collections?collection=logs&sort=-created",
    rows: "tr.row-handle",
    settled: "!document.querySelector('.table-loading')",
    other: { link: "a.sidebar-list-item[href*='feedbacks'], .sidebar-list-item[title='feedbacks']", there: "document.querySelector('th.col-field-rating') !== null" },
    back: { link: "a.sidebar-list-item[href*='logs'], .sidebar-list-item[title='logs']", there: "document.querySelector('th.col-field-level') !== null" },
    search: ".searchbar .cm-content",
    enter: true,
    async login(target) {
      const answer = await post(`${target.url}/api/collections/_superusers/auth-with-password`, { identity: target.user, password: target.password });
      return { __pb_superuser_auth__: JSON.stringify({ token: answer.token, record: answer.record }) };
    },
  },
};

async function post(url, body) {
  const response = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  if (!response.ok) {
    throw new Error(`${url}: ${response.status} ${await response.text()}`);
  }
  return response.json();
}

/** Runs in every page: `bench.when` returns the time at which a condition became true, two frames later. */
function helpers(storage) {
  for (const [key, value] of Object.entries(storage)) {
    if (localStorage.getItem(key) === null) {
      localStorage.setItem(key, value);
    }
  }
  window.bench = {
    shift: 0,
    changed: 0, // time of the last change of the page, by elements or by drawing on a canvas
    when(condition) {
      return new Promise((resolve, reject) => {
        const begin = performance.now();
        const look = () => {
          if (performance.now() - begin > 60_000) {
            reject(new Error(`waited in vain for ${condition}`));
          } else if (condition()) {
            requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now())));
          } else {
            requestAnimationFrame(look);
          }
        };
        look();
      });
    },
  };
  const changed = () => requestAnimationFrame(() => (window.bench.changed = performance.now()));
  // Preload links in the head and elements around the main part do not count as changes.
  const inPage = ({ target }) => document.querySelector("main")?.contains(target);
  const all = { subtree: true, childList: true, attributes: true, characterData: true };
  new MutationObserver((records) => records.some(inPage) && changed()).observe(document, all);
  const { fill, stroke } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.fill = function (...args) {
    changed();
    return fill.apply(this, args);
  };
  CanvasRenderingContext2D.prototype.stroke = function (...args) {
    changed();
    return stroke.apply(this, args);
  };
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      if (!entry.hadRecentInput) {
        window.bench.shift += entry.value;
      }
    }
  }).observe({ type: "layout-shift", buffered: true });
}

/** A logged-in browser with an empty cache. */
async function visitor(target, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: "en-GB", ...options });
  await context.addInitScript(helpers, target.storage);
  const page = await context.newPage();
  return { context, page };
}

/** Waits in the page; the text is an expression. */
function when(page, expression) {
  return page.evaluate((text) => window.bench.when(new Function(`return ${text}`)), expression);
}

const listed = (way, n = 10) => `document.querySelectorAll(${JSON.stringify(way.rows)}).length >= ${n} && ${way.settled}`;

async function openLogs(page, target) {
  const way = ways[target.name];
  await page.goto(target.url + way.logs, { waitUntil: "commit" });
  return when(page, listed(way));
}

/** Waits until there has been no request for half a second. */
async function quiet(page) {
  let last = Date.now();
  const note = () => {
    last = Date.now();
  };
  page.on("request", note);
  page.on("requestfinished", note);
  while (Date.now() - last < 500) {
    await page.waitForTimeout(100);
  }
  page.off("request", note);
  page.off("requestfinished", note);
}

/**
 * Waits until the processors are idle. Otherwise work that a server still does for one target, such
 * as an obsolete count, would be measured as time of the other one.
 */
async function idle() {
  const times = () => cpus().reduce((sum, { times }) => ({ idle: sum.idle + times.idle, all: sum.all + Object.values(times).reduce((a, b) => a + b) }), { idle: 0, all: 0 });
  for (let before = times(), wait = 0; wait < 60; wait++) {
    await sleep(500);
    const now = times();
    if (now.idle - before.idle > 0.9 * (now.all - before.all)) {
      return;
    }
    before = now;
  }
  throw new Error("the machine has something else to do: its processors were never idle for half a second");
}

/** Compressed bytes of scripts and style sheets, without headers, that are loaded until `work` is done. */
async function scriptBytes(page, work) {
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  const wanted = new Set();
  let bytes = 0;
  session.on("Network.responseReceived", ({ requestId, type }) => (type === "Script" || type === "Stylesheet") && wanted.add(requestId));
  session.on("Network.dataReceived", ({ requestId, encodedDataLength }) => {
    bytes += wanted.has(requestId) ? encodedDataLength : 0;
  });
  await work();
  const got = bytes;
  await session.detach();
  return got;
}

/**
 * Milliseconds from an event caused by `act` until the expression is true. The page listens before
 * `act` begins; the first such event counts.
 */
async function since(page, type, key, expression, act) {
  await page.evaluate(
    ([type, key, text]) => {
      const condition = new Function(`return ${text}`); // now, while the page's policy allows it
      window.bench.since = new Promise((resolve, reject) => {
        const happened = (event) => {
          if (key === undefined || event.key === key) {
            document.removeEventListener(type, happened, true);
            const begin = performance.now();
            window.bench.when(condition).then((end) => resolve(end - begin), reject);
          }
        };
        document.addEventListener(type, happened, true);
      });
    },
    [type, key, expression],
  );
  await act();
  return page.evaluate(() => window.bench.since);
}

/** Milliseconds from a click to its result. */
function clickTo(page, { link, there }, way) {
  return since(page, "click", undefined, `${there} && ${listed(way)}`, () => page.locator(link).first().click());
}

/** Milliseconds from the last key of a word to rows that all contain it. */
async function type(page, way, word) {
  const box = page.locator(way.search).first();
  await box.click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type(word.slice(0, -1), { delay: 40 });
  const found = `(() => { const rows = [...document.querySelectorAll(${JSON.stringify(way.rows)})].map((row) => (row.closest("tr") ?? row).textContent);
    return rows.length > 0 && rows.every((row) => row.includes(${JSON.stringify(word)})) && ${way.settled}; })()`;
  return since(page, "keydown", way.enter ? "Enter" : word.at(-1), found, async () => {
    await page.keyboard.press(word.at(-1));
    if (way.enter) {
      await page.keyboard.press("Enter");
    }
  });
}

const svc = task.targets.find(({ name }) => name === "svc");
const results = { chromium: `Chromium ${browser.version()}`, targets: {}, svc: {} };
for (const target of task.targets) {
  target.storage = await ways[target.name].login(target);
  results.targets[target.name] = { bytes: 0, cold: [], warm: [], switch: [], typing: [] };
}

/** Lists of both targets, alternately. */
async function lists() {
  for (let round = -1; round < task.rounds; round++) { // the first round warms up files and programs
    for (const target of task.targets) {
      const way = ways[target.name];
      const measured = results.targets[target.name];
      await idle();
      const { context, page } = await visitor(target);
      const keep = (name, value) => round >= 0 && measured[name].push(value);
      let cold = 0;
      const bytes = await scriptBytes(page, async () => {
        cold = await openLogs(page, target);
      });
      measured.bytes = bytes;
      keep("cold", cold);
      await page.waitForLoadState("networkidle");
      await page.goto("about:blank");
      keep("warm", await openLogs(page, target));
      await page.waitForLoadState("networkidle");
      await clickTo(page, way.other, way);
      await clickTo(page, way.back, way);
      keep("switch", await clickTo(page, way.other, way));
      keep("switch", await clickTo(page, way.back, way));
      for (let i = 0; i < 2; i++) {
        keep("typing", await type(page, way, task.words[(2 * (round + 1) + i) % task.words.length]));
      }
      await context.close();
    }
    say(`round ${round + 1} of ${task.rounds}`);
  }
}

/** Size of scripts and style sheets of the dashboard with its twelve cards, in addition to those of a list. */
async function charts() {
  const { context, page } = await visitor(svc);
  await openLogs(page, svc);
  await page.waitForLoadState("networkidle");
  results.svc.charts = await scriptBytes(page, async () => {
    await page.goto(`${svc.url}/admin/events/dashboard?project=${task.project}&range=30d`, { waitUntil: "commit" });
    await when(page, "document.querySelector('main canvas')");
    await quiet(page);
  });
  await context.close();
}

/** Time until the twelve cards of the dashboard are drawn. */
async function dashboard() {
  const times = [];
  for (let round = -1; round < task.rounds; round++) {
    const { context, page } = await visitor(svc);
    await openLogs(page, svc); // the frame is there, as during work
    await page.waitForLoadState("networkidle");
    let answered = 0;
    page.on("response", (response) => {
      if (response.url().includes("/events/analysis/") && response.ok()) {
        answered++;
      }
    });
    await page.goto(`${svc.url}/admin/events/dashboard?project=${task.project}&range=30d`, { waitUntil: "commit" });
    await page.waitForLoadState("networkidle");
    if (answered > 0) {
      // The drawing ends with the last change of the page.
      times.push(await page.evaluate(() => window.bench.changed));
    }
    results.svc.cards = await page.locator("main [data-card]").count();
    results.svc.questions = answered;
    await context.close();
  }
  results.svc.dashboard = times.slice(1);
}

const pages = ["/admin", "/admin/analytics", "/admin/projects", "/admin/versions", "/admin/files", "/admin/announcements", "/admin/feedbacks", "/admin/logs",
  "/admin/events", "/admin/events/definitions", "/admin/events/funnel", "/admin/events/retention", "/admin/events/paths", "/admin/events/explore", "/admin/events/dashboard",
  "/admin/tokens", "/admin/settings", "/admin/settings/codehost-app", "/admin/settings/translation", "/admin/settings/storage", "/admin/settings/terms", "/admin/about",
  "/login", "/", `/projects/${task.project}`, "/terms/privacy-policy", "/doc"]; // biome-ignore format: a list

/** The findings of axe on every page, and the largest layout shift. */
async function walk() {
  results.svc.violations = [];
  results.svc.pages = 0;
  results.svc.shift = 0;
  results.svc.shift_on = "none";
  for (const theme of ["light", "dark"]) {
    for (const path of pages) {
      const storage = path.startsWith("/admin") ? { ...svc.storage, "svc.console.theme": theme } : { "svc.console.theme": theme };
      const { context, page } = await visitor({ storage }, { colorScheme: theme, bypassCSP: true }); // axe is injected into the page
      await page.goto(`${svc.url}${path}${path.startsWith("/admin") ? `?project=${task.project}` : ""}`);
      await page.waitForLoadState("networkidle");
      await page.evaluate(() => Promise.all(document.getAnimations().map((animation) => animation.finished.catch(() => undefined))));
      await page.evaluate(axe.source);
      const violations = await page.evaluate(async () => (await window.axe.run(document, { resultTypes: ["violations"] })).violations);
      results.svc.violations.push(...violations.map(({ id, nodes }) => `${path}, ${theme}: ${id}: ${nodes[0]?.html.slice(0, 120)}`));
      results.svc.pages++;
      const shift = await page.evaluate(() => window.bench.shift);
      if (shift > results.svc.shift) {
        results.svc.shift = shift;
        results.svc.shift_on = path;
      }
      await context.close();
    }
    say(`pages in ${theme}`);
  }
}

/** The public page of the project in a browser without scripts. */
async function publicPage() {
  const { context, page } = await visitor({ storage: {} }, { javaScriptEnabled: false });
  const session = await context.newCDPSession(page);
  await session.send("Network.enable");
  const images = new Set();
  let bytes = 0;
  session.on("Network.responseReceived", ({ requestId, type }) => type === "Image" && images.add(requestId));
  session.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    bytes += images.has(requestId) ? 0 : encodedDataLength;
  });
  await page.goto(`${svc.url}/projects/${task.project}`);
  await page.waitForLoadState("networkidle");
  results.svc.public_bytes = bytes;
  results.svc.readable = (await page.locator("body").innerText()).includes("The window remembers its place.");
  await context.close();
}

const parts = { lists, charts, dashboard, pages: walk, public: publicPage };
for (const part of task.parts) {
  await parts[part]();
  say(`${part} measured`);
}
await browser.close();
process.stdout.write(JSON.stringify(results));
