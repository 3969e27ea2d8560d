// Contract 15.9: the state file.

import assert from "node:assert/strict";
import fs, { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { fileStore, stateDirectory } from "../dist/esm/node.js";
import { recorder, testClient } from "./helper.mjs";

const namespace = "454ea31f-demo";

function folder(t) {
  const root = mkdtempSync(join(tmpdir(), "svc-sdk-"));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const directory = join(root, "svc-sdk");
  const path = join(directory, `${namespace}.json`);
  const open = (options = {}, fetch = () => Promise.reject(new TypeError("down"))) => {
    const store = (name, part) => fileStore(directory, name + part + ".json");
    const { client } = testClient({ fetch, ...options, analytics: { storage: undefined, ...options.analytics } }, { store });
    return client;
  };
  const read = () => JSON.parse(readFileSync(path, "utf8"));
  const names = () => JSON.parse(read()[`svc.analytics.${namespace}.queue`] ?? "[]").map((entry) => entry.name);
  const save = (client) => client.analytics.queue.save(true);
  return { root, directory, path, open, read, names, save };
}

describe("the state file", () => {
  it("has mode 0600 in a directory of mode 0700, and nothing else is left there", (t) => {
    const { open, directory, path, save, read } = folder(t);
    const client = open();
    assert.equal(existsSync(directory), false, "nothing is written before the first event");
    client.public.track("a");
    save(client);
    assert.equal(statSync(directory).mode & 0o777, 0o700);
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.deepEqual(readdirSync(directory), [`${namespace}.json`]);
    assert.deepEqual(Object.keys(read()).sort(), [`svc.analytics.${namespace}.distinct_id`, `svc.analytics.${namespace}.queue`]);
  });
  it("is shared by two clients: entries of the other stay, delivered ones go", async (t) => {
    const { open, names, save } = folder(t);
    const { requests, fetch } = recorder(() => Response.json({}, { status: 202 }));
    const one = open({}, fetch);
    const two = open();
    one.public.track("a");
    two.public.track("b");
    save(one);
    save(two);
    assert.deepEqual(names(), ["a", "b"]);
    await one.public.flush();
    save(one);
    assert.deepEqual(names(), ["b"]);
    assert.equal(requests.length, 1);
    assert.equal(one.public.distinctId, two.public.distinctId);
  });
  it("an opt-out of another client wins", (t) => {
    const { open, read, save } = folder(t);
    const one = open();
    const two = open();
    one.public.track("a");
    two.public.track("b");
    two.public.optOut();
    one.public.track("c");
    save(one);
    assert.equal(one.public.hasOptedOut(), true);
    assert.deepEqual(read(), { [`svc.analytics.${namespace}.opt_out`]: "1" });
  });
  for (const [what, text] of [
    ["no JSON", "{"],
    ["no object", "[1]"],
    ["values that are no texts", JSON.stringify({ [`svc.analytics.${namespace}.queue`]: 7, [`svc.analytics.${namespace}.distinct_id`]: {} })],
    ["an identifier that is not printable", JSON.stringify({ [`svc.analytics.${namespace}.distinct_id`]: "a\u0000b" })],
    ["a queue that is no list", JSON.stringify({ [`svc.analytics.${namespace}.queue`]: '{"a":1}' })],
  ]) {
    it(`${what} is ignored and replaced`, (t) => {
      const { open, directory, path, names, read, save } = folder(t);
      mkdirSync(directory, { recursive: true });
      writeFileSync(path, text);
      const client = open();
      client.public.track("a");
      save(client);
      assert.deepEqual(names(), ["a"]);
      assert.equal(read()[`svc.analytics.${namespace}.distinct_id`], client.public.distinctId);
      assert.match(client.public.distinctId, /^[0-9a-f-]{36}$/);
    });
  }
  it("of a queue only the valid entries are kept, and other keys of the file stay", (t) => {
    const { open, directory, path, names, read, save } = folder(t);
    mkdirSync(directory, { recursive: true });
    const good = { event_id: "1", name: "good", occurred_at: 1, distinct_id: "d", session_id: "s", properties: { a: 1 } };
    const bad = [null, 7, {}, { ...good, name: "Not Normal" }, { ...good, occurred_at: 1.5 }, { ...good, distinct_id: "" }, { ...good, properties: [] }];
    writeFileSync(path, JSON.stringify({ [`svc.analytics.${namespace}.queue`]: JSON.stringify([...bad, good]), other: "kept" }));
    const client = open();
    client.public.track("a");
    save(client);
    assert.deepEqual(names(), ["good", "a"]);
    assert.equal(read().other, "kept");
  });
  it("a directory that cannot be made means memory, with one debug line", async (t) => {
    const { open, root, directory } = folder(t);
    writeFileSync(directory, "a file is in the way");
    const lines = [];
    const client = open({ logger: ({ message }) => lines.push(message) });
    client.public.track("a");
    client.public.track("b");
    assert.equal((await client.public.flush()).pending, 2);
    assert.deepEqual(lines.filter((line) => line.includes("local state")), ["local state cannot be kept"]);
    assert.deepEqual(readdirSync(root), ["svc-sdk"]);
  });
  it("a file that cannot be read means memory", { skip: process.getuid?.() === 0 && "root reads every file: run it as another user" }, async (t) => {
    const { open, directory, path } = folder(t);
    mkdirSync(directory, { recursive: true });
    writeFileSync(path, "{}");
    chmodSync(path, 0);
    const client = open();
    client.public.track("a");
    assert.equal((await client.public.flush()).pending, 1);
  });
  it("a crash between write and rename leaves the old content", (t) => {
    const { directory, path } = folder(t);
    const store = fileStore(directory, `${namespace}.json`);
    store.write({ key: "old" });
    t.mock.method(fs, "renameSync", () => {
      throw new Error("power cut");
    });
    assert.throws(() => store.write({ key: "new" }), /power cut/);
    assert.deepEqual(JSON.parse(readFileSync(path, "utf8")), { key: "old" });
  });
});

it("the directory is the one of the system", () => {
  const env = { LOCALAPPDATA: "/local", XDG_STATE_HOME: "/state" };
  assert.equal(stateDirectory("win32", env, "/home/a"), "/local/svc-sdk");
  assert.equal(stateDirectory("win32", {}, "/home/a"), "/home/a/AppData/Local/svc-sdk");
  assert.equal(stateDirectory("darwin", env, "/home/a"), "/home/a/Library/Application Support/svc-sdk");
  assert.equal(stateDirectory("linux", env, "/home/a"), "/state/svc-sdk");
  assert.equal(stateDirectory("linux", { XDG_STATE_HOME: "relative" }, "/home/a"), "/home/a/.local/state/svc-sdk");
});
