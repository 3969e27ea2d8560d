// The published package: packed, installed into an empty project, with its types resolved by the
// compiler, and with the example running on it.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { SDK_VERSION, SvcClient } from "../dist/esm/index.js";
import { noBinary, startServer } from "./binary.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

describe("the package", () => {
  let project;

  before(() => {
    project = mkdtempSync(join(tmpdir(), "svc-sdk-"));
    const [{ filename }] = JSON.parse(execFileSync("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", project], { cwd: root, stdio: ["ignore", "pipe", "ignore"] }));
    writeFileSync(join(project, "package.json"), '{ "private": true }');
    execFileSync("npm", ["install", "--offline", "--no-audit", "--no-fund", join(project, filename)], { cwd: project, stdio: "ignore" });
  });
  after(() => rmSync(project, { recursive: true, force: true }));

  const run = (name, text) => {
    writeFileSync(join(project, name), text);
    return execFileSync(process.execPath, [name], { cwd: project, encoding: "utf8" }).trim();
  };
  const use = 'console.log(typeof new SvcClient({ baseUrl: "http://localhost/api/v1" }).public.track, SvcSDK === SvcClient, SDK_VERSION)';
  const works = `function true ${SDK_VERSION}`;

  it("works as an ES module", () =>
    assert.equal(run("a.mjs", `import { SvcClient, SvcSDK, SDK_VERSION } from "svc-sdk"; ${use}`), works));
  it("works as a CommonJS module", () =>
    assert.equal(run("a.cjs", `const { SvcClient, SvcSDK, SDK_VERSION } = require("svc-sdk"); ${use}`), works));

  it("has no dependencies, and nothing but what people need", () => {
    const { dependencies, files } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    assert.equal(dependencies, undefined);
    assert.deepEqual(files, ["dist", "CHANGELOG.md"]);
  });
  it("has the version of its constant", () =>
    assert.equal(JSON.parse(readFileSync(join(root, "package.json"), "utf8")).version, SDK_VERSION));

  for (const [module, resolution, extension] of [
    ["NodeNext", "NodeNext", "mts"],
    ["NodeNext", "NodeNext", "cts"],
    ["ESNext", "Bundler", "ts"],
  ]) {
    it(`types resolve strictly: ${module}, ${resolution}, ${extension}`, () => {
      copyFileSync(join(root, "test", "consumer.ts"), join(project, `consumer.${extension}`));
      const options = {
        strict: true, exactOptionalPropertyTypes: true, noEmit: true, skipLibCheck: false, module, moduleResolution: resolution,
        target: "ES2022", lib: ["ES2022", "DOM", "DOM.Iterable", "DOM.AsyncIterable"], types: [],
      };
      writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions: options, files: [`consumer.${extension}`] }));
      try {
        execFileSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", project], { encoding: "utf8" });
      } catch (error) {
        assert.fail(error.stdout);
      }
    });
  }

  it("the example runs on it", { skip: noBinary }, async () => {
    const service = await startServer();
    const admin = new SvcClient({ baseUrl: service.baseUrl, projectKey: "acme", analytics: { persistence: "none" } });
    await admin.login("admin", service.password);
    await admin.admin.createProject({ name: "Acme" });
    await admin.admin.createVersion({ version: "1.0.0", comparable_version: "1.0.0" });
    await admin.admin.createVersion({ version: "1.1.0", comparable_version: "1.1.0" });
    copyFileSync(join(root, "example", "server.mjs"), join(project, "server.mjs"));
    mkdirSync(join(project, "state"));
    const child = spawn(process.execPath, ["server.mjs"], {
      cwd: project,
      env: { ...process.env, SVC_URL: service.baseUrl, SVC_PROJECT: "acme", PORT: "0", XDG_STATE_HOME: join(project, "state") },
      stdio: ["ignore", "pipe", "inherit"],
    });
    try {
      const [url] = await new Promise((resolve) => createInterface({ input: child.stdout }).once("line", (...line) => resolve(line)));
      assert.equal(await (await fetch(url)).text(), "Version 1.1.0 is out (optional).");
      assert.equal(await (await fetch(url + "/feedback", { method: "POST", body: "Nice" })).text(), "Thank you.");
      assert.equal((await fetch(url + "/broken")).status, 500);
      const ended = new Promise((resolve) => child.on("exit", resolve));
      child.kill("SIGTERM");
      assert.equal(await ended, 0);
      assert.equal((await admin.admin.listFeedbacks()).data[0].content, "Nice");
      assert.match((await admin.admin.listLogs()).data[0].content, /^TypeError: this page is broken/);
      assert.equal((await admin.admin.getEventOverview()).total, 1);
    } finally {
      child.kill("SIGKILL");
      await service.stop();
    }
  });
});
