// The built TypeScript package in the runtime that executes this file: a call, a
// batch of events, local state on the disk. node tests/runtimes.mjs BUILD API PROJECT
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";

const [build, baseUrl, projectKey] = process.argv.slice(2);
const state = mkdtempSync(join(tmpdir(), "svc-runtime-"));
process.env.XDG_STATE_HOME = state;
const { SvcClient, SvcError } = await import(pathToFileURL(build).href);

const svc = new SvcClient({ baseUrl, projectKey, appVersion: "1.0.0", analytics: { flushIntervalMs: 3600000 } });
const check = (name, ok) => {
  if (!ok) {
    throw new Error(`${name} is not as it should be`);
  }
};
check("health", (await svc.health()).status === "ok");
check("project", (await svc.public.getProject()).project_key === projectKey);
svc.public.track("started", { runtime: globalThis.Deno ? "deno" : globalThis.Bun ? "bun" : "node" });
check("state on the disk", existsSync(join(state, "svc-sdk")) && readdirSync(join(state, "svc-sdk")).length > 0);
check("flush", (await svc.public.flush()).sent === 1);
check("export", (await svc.public.exportMyData()).data.length === 1);
check("auth error", await svc.admin.listVersions().catch((error) => error instanceof SvcError && error.name === "SvcAuthError"));
svc.public.track("closed");
await svc.close();
rmSync(state, { recursive: true, force: true });
console.log("ok");
