// The update helper: its memory, and guarantees of downloads.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { Client } from "../dist/esm/client.js";
import { nodeHost } from "../dist/esm/node.js";
import { memoryStorage, recorder, server, testClient, until } from "./helper.mjs";
import { fakeClock } from "./play.mjs";

const answer = (links = [], more = {}) => ({
  should_update: true,
  required: false,
  reason_codes: ["newer_version_available"],
  current_version: "1",
  current_comparable_version: "1",
  latest_version: null,
  latest_preview_version: null,
  target_version: { version: "2", content: "notes", download_links: links },
  milestone: { current: false, latest: false, target_is_milestone: false },
  ...more,
});

describe("check", () => {
  const start = (options = {}) => {
    const recording = recorder(options.answer ?? (() => Response.json(answer())));
    const storage = options.storage ?? memoryStorage();
    const open = (clock) => testClient({ fetch: recording.fetch, appVersion: "1", analytics: { storage } }, clock ? { clock } : {});
    return { ...recording, storage, open, ...open() };
  };

  it("asks once an interval, also after a restart", async () => {
    const { client, clock, requests, open } = start();
    assert.equal((await client.updates.check()).remembered, false);
    assert.equal((await client.updates.check()).remembered, true);
    clock.wall += 6 * 3600_000 - 1000;
    assert.equal((await open(clock).client.updates.check()).remembered, true);
    clock.wall += 1000;
    assert.equal((await open(clock).client.updates.check()).remembered, false);
    assert.equal(requests.length, 2);
  });
  it("asks again when forced, with other arguments, and when the clock went back", async () => {
    const { client, clock, requests } = start();
    await client.updates.check();
    assert.equal((await client.updates.check({ force: true })).remembered, false);
    assert.equal((await client.updates.check({ includePreview: true })).remembered, false);
    clock.wall -= 1000;
    assert.equal((await client.updates.check({ includePreview: true })).remembered, false);
    assert.equal(requests.length, 4);
  });
  it("concurrent checks share a request", async () => {
    const { client, requests } = start();
    await Promise.all([client.updates.check(), client.updates.check(), client.updates.check()]);
    assert.equal(requests.length, 1);
  });
  it("a caller that gives up leaves the check to the others, and the last one ends it", async () => {
    let finish;
    let signal;
    const { client, requests } = start({
      answer: (_, __, init) => {
        signal = init.signal;
        return new Promise((resolve) => (finish = () => resolve(Response.json(answer()))));
      },
    });
    const [first, second] = [new AbortController(), new AbortController()];
    const given = client.updates.check({ signal: first.signal });
    const kept = client.updates.check({ signal: second.signal });
    await until(() => requests.length);
    first.abort();
    await assert.rejects(given, { name: "SvcConnectionError" });
    assert.equal(signal.aborted, false);
    finish();
    assert.equal((await kept).decision, "optional");

    const alone = client.updates.check({ force: true, signal: second.signal });
    await until(() => requests.length === 2);
    second.abort();
    await assert.rejects(alone, { name: "SvcConnectionError" });
    assert.equal(signal.aborted, true);
  });
  describe("a running version that was never published", () => {
    const unknown = { statusCode: 400, message: 'no comparable version is known; send current_comparable_version', error: "Bad Request" };
    const unpublished = () =>
      start({ answer: ({ body }) => (JSON.parse(body).current_comparable_version ? Response.json(answer()) : Response.json(unknown, { status: 400 })) });
    const asked = (requests) => requests.map(({ body }) => [JSON.parse(body).current_version, JSON.parse(body).current_comparable_version]);

    it("is compared as what it stands for", async () => {
      const { client, requests } = unpublished();
      assert.equal((await client.updates.check({ currentVersion: "v1.4" })).decision, "optional");
      assert.deepEqual(asked(requests), [["v1.4", undefined], ["v1.4", "1.4"]]);
      assert.equal((await client.updates.check({ currentVersion: "v1.4" })).remembered, true);
    });
    it("is an error that says what to do when it stands for none", async () => {
      const { client, requests } = unpublished();
      await assert.rejects(client.updates.check({ currentVersion: "nightly" }), { name: "SvcApiError", status: 400, message: /send current_comparable_version/ });
      assert.equal(requests.length, 1);
      assert.equal((await client.updates.check({ currentVersion: "nightly", currentComparableVersion: "1.4" })).decision, "optional");
    });
  });
  it("errors are not remembered", async () => {
    let status = 500;
    const { client } = start({ answer: () => Response.json(answer(), { status }) });
    await assert.rejects(client.updates.check(), { name: "SvcApiError", status: 500 });
    status = 200;
    assert.equal((await client.updates.check()).decision, "optional");
  });
  it("garbage in the storage is ignored, and a storage that throws means memory", async () => {
    const storage = memoryStorage();
    storage.values.set("svc.updates.454ea31f-demo.last", '{"answer":{}}');
    const { client } = start({ storage });
    assert.equal((await client.updates.check()).remembered, false);
    const broken = { read() { throw new Error("no"); }, write() { throw new Error("no"); }, remove() { throw new Error("no"); } };
    const other = start({ storage: broken });
    assert.equal((await other.client.updates.check()).remembered, false);
    assert.equal((await other.client.updates.check()).remembered, true);
  });
  it("remembers the answer under its key, without the notes when they are long", async () => {
    const long = answer();
    long.target_version.content = "x".repeat(300_000);
    const { client, storage } = start({ answer: () => Response.json(long) });
    await client.updates.check({ locale: "de" });
    const memory = JSON.parse(storage.values.get("svc.updates.454ea31f-demo.last"));
    assert.deepEqual({ ...memory, answer: memory.answer.target_version.content }, {
      checked_at: 1_800_000_000, next_at: 1_800_021_600, key: "1||false|de", answer: null,
    });
  });
  it("keeps the rollout key in memory until the user agrees", async () => {
    const storage = memoryStorage();
    const { fetch, requests } = recorder(() => Response.json(answer()));
    const { client } = testClient({ fetch, appVersion: "1", analytics: { storage, requireConsent: true } });
    await client.public.checkUpdate();
    await client.public.checkUpdate();
    assert.deepEqual([...storage.values.keys()], []);
    client.public.grantConsent();
    await client.public.checkUpdate();
    const keys = requests.map(({ body }) => JSON.parse(body).rollout_key);
    assert.deepEqual([...storage.values.values()], [keys[0]]);
    assert.deepEqual(new Set(keys).size, 1);
  });
  it("lies in a file of its own beside the state", async (t) => {
    const home = mkdtempSync(join(tmpdir(), "svc-sdk-"));
    t.after(() => rmSync(home, { recursive: true, force: true }));
    const before = process.env.XDG_STATE_HOME;
    process.env.XDG_STATE_HOME = home;
    t.after(() => (before === undefined ? delete process.env.XDG_STATE_HOME : (process.env.XDG_STATE_HOME = before)));
    const { fetch } = recorder(() => Response.json(answer()));
    const client = new Client({ baseUrl: "https://svc.example.com/api/v1", projectKey: "demo", appVersion: "1", fetch }, { ...nodeHost, clock: fakeClock() });
    await client.updates.check();
    assert.deepEqual(readdirSync(join(home, "svc-sdk")).sort(), ["454ea31f-demo.json", "454ea31f-demo.updates.json"]);
    const state = JSON.parse(readFileSync(join(home, "svc-sdk", "454ea31f-demo.json"), "utf8"));
    assert.deepEqual(Object.keys(state), ["svc.analytics.454ea31f-demo.rollout_key"]);
    assert.match(Object.values(state)[0], /^\d{1,4}$/);
  });
});

describe("download", () => {
  const bytes = Buffer.from(Array.from({ length: 100_000 }, (_, i) => i % 251));
  const hash = createHash("sha256").update(bytes).digest("hex");
  const own = "/f/demo/0123456789ab/app-linux.bin";

  /** A file server; `script(n)` changes the nth response. */
  async function files(t, script = () => ({})) {
    const ranges = [];
    const { url, hits } = await server(t, (request, response, _, n) => {
      const { status, headers = {}, cut, body = bytes, etag = `"${hash}"` } = script(n, request);
      ranges.push(request.headers.range ?? null);
      const from = request.headers.range && request.headers["if-range"] === etag ? Number(/\d+/.exec(request.headers.range)[0]) : 0;
      const part = body.subarray(from);
      const all = { "content-length": part.length, ...(etag && { etag }), ...(from && { "content-range": `bytes ${from}-${body.length - 1}/${body.length}` }), ...headers };
      response.writeHead(status ?? (from ? 206 : 200), all);
      if (cut) {
        response.write(part.subarray(0, cut));
        setTimeout(() => response.destroy(), 20);
      } else {
        response.end(status && status !== 200 ? undefined : part);
      }
    });
    const folder = mkdtempSync(join(tmpdir(), "svc-sdk-"));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const get = async (options = {}, path = own, to = join(folder, "app")) => {
      const link = path.includes("://") ? path : url + path;
      const { client } = testClient({
        appVersion: "1",
        token: "secret",
        headers: { "x-own": "1" },
        baseUrl: options.baseUrl ?? url + "/api/v1",
        fetch: (address, init) =>
          String(address).endsWith("check-update") ? Promise.resolve(Response.json(answer([{ url: link }]))) : fetch(address, init),
      }, { platform: () => "linux" });
      return (await client.updates.check()).download(to, options);
    };
    return { url, hits, ranges, folder, get, path: join(folder, "app") };
  }

  it("verifies an own link and sends nothing that identifies", async (t) => {
    const { get, hits, path } = await files(t);
    assert.deepEqual(await get(), { path, size: bytes.length, sha256: hash, verified: true });
    assert.deepEqual(readFileSync(path), bytes);
    const names = Object.keys(hits[0].headers);
    assert.ok(!names.some((name) => name.startsWith("x-") || ["authorization", "cookie"].includes(name)), names.join());
  });
  it("resumes a broken connection with Range", async (t) => {
    const { get, ranges, path } = await files(t, (n) => (n < 3 ? { cut: 30_000 } : {}));
    assert.equal((await get()).verified, true);
    assert.deepEqual(ranges, [null, "bytes=30000-", "bytes=60000-"]);
    assert.deepEqual(readFileSync(path), bytes);
  });
  it("starts again when there is no strong ETag, and when the file changed", async (t) => {
    const weak = await files(t, (n) => ({ etag: 'W/"a"', ...(n === 1 && { cut: 30_000 }) }));
    assert.equal((await weak.get({}, "/app-linux.bin")).verified, false);
    assert.deepEqual(weak.ranges, [null, null]);
    const changed = await files(t, (n) => (n === 1 ? { cut: 30_000, etag: `"${"0".repeat(64)}"` } : {}));
    assert.equal((await changed.get()).verified, true);
    assert.deepEqual(changed.ranges, [null, "bytes=30000-"]);
  });
  it("goes on with what a killed process left", async (t) => {
    const { get, ranges, path } = await files(t);
    writeFileSync(`${path}.${hash.slice(0, 16)}.part`, bytes.subarray(0, 40_000));
    assert.equal((await get()).verified, true);
    assert.deepEqual(ranges, [null, "bytes=40000-"]);
  });
  it("gives up after five attempts without a byte", async (t) => {
    const { get, hits, folder } = await files(t, () => ({ status: 503 }));
    await assert.rejects(get(), { name: "SvcConnectionError" });
    assert.equal(hits.length, 5);
    assert.deepEqual(readdirSync(folder), []);
  });
  for (const [what, script, message] of [
    ["another hash", () => ({ body: Buffer.from(bytes).fill(1, 5, 6) }), /SHA-256/],
    ["no hash in the ETag", () => ({ etag: '"abc"' }), /no size and hash/],
    ["a status", () => ({ status: 404 }), /answered with 404/],
  ]) {
    it(`refuses ${what}, leaves no half file and the old one as it was`, async (t) => {
      const { get, folder, path } = await files(t, script);
      writeFileSync(path, "old");
      await assert.rejects(get(), (error) => error.name === "SvcConnectionError" && message.test(error.message));
      assert.deepEqual(readdirSync(folder), ["app"]);
      assert.equal(readFileSync(path, "utf8"), "old");
    });
  }
  it("a partial file with other bytes is refused and removed", async (t) => {
    const { get, folder, path } = await files(t);
    writeFileSync(`${path}.${hash.slice(0, 16)}.part`, Buffer.alloc(40_000));
    await assert.rejects(get(), /SHA-256/);
    assert.deepEqual(readdirSync(folder), []);
  });
  it("what stands in the place of the partial file is neither followed nor waited for", async (t) => {
    const { get, folder, path } = await files(t);
    const victim = join(folder, "victim");
    writeFileSync(victim, "untouched");
    symlinkSync(victim, `${path}.${hash.slice(0, 16)}.part`);
    assert.equal((await get()).verified, true);
    assert.equal(readFileSync(victim, "utf8"), "untouched");
    assert.ok(lstatSync(path).isFile());
    assert.deepEqual(readFileSync(path), bytes);
  });
  it("two downloads at once to one path do not disturb each other", async (t) => {
    const { get, folder, path } = await files(t, (n) => (n < 3 ? { cut: 30_000 } : {}));
    const [one, two] = await Promise.all([get(), get()]);
    assert.deepEqual([one.verified, two.verified], [true, true]);
    assert.deepEqual(readFileSync(path), bytes);
    assert.deepEqual(readdirSync(folder), ["app"]);
  });
  it("gives up on a server that takes back what it sent, again and again", async (t) => {
    const lie = { status: 206, headers: { "content-range": "bytes 1-2/3", "content-length": 0 } };
    const { get, hits, folder } = await files(t, (_, request) => (request.headers.range ? lie : { cut: 30_000 }));
    await assert.rejects(get(), { name: "SvcConnectionError" });
    assert.ok(hits.length < 12, String(hits.length));
    assert.deepEqual(readdirSync(folder), []);
  });
  it("a refused answer that never ends is left, so that it does not keep the process", async (t) => {
    let left;
    const closed = new Promise((resolve) => (left = resolve));
    const { url } = await server(t, (_, response) => {
      response.on("close", left);
      response.writeHead(404);
      response.write("x");
    });
    const direct = testClient({ appVersion: "1", baseUrl: url + "/api/v1", fetch: (address, init) =>
      String(address).endsWith("check-update") ? Promise.resolve(Response.json(answer([{ url: url + "/app-linux.bin" }]))) : globalThis.fetch(address, init) }, { platform: () => "linux" });
    await assert.rejects((await direct.client.updates.check()).download(join(tmpdir(), "svc-sdk-never")), /404/);
    await closed;
  });
  it("cancelling leaves nothing", async (t) => {
    const { get, folder } = await files(t, () => ({ cut: 30_000, headers: {} }));
    const control = new AbortController();
    await assert.rejects(get({ signal: control.signal, onProgress: () => control.abort() }), { name: "SvcConnectionError" });
    assert.deepEqual(readdirSync(folder), []);
  });
  it("follows redirects to other hosts", async (t) => {
    const { url } = await files(t);
    const { get, path } = await files(t, () => ({ status: 302, headers: { location: url + "/real.bin" } }));
    assert.equal((await get({}, "/app-linux.bin")).size, bytes.length);
    assert.ok(existsSync(path));
  });
  it("an https instance never leads to an http download", async (t) => {
    const { get, hits } = await files(t);
    await assert.rejects(get({ baseUrl: "https://svc.example.com/api/v1" }), { name: "SvcError" });
    await assert.rejects(get({}, "ftp://dl.example.com/app-linux.bin"), { name: "SvcError" });
    assert.equal(hits.length, 0);
  });
  it("gives a stream the bytes only when they are verified", async (t) => {
    const { get } = await files(t, () => ({ body: Buffer.alloc(100_000) }));
    const written = [];
    let aborted = false;
    const stream = new WritableStream({ write: (chunk) => void written.push(chunk), abort: () => void (aborted = true) });
    await assert.rejects(get({}, own, stream), /SHA-256/);
    assert.ok(aborted);
    assert.equal(written.length, 0);
    const good = await files(t);
    const parts = [];
    await good.get({}, own, new WritableStream({ write: (chunk) => void parts.push(chunk) }));
    assert.deepEqual(Buffer.concat(parts), bytes);
  });
});
