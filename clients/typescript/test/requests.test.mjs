// Contract 15.4, 15.5 and 15.6: headers, retries and errors.

import assert from "node:assert/strict";
import { createServer } from "node:net";
import { describe, it } from "node:test";
import { inspect } from "node:util";
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
  for (const [options, named] of [
    [{ baseUrl: "svc.example.com" }, "baseUrl"],
    [{ baseUrl: undefined }, "baseUrl"],
    [{ baseUrl: 7 }, "baseUrl"],
    [{ projectkey: "demo" }, "projectkey"],
    [{ projectKey: 7 }, "projectKey"],
    [{ constructor: 7 }, "constructor"],
    [{ token: 7 }, "token"],
    [{ timeoutMS: 1 }, "timeoutMS"],
    [{ timeoutMs: -1 }, "timeoutMs"],
    [{ timeoutMs: Number.NaN }, "timeoutMs"],
    [{ timeoutMs: "15" }, "timeoutMs"],
    [{ retries: -1 }, "retries"],
    [{ retries: "3" }, "retries"],
    [{ headers: "x" }, "headers"],
    [{ fetch: "x" }, "fetch"],
    [{ logger: {} }, "logger"],
    [{ analytics: { requireconsent: true } }, "analytics.requireconsent"],
    [{ analytics: { requireConsent: "yes" } }, "analytics.requireConsent"],
    [{ analytics: { persistence: "forever" } }, "analytics.persistence"],
    [{ analytics: { batchSize: 0 } }, "analytics.batchSize"],
    [{ analytics: { maxQueueSize: 0 } }, "analytics.maxQueueSize"],
    [{ analytics: { flushIntervalMs: 0 } }, "analytics.flushIntervalMs"],
    [{ analytics: { flushInterval: 5 } }, "analytics.flushInterval"],
    [{ analytics: { onDrop: "x" } }, "analytics.onDrop"],
  ]) {
    it(`names the bad one: ${JSON.stringify(options)}`, () =>
      assert.throws(() => testClient(options), (error) => error.name === "SvcError" && new RegExp(`(^|[ .])${named.replace(".", "\\.")} `).test(error.message)));
  }
  it("may be null where that means left out", () => {
    testClient({ projectKey: null, token: null, platform: null, timeoutMs: undefined, retries: null, analytics: { namespace: undefined } });
  });
  for (const [what, call] of [
    ["a call", (client) => client.admin.updateVersion("1", {}, { ifmatch: '"1"' })],
    ["a list", (client) => client.admin.iterVersions({}, { ifmatch: '"1"' }).next()],
    ["an update check", (client) => client.updates.check({ currentVersion: "1", ifmatch: 1 })],
    ["an upload", (client) => client.admin.uploadFile(new Uint8Array(1), "a", { ifmatch: 1 })],
    ["the installation of logs", async (client) => client.logs.install({ ifmatch: 1 })],
    ["closing", (client) => client.close({ ifmatch: 1 })],
  ]) {
    it(`of ${what} are checked, too`, async () => {
      const { requests, fetch } = recorder();
      const { client } = testClient({ fetch, token: "t" });
      await assert.rejects(call(client), { name: "SvcError", message: /^ifmatch is not an option/ });
      assert.equal(requests.length, 0);
    });
  }
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

  /** A client that really waits, and a promise that resolves when it begins to wait. */
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

describe("a connection that fails says why", () => {
  const message = async (baseUrl, options = {}) => {
    const { client } = testClient({ baseUrl, retries: 0, ...options });
    return client.public.getProject().then(() => assert.fail("no error"), (error) => {
      assert.equal(error.name, "SvcConnectionError");
      return error.message;
    });
  };
  /** The port of a server that has been closed. */
  const closedPort = async () => {
    const listener = createServer();
    await new Promise((resolve) => listener.listen(0, "127.0.0.1", resolve));
    const { port } = listener.address();
    await new Promise((resolve) => listener.close(resolve));
    return port;
  };
  it("nothing listens", async () => {
    const port = await closedPort();
    assert.match(await message(`http://127.0.0.1:${port}/api/v1`), new RegExp(`^no connection: .*ECONNREFUSED 127\\.0\\.0\\.1:${port}$`));
    assert.match(await message(`http://localhost:${port}/api/v1`), /ECONNREFUSED/);
  });
  it("the name is not known", async () => assert.match(await message("http://svc.invalid/api/v1"), /^no connection: .*(ENOTFOUND|EAI_AGAIN) svc\.invalid/));
  it("the other side does not speak TLS", async (t) => {
    const { url } = await server(t, (_, response) => json(response, 200, {}));
    assert.match(await message(url.replace("http:", "https:") + "/api/v1"), /^no connection: .*SSL/i);
  });
  it("the connection breaks", async (t) => {
    const { url } = await server(t, (_, response) => response.destroy());
    assert.match(await message(url + "/api/v1"), /^no connection: .*(other side closed|ECONNRESET)/);
  });
  it("without addresses, which may have a secret", async () => {
    const fetch = async () => {
      throw Object.assign(new TypeError("request to https://me:secret@svc.example.com/?q=secret failed"), {
        cause: new AggregateError([Object.assign(new Error("broken pipe"), { code: "EPIPE" })]),
      });
    };
    assert.equal(await message("https://svc.example.com/api/v1", { fetch }), "no connection: request to the address failed: broken pipe (EPIPE)");
  });
  it("an error that causes itself", async () => {
    const error = new Error("round");
    error.cause = error;
    assert.match(await message("https://svc.example.com/api/v1", { fetch: () => Promise.reject(error) }), /^no connection: round: round/);
  });
});

describe("a credential shows nowhere", () => {
  const secret = "svc_very-secret";
  const shown = (value) => [inspect(value), inspect(value, { depth: Number.POSITIVE_INFINITY, showHidden: true }), inspect(value, { depth: Number.POSITIVE_INFINITY, getters: true })];
  for (const [what, make] of [
    ["an option", () => testClient({ token: secret, headers: { "x-key": secret } }).client],
    ["a setter", () => {
      const { client } = testClient();
      client.setToken(secret);
      return client;
    }],
    ["a login", async () => {
      const { client } = testClient({ fetch: async () => Response.json({ access_token: secret }) });
      await client.login("me", "password");
      return client;
    }],
  ]) {
    it(`given by ${what}`, async () => {
      const client = await make();
      client.public.track("a");
      client.logs.capture(new Error("b"));
      for (const text of [JSON.stringify(client), JSON.stringify({ client }), ...[client, client.public, client.admin, client.updates, client.logs].flatMap(shown)]) {
        assert.doesNotMatch(text, /secret/);
      }
      assert.deepEqual(JSON.parse(JSON.stringify(client)), { baseUrl: "https://svc.example.com/api/v1", projectKey: "demo" });
    });
  }
  it("in an update", async () => {
    const answer = { should_update: false, required: false, reason_codes: [], target_version: null, latest_version: null };
    const { client } = testClient({ token: secret, appVersion: "1", fetch: async () => Response.json(answer) });
    const update = await client.updates.check();
    for (const text of [JSON.stringify(update), ...shown(update)]) {
      assert.doesNotMatch(text, /secret/);
    }
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
