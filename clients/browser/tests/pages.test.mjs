// The library in pages of Chromium, against the real server: from its origin and from
// another one.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { executable, launch } from "./browser.mjs";
import { eventIds, eventNames, startOrigin, startServer, until } from "./world.mjs";

const skip = executable ? false : "needs Chromium: apt-get install chromium, or set CHROMIUM to its path";

let server;
let here; // origin of the pages
let there; // another origin
let browser;

before(async () => {
  if (skip) {
    return;
  }
  server = await startServer();
  [here, there, browser] = await Promise.all([startOrigin(server), startOrigin(server), launch()]);
});

after(async () => {
  await browser?.close();
  here?.stop();
  there?.stop();
  await server?.stop();
});

/** A test with a project and a browser profile of its own. It fails if the page has errors. */
function page(name, run) {
  test(name, { skip }, async () => {
    const profile = await browser.newContext();
    const errors = [];
    const open = async (url = here.url + "/script") => {
      const shown = await profile.newPage();
      shown.on("pageerror", (error) => errors.push(String(error)));
      await shown.goto(url);
      return shown;
    };
    try {
      await run({ profile, open, errors, key: await server.project() });
      assert.deepEqual(errors, []);
    } finally {
      await profile.close();
    }
  });
}

/** Creates a client in a page, as `svc`. */
const connect = (shown, options) =>
  shown.evaluate((given) => {
    window.svcOptions = given;
    window.svc = new SvcClient(given);
  }, options);

/** Pages of other tests send requests as well, so each test looks only at its own project. */
const batches = (origin, key) => origin.requests(`/public/${key}/events`).filter(({ method }) => method === "POST");

const stored = (shown) => shown.evaluate(() => Object.fromEntries(Object.entries(localStorage).map(([name, value]) => [name.split(".").at(-1), value])));

// ---- loading ----------------------------------------------------------------------------

page("a script element adds SvcSDK and SvcClient, and nothing else", async ({ open }) => {
  const names = async (url) => (await open(url)).evaluate(() => Object.getOwnPropertyNames(window));
  const [without, withIt] = [await names(here.url + "/page"), await names()];
  assert.deepEqual(withIt.filter((name) => !without.includes(name)).sort(), ["SvcClient", "SvcSDK"]);
});

page("the module adds no global", async ({ open }) => {
  const shown = await open(here.url + "/module");
  await shown.waitForFunction(() => window.sdk);
  assert.deepEqual(await shown.evaluate(() => [typeof window.SvcSDK, typeof window.SvcClient, typeof sdk.SvcClient]), ["undefined", "undefined", "function"]);
});

page("the server delivers both files to another origin, with the hash that the README says", async ({ open }) => {
  const { readFileSync } = await import("node:fs");
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  const [, script, hash] = /src="https:\/\/svc\.example\.com(\/sdk\/svc-sdk-[0-9a-f]+\.global\.js)" crossorigin\s+integrity="([^"]+)"/.exec(readme);
  const shown = await open(here.url + "/page");
  const loaded = (address, integrity) =>
    shown.evaluate(
      ([src, sum]) =>
        new Promise((resolve) => {
          const element = Object.assign(document.createElement("script"), { src, integrity: sum, crossOrigin: "anonymous" });
          element.onload = () => resolve(typeof SvcClient);
          element.onerror = () => resolve("refused");
          document.head.append(element);
        }),
      [address, integrity],
    );
  assert.equal(await loaded(there.url + script, hash.replace(/.$/, (last) => (last === "A" ? "B" : "A"))), "refused");
  assert.equal(await loaded(there.url + script, hash), "function");
  const module = await shown.evaluate(async (address) => Object.keys(await import(address)), there.url + "/sdk/svc-sdk.js");
  assert.ok(module.includes("SvcClient"));
});

// ---- requests ---------------------------------------------------------------------------

for (const origin of ["the same origin", "another origin"]) {
  page(`live run from ${origin}`, async ({ open, key }) => {
    const api = () => (origin === "the same origin" ? here : there);
    const shown = await open();
    await connect(shown, { baseUrl: api().api, projectKey: key, appVersion: "1.0.0", locale: "en" });
    const result = await shown.evaluate(async (password) => {
      await svc.login("admin", password);
      await svc.admin.createVersion({ version: "1.0.0", comparable_version: "1.0.0", title: "First", content: "…" });
      await svc.admin.createVersion({
        version: "2.0 (é/+)", comparable_version: "2.0.0", title: "Second", content: "…", is_latest: true,
        download_links: [{ name: "app-linux-amd64.zip", url: "https://example.com/app-linux.zip" }, { name: "web", url: "https://example.com/app/", platform: "web" }],
      });
      await svc.admin.createAnnouncement({ title: "Hello", content: "World" });
      const update = await svc.updates.check();
      const again = await svc.updates.check();
      const feedback = await svc.public.createFeedback({ content: "nice", rating: 5, custom_data: null });
      const entry = await svc.public.uploadLog({ level: SvcSDK.LogLevel.warning, content: "careful" });
      svc.public.track("opened", { n: 1 });
      svc.public.track("closed");
      const flushed = await svc.public.flush();
      const exported = await svc.public.exportMyData();
      const deleted = await svc.public.deleteMyData();
      const names = [];
      for await (const version of svc.public.iterVersions()) {
        names.push(version.version);
      }
      return {
        health: (await svc.health()).status, named: (await svc.public.getVersion("2.0 (é/+)")).title, preview: await svc.public.getLatestPreviewVersion(),
        update: [update.decision, update.target.title, update.link.name, update.remembered, again.remembered], announcement: (await svc.public.getLatestAnnouncement()).title,
        feedback: feedback.id.length, entry: entry.id.length, flushed, exported: exported.data.length, deleted: deleted.deleted ?? deleted.success, names,
      };
    }, server.password);
    assert.deepEqual(result, {
      health: result.health, named: "Second", preview: null, update: ["optional", "Second", "web", false, true], announcement: "Hello",
      feedback: 36, entry: 36, flushed: { sent: 2, dropped: 0, pending: 0 }, exported: 2, deleted: result.deleted, names: ["2.0 (é/+)", "1.0.0"],
    });
    const [first] = api().requests(`/public/${key}/feedbacks`);
    assert.equal(first.headers["x-svc-platform"], "web");
    assert.equal(first.headers["x-svc-platform-version"], undefined);
    assert.match(first.headers["x-svc-client-time"], /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d$/);
    assert.match(first.headers["user-agent"], /^Mozilla/);
    assert.equal(first.headers.authorization, undefined);
    assert.ok(api().requests(`/admin/projects/${key}/versions`).every(({ headers }) => headers.authorization.startsWith("Bearer ")));
  });
}

page("cookies are neither sent nor kept", async ({ open, profile, key }) => {
  await profile.addCookies([{ name: "session", value: "secret", url: here.url }]);
  const shown = await open();
  await connect(shown, { baseUrl: here.api, projectKey: key });
  here.answer = ({ path }) => path.endsWith(`/public/${key}`) && { status: 200, headers: { "set-cookie": "more=1", "content-type": "application/json" }, body: "{}" };
  await shown.evaluate(() => svc.public.getProject());
  assert.equal(here.requests(`/public/${key}`)[0].headers.cookie, undefined);
  assert.deepEqual((await profile.cookies()).map(({ name }) => name), ["session"]);
  here.answer = () => undefined;
});

page("errors of another origin are told apart, and a wait is cut short", async ({ open, key }) => {
  const shown = await open();
  await connect(shown, { baseUrl: there.api, projectKey: key, retries: 1, token: "t" });
  const outcome = (answer) => {
    there.answer = (asked) => (asked.path.includes(`/public/${key}/versions`) ? answer : undefined);
    return shown.evaluate(() =>
      svc.public.getLatestVersion().then(
        (value) => ({ value }),
        (error) => ({ name: error.name, text: String(error), status: error.status, after: error.retryAfter, path: error.path, api: error instanceof SvcSDK.SvcApiError, base: error instanceof SvcSDK.SvcError }),
      ),
    );
  };
  assert.deepEqual(await outcome({ status: 200 }), { value: null });
  const limited = await outcome({ status: 429, headers: { "retry-after": "7" }, body: '{"statusCode":429,"message":["slow","down"],"error":"x"}' });
  assert.deepEqual(limited, { name: "SvcApiError", text: "[429] slow; down", status: 429, after: 7, path: "/public/{k}/versions/latest", api: true, base: true });
  assert.equal((await outcome({ status: 200, body: "<html>" })).name, "SvcApiError");
  there.asked.length = 0;
  assert.equal((await outcome({ status: 0 })).name, "SvcConnectionError");
  assert.ok(there.requests(`/public/${key}/versions`).length >= 2, "a connection that ends is tried again");
  assert.equal((await outcome({ status: 503, headers: { "retry-after": "1" }, body: "" })).status, 503);

  there.answer = () => ({ status: 503, headers: { "retry-after": "30" }, body: "" });
  const waited = await shown.evaluate(async () => {
    const control = new AbortController();
    const call = svc.public.getLatestVersion({}, { signal: control.signal }).catch((error) => error.name);
    await new Promise((resolve) => setTimeout(resolve, 300));
    const start = performance.now();
    control.abort();
    return [await call, performance.now() - start];
  });
  there.answer = () => undefined;
  assert.equal(waited[0], "SvcConnectionError");
  assert.ok(waited[1] < 10_000, `${waited[1]} ms`);

  const unsent = there.asked.length;
  const local = await shown.evaluate(async () => {
    svc.clearToken();
    const auth = await svc.admin.listVersions().catch((error) => error.name);
    svc.setProjectKey(null);
    return [auth, await svc.public.getProject().catch((error) => error.name)];
  });
  assert.deepEqual(local, ["SvcAuthError", "SvcError"]);
  assert.equal(there.asked.length, unsent);
});

page("absent, null and a value", async ({ open, key }) => {
  const shown = await open();
  await connect(shown, { baseUrl: there.api, projectKey: key, token: "t" });
  there.answer = ({ method }) => method === "PATCH" && { status: 200, body: "{}" };
  await shown.evaluate(() => svc.admin.updateVersion("an id", { title: undefined, download_url: null, forced: false }, { extra: { later: 1 } }));
  there.answer = () => undefined;
  const [sent] = there.requests(`/admin/projects/${key}/versions`);
  assert.equal(sent.path, `/api/v1/admin/projects/${key}/versions/an%20id`);
  assert.equal(sent.body, '{"download_url":null,"forced":false,"later":1}');
});

// ---- events -----------------------------------------------------------------------------

const eager = { flushIntervalMs: 3600000 };

for (const where of ["the same origin", "another origin"]) {
  page(`leaving a page hands its events over, once, to ${where}`, async ({ open, key }) => {
    const api = where === "the same origin" ? here : there;
    const shown = await open();
    await connect(shown, { baseUrl: api.api, projectKey: key, analytics: eager });
    await shown.evaluate(() => {
      for (let i = 0; i < 3; i++) {
        svc.public.track("tick", { i });
      }
      // Like a browser: first hidden, then left.
      Object.defineProperty(document, "visibilityState", { value: "hidden" });
      document.dispatchEvent(new Event("visibilitychange"));
    });
    await shown.goto(here.url + "/page");
    await until(() => batches(api, key).length > 0, "the batch of the page that was left");
    const [beacon, ...more] = batches(api, key);
    assert.deepEqual(more, []);
    const body = JSON.parse(beacon.body);
    assert.equal(beacon.headers["content-type"].toLowerCase(), where === "the same origin" ? "application/json" : "text/plain;charset=utf-8");
    assert.equal(api.asked.filter(({ method, path }) => method === "OPTIONS" && path.includes(key)).length, 0);
    assert.equal(body.platform, "web");
    assert.match(body.client_time, /^\d{4}-.*[+-]\d\d:\d\d$/);
    assert.deepEqual(body.events.map(({ properties }) => properties.i), [0, 1, 2]);
    assert.equal((await stored(shown)).queue, undefined);
    await connect(await open(), { baseUrl: api.api, projectKey: key, analytics: eager });
    const data = await server.admin("GET", `/public/${key}/events/me?distinct_id=${body.distinct_id}`);
    assert.deepEqual(data.data.map(({ properties }) => properties.i).sort(), [0, 1, 2]);
  });
}

// Implementations of sendBeacon, which replace the original before the library sees it.
const beacons = {
  accepts: () => true,
  refuses: () => false,
  throws: () => {
    throw new TypeError("too large");
  },
  missing: undefined,
};

for (const [how, stays] of Object.entries({ accepts: 0, refuses: 0, throws: 2, missing: 0 })) {
  page(`a browser whose sendBeacon ${how === "missing" ? "is missing" : how} keeps ${stays} events`, async ({ open, key }) => {
    const shown = await open();
    await connect(shown, { baseUrl: there.api, projectKey: key, analytics: eager });
    const seen = await shown.evaluate(
      (source) => {
        window.seen = { beacons: [], fetches: [] };
        const behave = source && new Function("return " + source)();
        navigator.sendBeacon = behave && ((url, body) => (window.seen.beacons.push([url, body.type]), behave()));
        const { fetch } = window;
        window.fetch = (url, init) => {
          window.seen.fetches.push([url, init.keepalive, init.credentials, init.headers["content-type"]]);
          return fetch(url, init);
        };
        svc.public.track("a");
        svc.public.track("b");
        window.dispatchEvent(new PageTransitionEvent("pagehide"));
        return window.seen;
      },
      beacons[how] && String(beacons[how]),
    );
    const url = `${there.api}/public/${key}/events`;
    const type = "text/plain;charset=utf-8";
    assert.deepEqual(seen.beacons, how === "missing" ? [] : [[url, type]]);
    assert.deepEqual(seen.fetches.map((sent) => sent.map((value) => String(value).toLowerCase())), how === "refuses" || how === "missing" ? [[url, "true", "omit", type]] : []);
    const queue = JSON.parse((await stored(shown)).queue ?? "[]");
    assert.equal(queue.length, stays);
    if (seen.fetches.length > 0) {
      await until(() => batches(there, key).length === 1, "the batch of the fetch");
      assert.equal(batches(there, key)[0].headers.cookie, undefined);
    }
  });
}

page("a fetch with keepalive arrives after its page has gone", async ({ open, key }) => {
  const shown = await open();
  await connect(shown, { baseUrl: there.api, projectKey: key, analytics: eager });
  await shown.evaluate(() => {
    navigator.sendBeacon = undefined;
    svc.public.track("last");
  });
  await shown.goto(here.url + "/page");
  await until(() => batches(there, key).length > 0, "the batch");
  assert.deepEqual(eventNames(batches(there, key)), ["last"]);
});

page("an unload sends at most 60,000 bytes; the rest goes out at the next visit, nothing twice", async ({ open, key }) => {
  const shown = await open();
  await connect(shown, { baseUrl: there.api, projectKey: key, analytics: { ...eager, batchSize: 50 } });
  await shown.evaluate(() => {
    for (let i = 0; i < 12; i++) {
      svc.public.track("large", { i, text: "é".repeat(5000) });
    }
  });
  await shown.goto(here.url + "/script");
  await until(() => batches(there, key).length > 0, "the batch of the page that was left");
  await connect(shown, { baseUrl: there.api, projectKey: key, analytics: eager });
  const left = batches(there, key);
  assert.ok(left.reduce((sum, { body }) => sum + Buffer.byteLength(body), 0) <= 60000);
  assert.ok(eventIds(left).length >= 4);
  const flushed = await shown.evaluate(() => svc.public.flush());
  assert.deepEqual(flushed, { sent: 12 - eventIds(left).length, dropped: 0, pending: 0 });
  const ids = eventIds(batches(there, key));
  assert.equal(ids.length, 12);
  assert.equal(new Set(ids).size, 12);
});

page("a page that comes back from the back/forward cache goes on", async ({ key }) => {
  const cached = await launch({ ignoreDefaultArgs: ["--disable-back-forward-cache"] });
  try {
    const shown = await cached.newPage();
    await shown.goto(here.url + "/script");
    await connect(shown, { baseUrl: there.api, projectKey: key, analytics: { flushIntervalMs: 50 } });
    await shown.evaluate(() => {
      window.addEventListener("pageshow", (event) => (window.persisted = event.persisted));
      svc.public.track("before");
    });
    await shown.goto(here.url + "/page");
    await until(() => batches(there, key).length > 0, "the batch of the page that was left");
    await shown.evaluate(() => history.back()).catch(() => undefined);
    await shown.waitForFunction(() => window.persisted);
    await shown.evaluate(() => svc.public.track("after"));
    await until(() => eventNames(batches(there, key)).includes("after"), "the event after the return");
    await shown.evaluate(() => svc.public.track("again"));
    await shown.goto(here.url + "/page");
    await until(() => eventNames(batches(there, key)).includes("again"), "the second unload");
    // Events that were being sent when the page was left may be sent once more under the same ID.
    assert.equal(new Set(eventIds(batches(there, key))).size, 3);
    const [who, ...others] = new Set(batches(there, key).map(({ body }) => JSON.parse(body).distinct_id));
    assert.deepEqual(others, []);
    assert.equal((await server.admin("GET", `/public/${key}/events/me?distinct_id=${who}`)).data.length, 3);
  } finally {
    await cached.close();
  }
});

page("close takes the listeners away and sends what is left", async ({ open, key }) => {
  const shown = await open();
  await connect(shown, { baseUrl: there.api, projectKey: key, analytics: eager });
  await shown.evaluate(async () => {
    svc.public.track("a");
    await svc.close();
    svc.public.track("b");
    window.dispatchEvent(new PageTransitionEvent("pagehide"));
  });
  assert.deepEqual(eventNames(batches(there, key)), ["a"]);
  assert.equal(await shown.evaluate(() => svc.public.getProject().catch((error) => error.name)), "SvcError");
});

page("two tabs share one identifier and one queue, and what one has sent the other does not send again", async ({ open, key }) => {
  const [one, two] = [await open(), await open()];
  const options = { baseUrl: there.api, projectKey: key, analytics: eager };
  await connect(one, options);
  await one.evaluate(() => svc.public.track("first"));
  await connect(two, options);
  await two.evaluate(() => svc.public.track("second"));
  assert.equal(await one.evaluate(() => svc.public.distinctId), await two.evaluate(() => svc.public.distinctId));
  await one.evaluate(() => svc.public.flush());
  await two.evaluate(() => svc.public.flush());
  const data = await server.admin("GET", `/public/${key}/events/me?distinct_id=${await one.evaluate(() => svc.public.distinctId)}`);
  assert.deepEqual(data.data.map(({ name, event_name }) => name ?? event_name).sort(), ["first", "second"]);
  await one.close();
  await two.close();
  assert.equal((await stored(await open())).queue, undefined);
});

page("an opt-out in one tab is one in the other", async ({ open, key }) => {
  const [one, two] = [await open(), await open()];
  for (const tab of [one, two]) {
    await connect(tab, { baseUrl: there.api, projectKey: key, analytics: eager });
    await tab.evaluate(() => svc.public.track("before"));
  }
  await one.evaluate(() => svc.public.optOut());
  assert.deepEqual(await stored(one), { opt_out: "1" });
  await two.evaluate(async () => {
    svc.public.track("after");
    await new Promise((resolve) => setTimeout(resolve, 1100)); // longer than the interval between writes
  });
  await until(() => two.evaluate(() => svc.public.hasOptedOut()), "the opt-out");
  assert.deepEqual(await stored(two), { opt_out: "1" });
  await two.goto(here.url + "/page");
  assert.deepEqual(batches(there, key), []);
});

for (const [name, set] of Object.entries({
  "Global Privacy Control": "Object.defineProperty(Navigator.prototype, 'globalPrivacyControl', { get: () => window.asked !== false })",
  "Do Not Track": "Object.defineProperty(Navigator.prototype, 'doNotTrack', { get: () => (window.asked !== false ? '1' : null) })",
})) {
  page(`${name} collects nothing, and collection goes on without it`, async ({ open, key }) => {
    const shown = await open();
    await connect(shown, { baseUrl: there.api, projectKey: key, analytics: eager });
    await shown.evaluate(() => svc.public.track("before"));
    assert.deepEqual(Object.keys(await stored(shown)).sort(), ["distinct_id", "queue"]);
    await shown.evaluate(set);
    assert.deepEqual(await shown.evaluate(() => (svc.public.track("a"), [svc.public.hasOptedOut(), svc.public.distinctId])), [true, null]);
    assert.deepEqual(await stored(shown), {});
    await shown.goto(here.url + "/script");
    assert.deepEqual(batches(there, key), []);
    await connect(shown, { baseUrl: there.api, projectKey: key, analytics: eager });
    await shown.evaluate(set);
    const flushed = await shown.evaluate(async () => {
      svc.public.track("with");
      window.asked = false;
      svc.public.track("without");
      return svc.public.flush();
    });
    assert.deepEqual(flushed, { sent: 1, dropped: 0, pending: 0 });
    assert.deepEqual(eventNames(batches(there, key)), ["without"]);
  });
}

page("consent is waited for, and nothing is stored before", async ({ open, key }) => {
  const shown = await open();
  await connect(shown, { baseUrl: there.api, projectKey: key, analytics: { ...eager, requireConsent: true } });
  await shown.evaluate(() => svc.public.track("early"));
  assert.deepEqual(await stored(shown), {});
  await shown.evaluate(() => {
    svc.public.grantConsent();
    svc.public.track("granted");
  });
  assert.deepEqual(Object.keys(await stored(shown)).sort(), ["distinct_id", "queue"]);
  await shown.evaluate(() => svc.public.revokeConsent());
  assert.deepEqual(await stored(shown), {});
  await shown.goto(here.url + "/page");
  assert.deepEqual(batches(there, key), []);
});

page("garbage in localStorage, and a storage that is full or forbidden, break nothing", async ({ open, profile, key }) => {
  const shown = await open();
  const options = { baseUrl: there.api, projectKey: key, analytics: eager };
  await connect(shown, options);
  await shown.evaluate(() => svc.public.track("x"));
  const names = await shown.evaluate(() => Object.keys(localStorage));
  await shown.evaluate((all) => all.forEach((name) => localStorage.setItem(name, '[{"event_id":')), names);
  await shown.evaluate((given) => {
    window.svc = new SvcClient(given);
    svc.public.track("good");
  }, options);
  assert.deepEqual(await shown.evaluate(() => svc.public.flush().then(({ dropped, pending }) => [dropped, pending])), [0, 0]);
  assert.ok(eventNames(batches(there, key)).includes("good"));

  const full = await profile.newPage();
  await full.addInitScript(() => {
    Storage.prototype.setItem = () => {
      throw new DOMException("full", "QuotaExceededError");
    };
  });
  await full.goto(here.url + "/script");
  await connect(full, options);
  assert.deepEqual(await full.evaluate(() => (svc.public.track("full"), svc.public.flush().then(({ sent }) => sent > 0))), true);

  // A sandboxed frame must not even access its storage.
  here.pages["/frame"] = '<iframe sandbox="allow-scripts" src="/framed"></iframe>';
  here.pages["/framed"] = `<script src="/lib/svc-sdk.global.js"></script><script>
    const svc = new SvcClient(${JSON.stringify(options)});
    svc.public.track("framed");
    svc.public.flush().then(({ sent }) => parent.postMessage(sent, "*"));
  </script>`;
  const framed = await open(here.url + "/page");
  await framed.evaluate(() => (window.told = new Promise((resolve) => addEventListener("message", ({ data }) => resolve(data)))) && undefined);
  await framed.evaluate(() => {
    const frame = Object.assign(document.createElement("iframe"), { src: "/framed" });
    frame.sandbox.add("allow-scripts");
    document.body.append(frame);
  });
  assert.equal(await framed.evaluate(() => window.told), 1);
});

page("under load every event arrives once or is reported", async ({ open, key }) => {
  const shown = await open();
  let turn = 0;
  there.answer = ({ method, path }) => method === "POST" && path.includes(`/public/${key}/events`) && [undefined, { status: 503, body: "" }, { status: 0 }, undefined][turn++ % 4];
  await connect(shown, { baseUrl: there.api, projectKey: key, analytics: { flushIntervalMs: 20, maxQueueSize: 1500, persistence: "session" } });
  const result = await shown.evaluate(async () => {
    let dropped = 0;
    window.svc.close();
    window.svc = new SvcClient({ baseUrl: svcOptions.baseUrl, projectKey: svcOptions.projectKey, analytics: { ...svcOptions.analytics, onDrop: () => dropped++ } });
    await Promise.all(
      Array.from({ length: 8 }, async (_, task) => {
        for (let i = 0; i < 500; i++) {
          svc.public.track("load", { task, i });
          await new Promise((resolve) => (i % 25 ? queueMicrotask(resolve) : setTimeout(resolve, 1)));
        }
      }),
    );
    for (let left = 1; left > 0; ) {
      left = (await svc.public.flush()).pending;
    }
    return { dropped };
  }).catch((error) => error);
  there.answer = () => undefined;
  if (result instanceof Error) {
    throw result;
  }
  const who = new Set(batches(there, key).map(({ body }) => JSON.parse(body).distinct_id));
  let arrived = 0;
  for (const id of who) {
    arrived += (await server.admin("GET", `/public/${key}/events/me?distinct_id=${id}`)).data.length;
  }
  assert.equal(arrived + result.dropped, 4000);
});

// ---- other places -----------------------------------------------------------------------

page("a worker has neither document nor storage", async ({ open, key }) => {
  here.pages["/worker.js"] = `importScripts("/lib/svc-sdk.global.js");
    onmessage = async ({ data }) => {
      const svc = new SvcClient(data);
      svc.public.track("worked");
      postMessage([await svc.public.flush(), (await svc.public.getProject()).name]);
    };`;
  const shown = await open(here.url + "/page");
  const told = await shown.evaluate(
    (options) =>
      new Promise((resolve) => {
        const worker = new Worker("/worker.js");
        worker.onmessage = ({ data }) => resolve(data);
        worker.postMessage(options);
      }),
    { baseUrl: there.api, projectKey: key, analytics: eager },
  );
  assert.deepEqual(told, [{ sent: 1, dropped: 0, pending: 0 }, key]);
  assert.equal(batches(there, key)[0].headers["x-svc-platform"], "web");
});

page("a page without HTTPS has no randomUUID, and events all the same", async ({ open, key }) => {
  const shown = await open(here.insecure + "/script");
  assert.deepEqual(await shown.evaluate(() => [isSecureContext, typeof crypto.randomUUID]), [false, "undefined"]);
  await connect(shown, { baseUrl: there.api, projectKey: key, analytics: eager });
  assert.deepEqual(await shown.evaluate(() => (svc.public.track("a"), svc.public.flush())), { sent: 1, dropped: 0, pending: 0 });
  const body = JSON.parse(batches(there, key)[0].body);
  for (const id of [body.distinct_id, body.session_id, body.events[0].event_id]) {
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  }
});

page("uncaught errors and rejections become log entries, until that is undone", async ({ open, errors, key }) => {
  const shown = await open();
  await connect(shown, { baseUrl: there.api, projectKey: key, appVersion: "1.2" });
  await shown.evaluate(async () => {
    const undo = svc.logs.install({ redact: (report) => ({ ...report, content: report.content.replace("secret", "…") }) });
    setTimeout(() => {
      throw new RangeError("broken: secret");
    });
    await new Promise((resolve) => setTimeout(resolve, 20));
    void Promise.reject(new TypeError("rejected"));
    await new Promise((resolve) => setTimeout(resolve, 20));
    await svc.logs.flush();
    undo();
    void Promise.reject(new Error("after"));
    await new Promise((resolve) => setTimeout(resolve, 20));
    await svc.logs.flush();
  });
  assert.equal(errors.splice(0).length, 3);
  const logs = (await server.admin("GET", `/admin/projects/${key}/logs`)).data;
  assert.deepEqual(logs.map(({ content }) => content.split("\n")[0]).sort(), ["RangeError: broken: …", "TypeError: rejected"]);
  const [{ level, source, device_info, custom_data }] = logs;
  assert.deepEqual([level, source, device_info.os, device_info.app_version, /^[0-9a-f]{8}$/.test(custom_data.fingerprint)], [3, "uncaught", "web", "1.2", true]);
  assert.match(device_info.sdk, /^svc-sdk-js\//);
});

page("a file goes up in chunks, and comes down verified", async ({ open, key }) => {
  const shown = await open();
  await connect(shown, { baseUrl: there.api, projectKey: key });
  const result = await shown.evaluate(async ([password, origin]) => {
    await svc.login("admin", password);
    const bytes = new Uint8Array(300000).map((_, i) => i * 7);
    const file = await svc.admin.uploadFile(new Blob([bytes]), "app web.bin");
    await svc.admin.createVersion({ version: "2.0", comparable_version: "2.0", title: "t", content: "c", is_latest: true, download_links: [{ name: "app", platform: "web", url: origin + file.path }] });
    const update = await svc.updates.check({ currentComparableVersion: "1.0", force: true });
    const progress = [];
    const got = await update.download(undefined, { onProgress: (received, total) => progress.push([received, total]) });
    const same = new Uint8Array(await got.blob.arrayBuffer()).every((byte, i) => byte === bytes[i]);
    return { size: got.size, verified: got.verified, hash: got.sha256 === file.sha256, same, last: progress.at(-1) };
  }, [server.password, there.url]);
  assert.deepEqual(result, { size: 300000, verified: true, hash: true, same: true, last: [300000, 300000] });

  // A byte changed by a proxy is detected. The query bypasses the browser's cache.
  const [link] = there.requests("/f/");
  there.answer = async ({ method, path }) => {
    if (method !== "GET" || path !== link.path + "?changed") {
      return undefined;
    }
    const answer = await fetch(server.url + path);
    const bytes = Buffer.from(await answer.arrayBuffer());
    bytes[7] ^= 1;
    return { status: 200, headers: { etag: answer.headers.get("etag"), "content-length": String(bytes.length), "access-control-expose-headers": "ETag, Content-Length" }, body: bytes };
  };
  const refused = await shown.evaluate(async () => {
    const update = await svc.updates.check({ currentComparableVersion: "1.0" });
    const link = { ...update.link, url: update.link.url + "?changed" };
    return update.download(undefined, { link }).catch((error) => [error.name, error.message]);
  });
  there.answer = () => undefined;
  assert.equal(refused[0], "SvcConnectionError");
  assert.match(refused[1], /SHA-256/);
});

page("what moves files is loaded from beside the script, also from another origin, and its absence is told", async ({ open, key }) => {
  const shown = await open(here.url + "/page");
  const tryFrom = async (src) => {
    await shown.evaluate((src) => new Promise((resolve) => {
      document.head.append(Object.assign(document.createElement("script"), { src, onload: resolve, onerror: resolve }));
    }), src);
    return shown.evaluate(async (options) => {
      const svc = new SvcClient(options);
      const loaded = () => performance.getEntriesByType("resource").filter(({ name }) => name.includes("transfers")).length;
      const before = loaded();
      const { name, message } = await svc.admin.uploadFile(new Blob(["text"]), "a.txt").catch((error) => error);
      await svc.close();
      return { loaded: loaded() - before, name, message };
    }, { baseUrl: there.api, projectKey: key });
  };
  // The file is available, so that only a credential is missing.
  const found = await tryFrom(server.url + "/sdk/svc-sdk.global.js");
  assert.deepEqual([found.loaded, found.name], [1, "SvcAuthError"]);

  const [part] = /svc-sdk-[0-9a-f]{16}\.transfers\.js/.exec(readFileSync(new URL("../svc-sdk.js", import.meta.url), "utf8"));
  here.pages[`/lib/${part}`] = "the server has another version now";
  const gone = await tryFrom("/lib/svc-sdk.global.js");
  delete here.pages[`/lib/${part}`];
  assert.equal(gone.name, "SvcConnectionError");
  assert.match(gone.message, /^no connection: ./);
});
