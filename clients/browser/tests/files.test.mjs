// The two files themselves, without a browser.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { createContext, runInContext } from "node:vm";
import { brotliDecompressSync, gzipSync } from "node:zlib";
import { pinned } from "../build.mjs";

const path = (name) => fileURLToPath(new URL("../" + name, import.meta.url));
const largest = { brotli: 14 * 1024, gzip: 15.5 * 1024 };
const text = (name) => readFileSync(path(name), "utf8");

test("the committed files are those of a fresh build", () => {
  execFileSync(process.execPath, [path("build.mjs"), "--check"], { stdio: ["ignore", "ignore", "inherit"] });
});

test("a build needs none of its results", () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-browser-"));
  try {
    const browser = join(folder, "browser");
    mkdirSync(browser);
    for (const name of ["build.mjs", "entry.ts", "package.json", "README.md", "node_modules"]) {
      (name === "node_modules" ? symlinkSync : cpSync)(path(name), join(browser, name));
    }
    cpSync(path("../typescript/src"), join(folder, "typescript/src"), { recursive: true });
    cpSync(path("../typescript/package.json"), join(folder, "typescript/package.json"));
    execFileSync(process.execPath, [join(browser, "build.mjs")], { stdio: ["ignore", "ignore", "inherit"] });
    for (const name of ["svc-sdk.js", "svc-sdk.global.js", "svc-sdk.transfers.js"]) {
      assert.equal(readFileSync(join(browser, name), "utf8"), text(name));
      assert.equal(brotliDecompressSync(readFileSync(join(browser, name + ".br"))).toString(), text(name));
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

for (const name of ["svc-sdk.js", "svc-sdk.global.js", "svc-sdk.transfers.js"]) {
  // The server sends brotli to pages under HTTPS. The other form is only kept from growing.
  test(`${name} is small when it is compressed`, () => {
    const [brotli, gzip] = [readFileSync(path(name + ".br")).length, gzipSync(text(name), { level: 9 }).length];
    assert.ok(brotli <= largest.brotli, `${brotli} bytes with brotli`);
    assert.ok(gzip <= largest.gzip, `${gzip} bytes with gzip`);
  });

  test(`${name}.br is ${name}`, () => {
    assert.equal(brotliDecompressSync(readFileSync(path(name + ".br"))).toString(), text(name));
  });

  test(`${name} imports nothing at its start and says its version and licence`, () => {
    const { version, license } = JSON.parse(readFileSync(path("../typescript/package.json"), "utf8"));
    assert.ok(text(name).startsWith(`/*! svc-sdk ${version} | ${license} */\n`));
    assert.doesNotMatch(text(name), /\bimport *["{*]|\bfrom *"|\brequire\(|"node:/);
    const imported = text(name).match(/\bimport\([^)]*\)/g) ?? [];
    const part = pinned("svc-sdk.transfers.js", text("svc-sdk.transfers.js"));
    // The script adds the name to the address from which it was loaded.
    const wanted = { "svc-sdk.js": [`import("./${part}")`], "svc-sdk.global.js": [`import(base+"${part}")`], "svc-sdk.transfers.js": [] };
    assert.deepEqual(imported.map((text) => text.replace(/\w+\+/, "base+")), wanted[name]);
  });
}

test("a bare script context gets SvcSDK and SvcClient, and nothing else", () => {
  const context = createContext({ URL, TextEncoder, AbortController, performance });
  const before = new Set(Object.getOwnPropertyNames(context));
  runInContext(text("svc-sdk.global.js"), context);
  const added = [...runInContext("Object.getOwnPropertyNames(globalThis)", context)].filter((name) => !before.has(name));
  const builtin = new Set(runInContext("Object.getOwnPropertyNames(globalThis)", createContext({})));
  assert.deepEqual(added.filter((name) => !builtin.has(name)).sort(), ["SvcClient", "SvcSDK"]);
  assert.equal(runInContext("SvcClient === SvcSDK.SvcClient && typeof SvcClient", context), "function");
});

test("both files export the same names", async () => {
  const context = createContext({ TextEncoder, performance });
  runInContext(text("svc-sdk.global.js"), context);
  const module = await import("../svc-sdk.js");
  assert.deepEqual(Object.keys(context.SvcSDK).sort(), Object.keys(module).sort());
  assert.deepEqual(Object.keys(module).sort(), [
    "LogLevel", "SDK_VERSION", "SvcApiError", "SvcAuthError", "SvcClient", "SvcConnectionError", "SvcError", "SvcSDK", "compareVersions", "isComparableVersion",
  ]);
});
