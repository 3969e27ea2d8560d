// Contract 11 and 10: leaving a page, and privacy signals, with the browser's parts stubbed.

import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { browserHost, SvcClient } from "../dist/esm/browser.js";
import { memoryStorage, until } from "./helper.mjs";

const names = ["document", "window", "navigator", "location", "fetch"];

describe("leaving a page", () => {
  let saved;
  let beacons;
  let fetches;
  let send;
  let page;
  let frame;

  beforeEach(() => {
    saved = names.map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)]);
    beacons = [];
    fetches = [];
    send = () => true;
    page = Object.assign(new EventTarget(), { visibilityState: "visible" });
    frame = new EventTarget();
    const navigator = {
      userAgent: "test",
      sendBeacon(url, blob) {
        beacons.push({ url, blob });
        return send();
      },
    };
    const fetch = (url, init) => {
      fetches.push({ url, init });
      return Promise.resolve(new Response());
    };
    const values = { document: page, window: frame, navigator, location: { origin: "https://svc.example.com" }, fetch };
    for (const name of names) {
      Object.defineProperty(globalThis, name, { value: values[name], configurable: true, writable: true });
    }
  });
  afterEach(() => {
    for (const [name, descriptor] of saved) {
      delete globalThis[name];
      if (descriptor) {
        Object.defineProperty(globalThis, name, descriptor);
      }
    }
  });

  const open = (analytics = {}, options = {}) => {
    const storage = memoryStorage();
    const client = new SvcClient({
      baseUrl: "https://svc.example.com/api/v1",
      projectKey: "demo",
      ...options,
      analytics: { storage, flushIntervalMs: 3_600_000, ...analytics },
    });
    const left = () => JSON.parse(storage.values.get("svc.analytics.454ea31f-demo.queue") ?? "[]").map((entry) => entry.name);
    return { client, storage, left };
  };
  const leave = () => frame.dispatchEvent(new Event("pagehide"));
  const hide = () => {
    page.visibilityState = "hidden";
    page.dispatchEvent(new Event("visibilitychange"));
  };

  it("a beacon that is taken empties the queue", async () => {
    const { client, left } = open();
    client.public.track("a", { n: 1 });
    leave();
    assert.deepEqual(left(), []);
    assert.equal(beacons[0].url, "https://svc.example.com/api/v1/public/demo/events");
    assert.equal(beacons[0].blob.type, "application/json");
    const body = JSON.parse(await beacons[0].blob.text());
    assert.equal(body.platform, "web");
    assert.match(body.client_time, /^\d{4}-\d\d-\d\dT/);
    assert.deepEqual(body.events[0].properties, { n: 1 });
    hide();
    assert.equal(beacons.length, 1);
  });
  it("is text for another origin, so that no preflight is needed", () => {
    const { client } = open({}, { baseUrl: "https://other.example.com/api/v1" });
    client.public.track("a");
    hide();
    assert.equal(beacons[0].blob.type, "text/plain;charset=utf-8");
  });
  for (const [what, change] of [
    ["refused", () => (send = () => false)],
    ["missing", () => delete globalThis.navigator.sendBeacon],
  ]) {
    it(`a beacon that is ${what} becomes a fetch that outlives the page`, () => {
      const { client, left } = open();
      change();
      client.public.track("a");
      leave();
      assert.deepEqual(left(), []);
      const { init } = fetches[0];
      assert.deepEqual([init.method, init.keepalive, init.credentials], ["POST", true, "omit"]);
    });
  }
  for (const [what, change] of [
    ["a beacon that throws", () => (send = () => { throw new Error("no"); })],
    ["a fetch that throws", () => {
      send = () => false;
      globalThis.fetch = () => { throw new Error("no"); };
    }],
  ]) {
    it(`${what} leaves the events stored`, () => {
      const { client, left } = open();
      change();
      client.public.track("a");
      leave();
      assert.deepEqual(left(), ["a"]);
    });
  }
  it("a fetch that fails after the page was hidden puts its events back, before newer ones", async () => {
    const { client, left } = open();
    send = () => false;
    let fail;
    globalThis.fetch = () => new Promise((_, reject) => (fail = reject));
    client.public.track("a");
    client.public.track("b");
    hide();
    assert.deepEqual(left(), []);
    client.public.track("c");
    fail(new TypeError("offline"));
    await until(() => left().length > 1);
    assert.deepEqual(left(), ["a", "b", "c"]);

    hide();
    client.public.optOut();
    fail(new TypeError("offline"));
    await new Promise((resolve) => setImmediate(resolve));
    client.public.optIn();
    assert.deepEqual([left(), (await client.public.flush()).pending], [[], 0]);
  });
  it("hands over at most 60 000 bytes, in batches, and keeps the rest", async () => {
    const { client, left } = open({ batchSize: 3 });
    for (let i = 0; i < 10; i++) {
      client.public.track(`e${i}`, { text: "x".repeat(9000) });
    }
    // A full batch wakes the sender. Events that it has not sent yet are sent with the page.
    leave();
    const sizes = beacons.map(({ blob }) => blob.size);
    assert.ok(sizes.reduce((a, b) => a + b) <= 60_000, String(sizes));
    assert.deepEqual(await Promise.all(beacons.map(async ({ blob }) => JSON.parse(await blob.text()).events.length)), [3, 3]);
    assert.deepEqual(left(), ["e6", "e7", "e8", "e9"]);
  });
  it("nothing when not active, and nothing after close", async () => {
    const { client } = open({ requireConsent: true });
    client.public.grantConsent();
    client.public.track("a");
    client.public.revokeConsent();
    leave();
    const other = open().client;
    other.public.track("a");
    await other.close();
    leave();
    assert.equal(beacons.length, 0);
  });
  it("a privacy signal deletes what is stored and leaves no marker; it may go away", () => {
    const { client, storage } = open();
    client.public.track("a");
    assert.equal(storage.values.size, 2);
    for (const signal of [{ globalPrivacyControl: true }, { doNotTrack: "1" }, { doNotTrack: "yes" }]) {
      Object.assign(globalThis.navigator, signal);
      assert.equal(client.public.hasOptedOut(), true);
      client.public.track("b");
      assert.equal(storage.values.size, 0);
      assert.equal(client.public.distinctId, null);
      Object.keys(signal).forEach((name) => delete globalThis.navigator[name]);
    }
    client.public.track("c");
    assert.equal(client.public.hasOptedOut(), false);
    assert.equal(storage.values.size, 2);
  });
  it("signals can be ignored", () => {
    const { client } = open({ respectDoNotTrack: false });
    globalThis.navigator.doNotTrack = "1";
    assert.equal(client.public.hasOptedOut(), false);
  });
  it("a worker without a document has no listeners", () => {
    delete globalThis.document;
    delete globalThis.window;
    const { client } = open();
    client.public.track("a");
    assert.equal(browserHost.platform(), "web");
  });
});
