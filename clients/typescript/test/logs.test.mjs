// The error reporting helper: the content of reports, and that they never disturb the application.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { describe, it } from "node:test";
import { json, recorder, server, testClient } from "./helper.mjs";

const taken = () => Response.json({ id: "1" }, { status: 201 });

function start(options = {}, answer = taken) {
  const { requests, fetch } = recorder(answer);
  const made = testClient({ fetch, ...options }, { platform: () => "linux", platformVersion: () => "debian 13" });
  return { ...made, requests, bodies: () => requests.map((request) => JSON.parse(request.body)) };
}

/** An error with a fixed stack. */
const boom = (message = "boom", type = "ValueError", frame = "load (app.py)") =>
  Object.assign(new Error(message), { name: type, stack: `${type}: ${message}\n${frame}` });

describe("capture", () => {
  it("sends type, message and stack, the fingerprint and the device", async () => {
    const { client, bodies, requests } = start({ appVersion: "1.0" });
    client.logs.capture(boom(), { source: "loader", customData: { a: 1 } });
    await client.logs.flush();
    assert.equal(new URL(requests[0].url).pathname, "/api/v1/public/demo/logs");
    const [{ device_info: device, ...report }] = bodies();
    assert.deepEqual(report, { level: 3, content: "ValueError: boom\nload (app.py)", source: "loader", custom_data: { a: 1, fingerprint: "2c7104d0" } });
    assert.deepEqual({ ...device, runtime: "", arch: "" }, { sdk: device.sdk, runtime: "", os: "linux", os_version: "debian 13", arch: "", app_version: "1.0" });
    assert.match(device.runtime, /^(node|deno|bun) \d/);
  });
  it("takes anything that was thrown, and cuts at 4096 characters", async () => {
    const { client, bodies } = start();
    for (const thrown of ["text", undefined, null, { a: 1 }, boom("", ""), boom("\u{1F680}".repeat(5000))]) {
      client.logs.capture(thrown);
    }
    client.logs.capture({ toString() { throw new Error("no"); } });
    await client.logs.flush();
    const contents = bodies().map((body) => body.content);
    assert.deepEqual(contents.slice(0, 4), ["text", "undefined", "null", "[object Object]"]);
    assert.equal([...contents.at(-1)].length, 4096);
  });
  it("the innermost frame has no line and no folder", async () => {
    const { client, bodies } = start();
    const frames = ["at load (/srv/a/app.js:10:5)", "at load (C:\\a\\app.js:99:1)", "load@https://x.example/a/app.js?v=1:3:4", "at async load (file:///srv/app.js:1:1)"];
    for (const frame of frames) {
      client.logs.capture(boom("boom", "ValueError", frame));
    }
    await client.logs.flush();
    // All except the async one are the same error.
    assert.equal(bodies().length, 2);
  });
  it("repeats within a minute are counted, and told with the next one", async () => {
    const { client, clock, bodies } = start();
    for (let i = 0; i < 5; i++) {
      client.logs.capture(boom());
    }
    clock.monotonic += 60_000;
    client.logs.capture(boom());
    await client.logs.flush();
    assert.deepEqual(bodies().map((body) => body.custom_data.repeated), [undefined, 4]);
  });
  it("ten at once, then one every six seconds; what is over is counted", async () => {
    const { client, clock, bodies } = start();
    for (let i = 0; i < 15; i++) {
      client.logs.capture(boom(`boom ${i}`));
    }
    clock.monotonic += 6000;
    client.logs.capture(boom("later"));
    await client.logs.flush();
    assert.equal(bodies().length, 11);
    assert.equal(bodies()[10].custom_data.dropped, 5);
  });
  it("redact changes, refuses, and may throw", async () => {
    const { client, bodies } = start();
    const redacts = [(report) => ({ ...report, content: "clean" }), () => null, () => { throw new Error("bad hook"); }];
    for (const [i, redact] of redacts.entries()) {
      client.logs.install({ redact })();
      client.logs.capture(boom(`boom ${i}`));
    }
    await client.logs.flush();
    assert.deepEqual(bodies().map((body) => body.content), ["clean"]);
  });
  it("errors inside the redact hook's own reports are not captured again", async () => {
    const { client, bodies } = start();
    client.logs.install({ redact: (report) => {
      client.logs.capture(boom("inner"));
      return report;
    } })();
    client.logs.capture(boom("outer"));
    await client.logs.flush();
    assert.equal(bodies().length, 1);
  });
  it("custom data that JSON cannot say becomes text, and is taken as it is then", async () => {
    const { client, bodies } = start();
    const cycle = { name: "a" };
    cycle.self = cycle;
    const later = { a: 1 };
    client.logs.capture(boom("first"), { customData: { id: 7n, cycle, later } });
    later.a = 2;
    client.logs.capture(boom("second"));
    await client.logs.flush();
    assert.deepEqual(bodies().map(({ custom_data: { fingerprint: _, ...own } }) => own), [{ id: "7", cycle: "[unreadable]", later: { a: 1 } }, {}]);
  });
  it("an error of the debug hook makes no report, or sending would make the next one", async (t) => {
    t.mock.method(console, "error", () => {});
    let lines = 0;
    const { client, requests } = start({ logger: ({ message }) => console.error(`${message} ${++lines}`) });
    const undo = client.logs.install({ console: true });
    t.after(undo);
    client.logs.capture(boom());
    await client.logs.flush();
    await client.logs.flush();
    assert.equal(requests.length, 1);
    assert.ok(lines > 0);
  });
  it("keeps a report for 503, and drops it for 400", async () => {
    let status = 503;
    const { client, requests } = start({}, () => new Response("", { status }));
    client.logs.capture(boom());
    await client.logs.flush();
    status = 400;
    await client.logs.flush();
    await client.logs.flush();
    assert.equal(requests.length, 2);
    await client.close();
  });
  it("keeps the newest hundred while the server does not answer", async () => {
    const { client, clock } = start({}, () => new Promise(() => {}));
    for (let i = 0; i < 150; i++) {
      clock.monotonic += 6000;
      client.logs.capture(boom(`boom ${i}`));
    }
    assert.equal(client.logs.reports.length, 100);
    assert.match(client.logs.reports.at(-1).raw, /boom 149/);
    await client.logs.flush(5);
  });
  it("goes to the project that was bound when it was captured", async () => {
    const { client, requests } = start({ projectKey: null });
    client.logs.capture(boom("before any"));
    client.setProjectKey("demo");
    client.logs.capture(boom("of demo"));
    client.setProjectKey("other");
    client.logs.capture(boom("of other"));
    await client.logs.flush();
    const sent = requests.map(({ url, body }) => [new URL(url).pathname.split("/")[4], JSON.parse(body).content.split("\n")[0]]);
    assert.deepEqual(sent, [["other", "ValueError: before any"], ["demo", "ValueError: of demo"], ["other", "ValueError: of other"]]);
  });
  it("works whatever the consent to events", async () => {
    const { client, requests } = start({ analytics: { requireConsent: true } });
    client.logs.capture(boom());
    await client.close();
    assert.equal(requests.length, 1);
    client.logs.capture(boom("after close"));
    await client.logs.flush();
    assert.equal(requests.length, 1);
  });
});

describe("install", () => {
  it("an application that goes on after an uncaught error does not wait for its report", async (t) => {
    const { url, hits } = await server(t, () => {});
    const program = `import { SvcClient } from ${JSON.stringify(new URL("../dist/esm/index.js", import.meta.url).href)};
process.on("uncaughtException", () => process.stdout.write(String(performance.now() - start < 1500), () => process.exit()));
new SvcClient({ baseUrl: ${JSON.stringify(url + "/api/v1")}, projectKey: "demo" }).logs.install();
let start;
setTimeout(() => { start = performance.now(); throw new TypeError("survived"); });`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", program], { stdio: ["ignore", "pipe", "inherit"] });
    let output = "";
    child.stdout.on("data", (text) => (output += text));
    await new Promise((resolve) => child.on("close", resolve));
    assert.equal(output, "true");
    assert.ok(hits.length <= 1);
  });
  it("hooks console.error when asked, and undoes it", async (t) => {
    t.mock.method(console, "error", () => {});
    const { error } = console;
    const { client, bodies } = start();
    const undo = client.logs.install({ console: true });
    console.error("cannot read", 7);
    undo();
    assert.equal(console.error, error);
    await client.logs.flush();
    assert.deepEqual(bodies().map(({ content, source }) => [content, source]), [["cannot read 7", "console"]]);
  });
  for (const [what, code] of [
    ["an uncaught error", "setTimeout(() => { throw new TypeError('left'); })"],
    ["an unhandled rejection", "Promise.reject(new TypeError('left'))"],
  ]) {
    it(`${what} is sent before the process ends as it would have`, async (t) => {
      const { url, hits } = await server(t, (_, response) => json(response, 201, { id: "1" }));
      const program = `import { SvcClient } from ${JSON.stringify(new URL("../dist/esm/index.js", import.meta.url).href)};
new SvcClient({ baseUrl: ${JSON.stringify(url + "/api/v1")}, projectKey: "demo", headers: { "x-own": "1" } }).logs.install();
${code};`;
      const child = spawn(process.execPath, ["--input-type=module", "-e", program], { stdio: ["ignore", "ignore", "pipe"] });
      let output = "";
      child.stderr.on("data", (text) => (output += text));
      assert.equal(await new Promise((resolve) => child.on("close", resolve)), 1);
      assert.match(output, /TypeError: left/);
      assert.equal(hits.length, 1);
      assert.equal(hits[0].headers["x-own"], "1");
      const { content, source } = JSON.parse(hits[0].body);
      assert.match(content, /^TypeError: left\n/);
      assert.equal(source, "uncaught");
    });
  }
});
