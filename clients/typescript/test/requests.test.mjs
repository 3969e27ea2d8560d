// Contract 15.4, 15.5 and 15.6: headers, retries and errors.

import assert from "node:assert/strict";
import { createServer } from "node:net";
import { describe, it } from "node:test";
import { SDK_VERSION, SvcClient } from "../dist/esm/index.js";
import { json, recorder, server, testClient } from "./helper.mjs";

const linux = { platform: () => "linux", platformVersion: () => "debian 13" };

describe("headers", () => {
  const sent = async (options, host = linux, before = () => {}) => {
    const { requests, fetch } = recorder();
    const { client } = testClient({ fetch, token: "t", ...options }, host);
    before(client);
    await client.public.getProject();
    return requests[0].headers;
  };

  it("has the default set", async () => {
    const headers = await sent({ appIdentifier: "Acme/2" });
    assert.deepEqual([...headers.keys()].sort(), ["accept", "user-agent", "x-svc-client-time", "x-svc-platform", "x-svc-platform-version"]);
    assert.equal(headers.get("user-agent"), `svc-sdk-js/${SDK_VERSION} Acme/2`);
    assert.match(headers.get("x-svc-client-time"), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d$/);
  });
  it("turning the platform off turns the version off", async () => {
    const headers = await sent({ platform: null });
    assert.equal(headers.get("x-svc-platform"), null);
    assert.equal(headers.get("x-svc-platform-version"), null);
  });
  it("a version that is given is sent with the platform off", async () =>
    assert.equal((await sent({ platform: null, platformVersion: "11" })).get("x-svc-platform-version"), "11"));
  it("giving the platform does not stop detection of the version", async () =>
    assert.equal((await sent({ platform: "others" })).get("x-svc-platform-version"), "debian 13"));
  it("setters clean", async () => {
    const headers = await sent({}, linux, (client) => {
      client.setPlatform("  Haiku\u2122 R1 ");
      client.setPlatformVersion("\u30d0");
    });
    assert.equal(headers.get("x-svc-platform"), "Haiku R1");
    assert.equal(headers.get("x-svc-platform-version"), null);
  });
  it("the client time can be left out", async () =>
    assert.equal((await sent({ sendClientTime: false })).get("x-svc-client-time"), null));
  it("extra headers cannot replace ours", async () => {
    const headers = await sent({
      headers: { authorization: "Basic x", "x-svc-platform": "fake", "X-Svc-Client-Time": "fake", "x-own": "1" },
    });
    assert.equal(headers.get("authorization"), null);
    assert.equal(headers.get("x-svc-platform"), "linux");
    assert.notEqual(headers.get("x-svc-client-time"), "fake");
    assert.equal(headers.get("x-own"), "1");
  });
  it("line breaks are refused", () => {
    for (const options of [{ appIdentifier: "a\r\nb" }, { headers: { a: "b\nc" } }, { headers: { "a\r": "b" } }]) {
      assert.throws(() => testClient(options), { name: "SvcError" });
    }
  });
  it("the client time is read again for every attempt", async () => {
    const { requests, fetch } = recorder((_, n) => (n === 1 ? new Response("", { status: 503 }) : Response.json({})));
    await testClient({ fetch }).client.public.getProject();
    const times = requests.map((request) => Date.parse(request.headers.get("x-svc-client-time")));
    assert.equal(times[1] - times[0], 300);
  });
  it("a request keeps the settings it started with through its retries", async () => {
    let client;
    const { requests, fetch } = recorder((_, n) => {
      client.setToken("second");
      client.setProjectKey("other");
      return n === 1 ? new Response("", { status: 503 }) : Response.json({});
    });
    ({ client } = testClient({ fetch, token: "first" }));
    await client.admin.getProject();
    assert.deepEqual(requests.map((r) => [r.headers.get("authorization"), r.url.split("/").at(-1)]), [["Bearer first", "demo"], ["Bearer first", "demo"]]);
  });
});

describe("options", () => {
  it("refuses what cannot work", () => {
    for (const options of [
      { baseUrl: "svc.example.com" },
      { timeoutMs: -1 },
      { retries: -1 },
      { analytics: { persistence: "forever" } },
      { analytics: { batchSize: 0 } },
      { analytics: { maxQueueSize: 0 } },
      { analytics: { flushIntervalMs: 0 } },
    ]) {
      assert.throws(() => testClient(options), { name: "SvcError" }, JSON.stringify(options));
    }
  });
  it("warns when the path has no /api/v", (t) => {
    const warn = t.mock.method(console, "warn", () => {});
    testClient({ baseUrl: "https://svc.example.com/" });
    assert.equal(warn.mock.callCount(), 1);
  });
});

describe("retries", () => {
  it("a time limit longer than timers can wait for is none", async () => {
    const { fetch } = recorder(() => new Promise((resolve) => setTimeout(() => resolve(Response.json({})), 20)));
    for (const timeoutMs of [2 ** 31, Number.POSITIVE_INFINITY]) {
      await testClient({ fetch, timeoutMs }).client.health();
    }
  });
  const real = (url, options) => testClient({ baseUrl: url + "/api/v1", ...options }).client;

  it("503, then 200", async (t) => {
    const { url, hits } = await server(t, (_, response, __, n) => (n === 1 ? json(response, 503, {}) : json(response, 200, { name: "x" })));
    assert.deepEqual(await real(url).public.getProject(), { name: "x" });
    assert.equal(hits.length, 2);
  });
  it("four attempts, then the error", async (t) => {
    const { url, hits } = await server(t, (_, response) => json(response, 502, { message: "down" }));
    await assert.rejects(real(url).public.getProject(), { name: "SvcApiError", status: 502, message: "down" });
    assert.equal(hits.length, 4);
  });
  it("POST once", async (t) => {
    const { url, hits } = await server(t, (_, response) => json(response, 503, {}));
    await assert.rejects(real(url).public.createFeedback({ content: "x" }), { status: 503 });
    assert.equal(hits.length, 1);
  });
  it("a read timeout once", async (t) => {
    const { url, hits } = await server(t, () => {});
    await assert.rejects(real(url, { timeoutMs: 50 }).public.getProject(), { name: "SvcConnectionError", timeout: true });
    assert.equal(hits.length, 1);
  });
  it("the time limit covers the body", async (t) => {
    const { url } = await server(t, (_, response) => {
      response.writeHead(200, { "content-length": 10 });
      response.write("{");
    });
    await assert.rejects(real(url, { timeoutMs: 50 }).public.getProject(), { name: "SvcConnectionError", timeout: true });
  });
  it("a refused connection is tried again", async () => {
    const listener = createServer();
    await new Promise((resolve) => listener.listen(0, "127.0.0.1", resolve));
    const { port } = listener.address();
    await new Promise((resolve) => listener.close(resolve));
    const attempts = [];
    const { client } = testClient({ baseUrl: `http://127.0.0.1:${port}/api/v1`, logger: (event) => attempts.push(event.attempt) });
    await assert.rejects(client.public.getProject(), { name: "SvcConnectionError", timeout: false });
    assert.deepEqual(attempts, [1, 2, 3, 4]);
  });
  it("Retry-After is honoured", async (t) => {
    const { url } = await server(t, (_, response, __, n) => (n === 1 ? json(response, 503, {}, { "retry-after": "7" }) : json(response, 200, {})));
    const { client, clock } = testClient({ baseUrl: url + "/api/v1" });
    await client.public.getProject();
    assert.equal(clock.monotonic, 7000);
  });
  it("a Retry-After over 30 seconds ends it", async (t) => {
    const { url, hits } = await server(t, (_, response) => json(response, 503, {}, { "retry-after": "31" }));
    await assert.rejects(real(url).public.getProject(), { status: 503, retryAfter: 31 });
    assert.equal(hits.length, 1);
  });

  /** A client that really waits, and what resolves when it starts to. */
  const waiting = (t) =>
    new Promise((resolve) => {
      void server(t, (_, response) => json(response, 503, {}, { "retry-after": "20" })).then(({ url }) => {
        const client = new SvcClient({
          baseUrl: url + "/api/v1",
          projectKey: "demo",
          logger: () => setTimeout(() => resolve({ client, result }), 5),
          analytics: { enabled: false },
        });
        const control = new AbortController();
        const result = client.public.getProject({}, { signal: control.signal });
        result.catch(() => {});
        client.cancel = () => control.abort(new Error("enough"));
      });
    });
  it("cancelling ends the wait", async (t) => {
    const { client, result } = await waiting(t);
    const start = performance.now();
    client.cancel();
    await assert.rejects(result, (error) => error.name === "SvcConnectionError" && error.cause.message === "enough");
    assert.ok(performance.now() - start < 5000);
  });
  it("closing ends the wait", async (t) => {
    const { client, result } = await waiting(t);
    const start = performance.now();
    await client.close();
    await assert.rejects(result, { name: "SvcError" });
    assert.ok(performance.now() - start < 5000);
    await assert.rejects(client.health(), { name: "SvcError" });
    await client.close();
  });
  it("a signal that was aborted before sends nothing", async () => {
    const { requests, fetch } = recorder();
    await assert.rejects(testClient({ fetch }).client.public.getProject({}, { signal: AbortSignal.abort() }), { name: "SvcConnectionError" });
    assert.equal(requests.length, 0);
  });
});

describe("redirects", () => {
  it("to the same host are followed, three times at most", async (t) => {
    const { url, hits } = await server(t, (request, response) => {
      const n = Number(new URL(request.url, "http://x").searchParams.get("n") ?? 0);
      if (n === 3) {
        return json(response, 200, { name: "there" });
      }
      response.writeHead(302, { location: `/next?n=${n + 1}` }).end();
    });
    assert.deepEqual(await testClient({ baseUrl: url + "/api/v1" }).client.public.getProject(), { name: "there" });
    assert.equal(hits.length, 4);
  });
  it("a fourth, another host and other methods are api errors", async (t) => {
    const other = await server(t, (_, response) => json(response, 200, {}));
    const { url } = await server(t, (request, response) => {
      const to = request.url.includes("versions") ? other.url.replace("127.0.0.1", "localhost") : "/again";
      response.writeHead(307, { location: to }).end();
    });
    const { client } = testClient({ baseUrl: url + "/api/v1", token: "t" });
    await assert.rejects(client.public.getProject(), { name: "SvcApiError", status: 307 });
    await assert.rejects(client.admin.listVersions(), { name: "SvcApiError", status: 307 });
    await assert.rejects(client.public.createFeedback({ content: "x" }), { name: "SvcApiError", status: 307 });
    assert.equal(other.hits.length, 0);
  });
});

describe("errors", () => {
  const fails = async (t, answer, expected) => {
    const { url } = await server(t, (_, response) => answer(response));
    const { client } = testClient({ baseUrl: url + "/api/v1", token: "very-secret", retries: 0 });
    const error = await client.admin.getVersion("1").then(() => assert.fail("no error"), (error) => error);
    for (const [key, value] of Object.entries(expected)) {
      assert.deepEqual(error[key], value, key);
    }
    assert.ok(!`${error}${error.stack}${JSON.stringify(error)}${error.cause ?? ""}`.includes("very-secret"));
    return error;
  };
  it("a list of messages is joined", async (t) => {
    const error = await fails(t, (response) => json(response, 400, { message: ["a", "b"] }), {
      name: "SvcApiError", status: 400, message: "a; b", method: "GET", path: "/admin/projects/{k}/versions/{id}", retryAfter: null,
    });
    assert.equal(String(error), "[400] a; b");
  });
  it("an HTML body is kept as text", (t) =>
    fails(t, (response) => response.writeHead(502).end("<h1>down</h1>"), { name: "SvcApiError", message: "HTTP 502", body: "<h1>down</h1>" }));
  it("a text body is cut to 64 KiB", async (t) => {
    const error = await fails(t, (response) => response.writeHead(500).end("x".repeat(100_000)), { status: 500 });
    assert.equal(error.body.length, 65536);
  });
  it("200 with HTML is an api error", (t) =>
    fails(t, (response) => response.end("<html>"), { name: "SvcApiError", status: 200, body: "<html>" }));
  it("a body cut short is a connection error", (t) =>
    fails(t, (response) => {
      response.writeHead(200, { "content-length": 100 });
      response.write('{"a":');
      setTimeout(() => response.destroy(), 5);
    }, { name: "SvcConnectionError", timeout: false }));
  it("an answer over 32 MiB is a connection error", (t) =>
    fails(t, (response) => response.end(Buffer.alloc((32 << 20) + 1, 32)), { name: "SvcConnectionError", message: "the answer is larger than 32 MiB" }));
  it("an empty 200 is null", async (t) => {
    const { url } = await server(t, (_, response) => response.end());
    assert.equal(await testClient({ baseUrl: url + "/api/v1" }).client.public.getProject(), null);
  });
  it("a credential that cannot be a header is not quoted", async () => {
    const { client } = testClient({ token: "very\nsecret" });
    const error = await client.admin.getMe().catch((error) => error);
    assert.equal(error.name, "SvcError");
    assert.ok(!`${error.stack}${error.cause ?? ""}`.includes("secret"));
  });
  it("the debug hook gets nothing that identifies, and may throw", async () => {
    const events = [];
    const { fetch } = recorder();
    const { client } = testClient({
      fetch,
      token: "t",
      logger(event) {
        events.push(event);
        throw new Error("a bad hook");
      },
    });
    await client.admin.getVersion("very-private");
    assert.deepEqual(events.map(({ durationMs: _, ...rest }) => rest), [
      { message: "request", method: "GET", path: "/admin/projects/{k}/versions/{id}", status: 200, attempt: 1 },
    ]);
  });
});
