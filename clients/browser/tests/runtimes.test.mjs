// The sources of the TypeScript package, compiled to modules like the published ones, under Deno
// and Bun, which are available as npm packages.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { startServer } from "./world.mjs";

const run = promisify(execFile);
const path = (name) => fileURLToPath(new URL("../" + name, import.meta.url));
const ts = createRequire(import.meta.url)("typescript");
const build = mkdtempSync(join(tmpdir(), "svc-sdk-"));

let server;
before(async () => {
  const { config } = ts.readConfigFile(path("../typescript/tsconfig.json"), ts.sys.readFile);
  const sources = path("../typescript/src");
  for (const name of readdirSync(sources).filter((source) => source.endsWith(".ts"))) {
    const options = { ...config.compilerOptions, module: "esnext", lib: undefined, types: [], declaration: false, sourceMap: false };
    const { outputText } = ts.transpileModule(readFileSync(join(sources, name), "utf8"), { compilerOptions: options });
    writeFileSync(join(build, name.replace(/ts$/, "js")), outputText);
  }
  writeFileSync(join(build, "package.json"), '{"type":"module"}');
  server = await startServer();
});
after(async () => {
  rmSync(build, { recursive: true, force: true });
  await server?.stop();
});

// The package bun links its program in a post-install script, which is not run.
const bun = `node_modules/@oven/bun-${process.platform}-${process.arch === "arm64" ? "aarch64" : process.arch}/bin/bun`;

const runtimes = {
  node: [process.execPath],
  deno: [path("node_modules/.bin/deno"), "run", "--allow-all", "--no-config", "--no-lock"],
  bun: [path(bun), "run"],
};

for (const [name, [program, ...flags]] of Object.entries(runtimes)) {
  const skip = existsSync(program) ? false : `needs ${name}: npm install ${name}`;
  test(`the TypeScript package under ${name}`, { skip }, async () => {
    const key = await server.project();
    const { stdout } = await run(program, [...flags, path("tests/runtimes.mjs"), join(build, "index.js"), server.url + "/api/v1", key]);
    assert.equal(stdout.trim(), "ok");
    const events = await server.admin("GET", `/admin/projects/${key}/events/definitions`);
    assert.equal(events.data.length, 2);
  });
}
