// A program must end when it has nothing else to do, however the server behaves. Time limits of an
// hour ensure that none of them ends the program.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { json, server } from "./helper.mjs";

/** Runs a program with a client against a server until it exits. Returns its output and the content of its state file. */
async function run(t, url, body, analytics = {}) {
  const home = mkdtempSync(join(tmpdir(), "svc-sdk-"));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const options = { baseUrl: url + "/api/v1", projectKey: "demo", timeoutMs: 3_600_000, retries: 0, analytics: { flushIntervalMs: 3_600_000, ...analytics } };
  const code = `import { SvcClient } from ${JSON.stringify(new URL("../dist/esm/index.js", import.meta.url).href)};
const client = new SvcClient(${JSON.stringify(options)});
console.log("begun");
${body}`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", code], { stdio: ["ignore", "pipe", "inherit"], env: { ...process.env, XDG_STATE_HOME: home } });
  let output = "";
  child.stdout.on("data", (text) => (output += text));
  const late = setTimeout(() => child.kill("SIGKILL"), 60_000);
  const status = await new Promise((resolve) => child.on("close", resolve));
  clearTimeout(late);
  assert.equal(status, 0, "it did not end by itself");
  const state = join(home, "svc-sdk");
  const stored = readdirSync(home).length ? readdirSync(state).map((name) => readFileSync(join(state, name), "utf8")).join() : "";
  return { lines: output.trim().split("\n").slice(1), stored };
}

const silent = (t) => server(t, () => {});
const slow = (t, status, body) => server(t, (_, response) => setTimeout(() => json(response, status, body), 300));
const taken = { accepted: 1, skipped: 0, suppressed: false };

describe("a server that never answers does not keep a program", { concurrency: 4 }, () => {
  for (const [what, body, analytics] of [
    ["that tracked an event", 'client.public.track("a");'],
    ["that sends a full batch", 'client.public.track("a");', { batchSize: 1 }],
    ["whose timer sends", 'client.public.track("a"); setTimeout(() => {}, 200);', { flushIntervalMs: 20 }],
    ["that closed its client", 'client.public.track("a"); await client.close();'],
    ["that closed its client during a full batch", 'client.public.track("a"); setTimeout(() => client.close(), 100);', { batchSize: 1 }],
  ]) {
    it(what, async (t) => {
      const { url, hits } = await silent(t);
      const { stored } = await run(t, url, body, analytics);
      assert.equal(hits.length, 1);
      assert.match(stored, /\\"name\\":\\"a\\"/, "the event stays for the next run");
    });
  }
  for (const [what, body] of [
    ["that reported an error", 'client.logs.capture(new Error("a"));'],
    ["that closed its client after a report", 'client.logs.capture(new Error("a")); await client.close();'],
    ["that reported errors to two projects", 'client.logs.capture(new Error("a")); client.setProjectKey("other"); client.logs.capture(new Error("b"));'],
  ]) {
    it(what, async (t) => {
      const { url, hits } = await silent(t);
      await run(t, url, body);
      assert.equal(hits.length, 1);
    });
  }
  it("that closed its client during a request, which fails", async (t) => {
    const { url } = await silent(t);
    const body = `const answer = client.public.getProject().catch((error) => error.name + ": " + error.message);
setTimeout(async () => { await client.close({ timeoutMs: 100 }); console.log(await answer); }, 100);`;
    assert.deepEqual((await run(t, url, body)).lines, ["SvcError: the client is closed"]);
  });
  it("that closed its client during a download", async (t) => {
    const { url } = await server(t, (request, response) => {
      if (request.url.includes("check-update")) {
        const target_version = { version: "2", download_links: [{ url: url + "/file" }] };
        return json(response, 200, { should_update: true, required: false, reason_codes: [], target_version, milestone: {} });
      }
      response.writeHead(200, { "content-length": 100 });
      response.write("a");
    });
    const body = `const update = await client.updates.check({ currentVersion: "1" });
update.download().catch((error) => console.log(error.name));
setTimeout(() => client.close({ timeoutMs: 100 }), 200);`;
    assert.deepEqual((await run(t, url, body)).lines, ["SvcConnectionError"]);
  });
});

describe("a slow server", { concurrency: 4 }, () => {
  it("still gets what was tracked and reported, as the program ends", async (t) => {
    const { url, hits } = await slow(t, 202, taken);
    const { stored } = await run(t, url, 'client.public.track("a"); client.logs.capture(new Error("b"));');
    assert.deepEqual(hits.map((hit) => hit.url).sort(), ["/api/v1/public/demo/events", "/api/v1/public/demo/logs"]);
    assert.doesNotMatch(stored, /queue/);
  });
  it("gets what is tracked after the first end, too", async (t) => {
    const { url, hits } = await slow(t, 202, taken);
    await run(t, url, 'client.public.track("a"); process.once("beforeExit", () => setTimeout(() => client.public.track("b"), 600));');
    assert.deepEqual(hits.flatMap((hit) => JSON.parse(hit.body).events.map(({ name }) => name)), ["a", "b"]);
  });
  it("is waited for by a flush", async (t) => {
    const { url } = await slow(t, 202, taken);
    const body = 'client.public.track("a"); console.log((await client.public.flush()).sent); client.logs.capture(new Error("b")); await client.logs.flush(); console.log("flushed");';
    assert.deepEqual((await run(t, url, body)).lines, ["1", "flushed"]);
  });
  it("is waited for by close, with a request that is under way", async (t) => {
    const { url } = await slow(t, 200, { name: "there" });
    const body = "client.public.getProject().then(({ name }) => console.log(name)); await client.close(); console.log('closed');";
    assert.deepEqual((await run(t, url, body)).lines, ["there", "closed"]);
  });
  it("and a request on a connection that the background had is waited for", async (t) => {
    const { url, hits } = await slow(t, 202, taken);
    const body = 'client.public.track("a"); await client.public.flush(); console.log(JSON.stringify(await client.public.getProject()));';
    assert.deepEqual((await run(t, url, body)).lines, [JSON.stringify(taken)]);
    assert.equal(hits.length, 2);
  });
});
