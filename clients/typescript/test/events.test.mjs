// Contract 15.8, 8, 10 and 12: the queue under load, its limits, consent and the end.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { json, memoryStorage, recorder, server, testClient, until } from "./helper.mjs";
import { settle } from "./play.mjs";

const accepted = () => Response.json({ accepted: 1, skipped: 0, suppressed: false }, { status: 202 });
const eventsOf = (requests) => requests.flatMap((request) => JSON.parse(request.body).events);

describe("under load", () => {
  it("every event is delivered exactly once or reported as dropped", async (t) => {
    const seed = Math.floor(Math.random() * 2 ** 31);
    t.diagnostic(`seed ${seed}`);
    let state = seed;
    const random = () => {
      state = (Math.imul(state, 1103515245) + 12345) >>> 0;
      return state / 2 ** 32;
    };
    const delivered = [];
    const dropped = [];
    const { fetch } = recorder(async ({ body }) => {
      await new Promise((resolve) => setTimeout(resolve));
      const what = random();
      if (what < 0.3) {
        throw new TypeError("no answer");
      }
      if (what < 0.5) {
        return Response.json({}, { status: what < 0.4 ? 503 : 500 });
      }
      delivered.push(...JSON.parse(body).events.map((event) => event.properties.n));
      return accepted();
    });
    const { client } = testClient({ fetch, analytics: { maxQueueSize: 300, onDrop: (name) => dropped.push(Number(name.slice(1))) } });
    await Promise.all(
      Array.from({ length: 8 }, async (_, task) => {
        for (let i = 0; i < 500; i++) {
          const n = task * 500 + i;
          client.public.track(`e${n}`, { n });
          await new Promise((resolve) => setImmediate(resolve));
          if (i % 50 === 49) {
            await client.public.flush();
          }
        }
      }),
    );
    await until(async () => (await client.public.flush()).pending === 0);
    assert.equal(new Set([...delivered, ...dropped]).size, 4000);
    assert.equal(delivered.length + dropped.length, 4000);
  });
  it("track takes events while the only send has no answer", async () => {
    let answer;
    const answered = new Promise((resolve) => (answer = resolve));
    const { requests, fetch } = recorder(() => answered.then(accepted));
    const { client } = testClient({ fetch });
    for (let i = 0; i < 4000; i++) {
      client.public.track("tick", { i });
      if (i % 20 === 0) {
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
    assert.equal(requests.length, 1);
    client.public.optOut();
    answer();
  });
});

describe("track", () => {
  it("takes a snapshot of the properties", async () => {
    const { requests, fetch } = recorder(accepted);
    const { client } = testClient({ fetch });
    const properties = { a: 1, list: [1] };
    client.public.track("one", properties);
    properties.a = 2;
    properties.list.push(2);
    await client.public.flush();
    assert.deepEqual(eventsOf(requests)[0].properties, { a: 1, list: [1] });
  });
  it("never throws, whatever it gets", async () => {
    const { requests, fetch } = recorder(accepted);
    const { client } = testClient({ fetch });
    const cycle = { ok: 1 };
    cycle.self = cycle;
    const thrower = { ok: 2, get bad() { throw new Error("no"); } };
    for (const properties of [cycle, thrower, null, undefined, "text", 7, [1], { big: 5n, f() {}, s: Symbol("x"), nan: NaN, inf: Infinity, d: new Date(0), u: undefined }]) {
      client.public.track("odd", properties);
    }
    for (const name of [undefined, null, 7, {}, Symbol("x"), ""]) {
      client.public.track(name);
    }
    await client.public.flush();
    const [a, b, , , , , , last] = eventsOf(requests).map((event) => event.properties);
    assert.deepEqual(a, { ok: 1, self: "[unreadable]" });
    assert.deepEqual(b, { ok: 2, bad: "[unreadable]" });
    assert.deepEqual(last, { big: "5", f: "f() {}", s: "Symbol(x)", nan: null, inf: null, d: "1970-01-01T00:00:00.000Z" });
  });
  it("drops what is too large and what has no name, and tells why", async () => {
    const dropped = [];
    const { client } = testClient({ fetch: recorder().fetch, analytics: { onDrop: (...drop) => dropped.push(drop) } });
    client.public.track("two words");
    client.public.track("big", { text: "x".repeat(16384) });
    client.public.track("wide", { text: "\u00e9".repeat(8190) });
    assert.deepEqual(dropped, [["two words", "invalid name"], ["big", "properties over 16 KiB"], ["wide", "properties over 16 KiB"]]);
    assert.equal(client.analytics.queue.entries.length, 0);
  });
  it("drops the oldest entry that is not in flight", async () => {
    const dropped = [];
    let release;
    const { requests, fetch } = recorder(() => new Promise((resolve) => (release = () => resolve(accepted()))));
    const { client } = testClient({ fetch, analytics: { batchSize: 2, maxQueueSize: 3, onDrop: (name) => dropped.push(name) } });
    for (const name of ["a", "b", "c", "d"]) {
      client.public.track(name);
      await until(() => name === "a" || requests.length === 1);
    }
    assert.deepEqual(dropped, ["c"]);
    release();
    await settle(client);
    assert.deepEqual(client.analytics.queue.entries.map((entry) => entry.name), ["d"]);
  });
});

describe("sending", () => {
  it("keeps bodies under 64 KiB and batches under their size", async () => {
    const { requests, fetch } = recorder(accepted);
    const { client } = testClient({ fetch, analytics: { batchSize: 50 } });
    for (let i = 0; i < 10; i++) {
      client.public.track("large", { text: "\u00e9".repeat(7000) });
    }
    await client.public.flush();
    assert.deepEqual(requests.map((request) => JSON.parse(request.body).events.length), [4, 4, 2]);
    for (const { body } of requests) {
      assert.ok(Buffer.byteLength(body) <= 65536);
    }
  });
  it("has the wire shape of the contract", async () => {
    const { requests, fetch } = recorder(accepted);
    const { client } = testClient({ fetch });
    client.public.track(" Opened ");
    await client.public.flush();
    const { distinct_id: who, session_id: session, events, ...rest } = JSON.parse(requests[0].body);
    const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
    assert.match(who, uuid);
    assert.match(session, uuid);
    assert.match(events[0].event_id, uuid);
    assert.deepEqual(rest, {});
    assert.deepEqual(events, [{ event_id: events[0].event_id, name: "opened", occurred_at: 1_800_000_000 }]);
    assert.equal(requests[0].headers.get("content-type"), "application/json");
    assert.equal(requests[0].headers.get("authorization"), null);
  });
  it("resends an event under the same id", async () => {
    const { requests, fetch } = recorder((_, n) => (n === 1 ? new Response("", { status: 500 }) : accepted()));
    const { client } = testClient({ fetch });
    client.public.track("a");
    assert.deepEqual(await client.public.flush(), { sent: 0, dropped: 0, pending: 1 });
    assert.deepEqual(await client.public.flush(), { sent: 1, dropped: 0, pending: 0 });
    assert.equal(requests[0].body, requests[1].body);
  });
  it("backs off after failures, and track does not shorten it", async () => {
    const { requests, fetch } = recorder(() => new Response("", { status: 503, headers: { "retry-after": "120" } }));
    const { client, clock } = testClient({ fetch, analytics: { batchSize: 1, flushIntervalMs: 5000 } });
    client.public.track("a");
    await settle(client);
    client.public.track("b");
    clock.monotonic += 119_000;
    client.public.track("c");
    await settle(client);
    assert.equal(requests.length, 1);
    clock.monotonic += 1000;
    client.public.track("d");
    await settle(client);
    assert.equal(requests.length, 2);
  });
  it("holds after 404, and stops after three until flush", async () => {
    let status = 404;
    const { requests, fetch } = recorder(() => new Response("", { status }));
    const { client, clock } = testClient({ fetch, analytics: { batchSize: 1 } });
    for (let i = 0; i < 6; i++) {
      client.public.track("a");
      await settle(client);
      clock.monotonic += 60_000;
    }
    assert.equal(requests.length, 3);
    status = 202;
    assert.equal((await client.public.flush()).pending, 0);
    client.public.track("b");
    await settle(client);
    assert.equal(client.analytics.queue.entries.length, 0);
  });
  it("passes rejected items on to the drop hook", async () => {
    const dropped = [];
    const { fetch } = recorder(() => Response.json({ accepted: 1, skipped: 1, suppressed: false, rejected: [{ index: 1, message: "bad" }] }, { status: 202 }));
    const { client } = testClient({ fetch, analytics: { onDrop: (...drop) => dropped.push(drop) } });
    client.public.track("a");
    client.public.track("b");
    assert.deepEqual(await client.public.flush(), { sent: 2, dropped: 0, pending: 0 });
    assert.deepEqual(dropped, [["b", "bad"]]);
  });
  it("a flush joins the send that runs", async () => {
    let release;
    const { requests, fetch } = recorder((_, n) => (n === 1 ? new Promise((resolve) => (release = () => resolve(accepted()))) : accepted()));
    const { client } = testClient({ fetch, analytics: { batchSize: 1 } });
    client.public.track("a");
    await until(() => requests.length === 1);
    client.public.track("b");
    const flushed = client.public.flush();
    release();
    assert.deepEqual(await flushed, { sent: 2, dropped: 0, pending: 0 });
    assert.equal(requests.length, 2);
  });
  it("opting out aborts a running send and puts nothing back", async () => {
    let aborted = false;
    const { requests, fetch } = recorder((_, __, init) => new Promise((_, reject) => init.signal.addEventListener("abort", () => {
      aborted = true;
      reject(init.signal.reason);
    })));
    const storage = memoryStorage();
    const { client } = testClient({ fetch, analytics: { storage } });
    client.public.track("a");
    const flushed = client.public.flush();
    await until(() => requests.length === 1);
    client.public.optOut();
    assert.deepEqual(await flushed, { sent: 0, dropped: 0, pending: 0 });
    assert.ok(aborted);
    assert.deepEqual([...storage.values.keys()].map((key) => key.split(".").at(-1)), ["opt_out"]);
  });
});

describe("rebinding", () => {
  it("events never reach another project", async () => {
    const { requests, fetch } = recorder(accepted);
    for (const analytics of [{}, { persistence: "session" }, { namespace: "mine" }]) {
      requests.length = 0;
      const { client } = testClient({ fetch, analytics });
      client.public.track("a");
      client.setProjectKey("other");
      client.public.track("b");
      await client.public.flush();
      await settle(client);
      client.setProjectKey("demo");
      await client.public.flush();
      await settle(client);
      const reached = requests.map(({ url, body }) => [url.split("/").at(-2), ...JSON.parse(body).events.map((event) => event.name)]);
      assert.deepEqual(reached.sort(), [["demo", "a"], ["other", "b"]], JSON.stringify(analytics));
    }
  });
});

describe("the identifier", () => {
  it("is null while nothing is collected, and made by reading it", () => {
    const { client } = testClient({ analytics: { requireConsent: true } });
    assert.equal(client.public.distinctId, null);
    client.public.grantConsent();
    const id = client.public.distinctId;
    assert.equal(client.public.distinctId, id);
    client.public.resetIdentity();
    assert.notEqual(client.public.distinctId, id);
  });
  it("delete drops what is queued under it first", async () => {
    const { requests, fetch } = recorder(() => Response.json({ success: true, deleted: 0 }));
    const { client } = testClient({ fetch });
    client.public.track("a");
    await client.public.deleteMyData();
    await client.public.flush();
    assert.deepEqual(requests.map((request) => request.method), ["DELETE"]);
    assert.equal(new URL(requests[0].url).searchParams.get("distinct_id"), client.public.distinctId);
  });
});

describe("the end", () => {
  it("close sends what is left, and then nothing is collected", async () => {
    const { requests, fetch } = recorder(accepted);
    const { client } = testClient({ fetch });
    client.public.track("a");
    await client.close();
    client.public.track("b");
    await client.close();
    assert.deepEqual(eventsOf(requests).map((event) => event.name), ["a"]);
  });
  it("close gives up after its time and keeps the queue", async () => {
    const storage = memoryStorage();
    const { client } = testClient({ fetch: () => new Promise(() => {}), analytics: { storage } });
    client.public.track("a");
    await client.close({ timeoutMs: 20 });
    assert.match([...storage.values.entries()].find(([key]) => key.endsWith("queue"))[1], /"name":"a"/);
  });
  it("a process that ends by itself flushes, and no timer keeps it alive", async (t) => {
    const { url, hits } = await server(t, (_, response) => json(response, 202, { accepted: 1, skipped: 0, suppressed: false }));
    const home = mkdtempSync(join(tmpdir(), "svc-sdk-"));
    t.after(() => rmSync(home, { recursive: true, force: true }));
    const code = `import { SvcClient } from ${JSON.stringify(new URL("../dist/esm/index.js", import.meta.url).href)};
new SvcClient({ baseUrl: ${JSON.stringify(url + "/api/v1")}, projectKey: "demo", analytics: { flushIntervalMs: 3600000 } }).public.track("bye");`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", code], {
      stdio: "inherit",
      env: { ...process.env, XDG_STATE_HOME: home },
    });
    assert.equal(await new Promise((resolve) => child.on("exit", resolve)), 0);
    assert.deepEqual(eventsOf(hits).map((event) => event.name), ["bye"]);
  });
});
