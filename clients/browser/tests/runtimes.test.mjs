// The TypeScript package under Deno and Bun, which npm has as packages.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { startServer } from "./world.mjs";

const run = promisify(execFile);
const path = (name) => fileURLToPath(new URL("../" + name, import.meta.url));
const build = path("../typescript/dist/esm/index.js");

let server;
before(async () => {
  server = await startServer();
});
after(() => server?.stop());

const runtimes = {
  node: [process.execPath],
  deno: [path("node_modules/.bin/deno"), "run", "--allow-all", "--no-config", "--no-lock"],
  bun: [path("node_modules/.bin/bun"), "run"],
};

for (const [name, [program, ...flags]] of Object.entries(runtimes)) {
  const skip = existsSync(program) ? false : `needs ${name}: npm install ${name}`;
  test(`the TypeScript package under ${name}`, { skip }, async () => {
    const key = await server.project();
    const { stdout } = await run(program, [...flags, path("tests/runtimes.mjs"), build, server.url + "/api/v1", key]);
    assert.equal(stdout.trim(), "ok");
    const events = await server.admin("GET", `/admin/projects/${key}/events/definitions`);
    assert.equal(events.data.length, 2);
  });
}
