// The library in Node, Deno and Bun: files for local state and downloads,
// the system's version, the end of the process.

import type * as Fs from "node:fs";
import type * as Os from "node:os";
import type * as Path from "node:path";
import type * as Crypto from "node:crypto";
import type * as Workers from "node:worker_threads";
import type * as Channels from "node:diagnostics_channel";
import type * as Hooks from "node:async_hooks";

import { architecture, architectureRank } from "./architecture.js";
import type { Host, OnError, Sink, Store } from "./host.js";
import { systemClock } from "./host.js";
import { stateName } from "./rules.js";
import { osRelease, darwinVersion, windowsVersion } from "./system.js";

interface Modules {
  "node:fs": typeof Fs;
  "node:os": typeof Os;
  "node:path": typeof Path;
  "node:crypto": typeof Crypto;
  "node:worker_threads": typeof Workers;
  "node:diagnostics_channel": typeof Channels;
  "node:async_hooks": typeof Hooks;
}

declare const require: unknown;

/** A built-in module, loaded at run time so that bundlers do not see an import of it. */
function builtin<K extends keyof Modules>(name: K): Modules[K] {
  const { getBuiltinModule } = process as { getBuiltinModule?: (name: string) => unknown };
  return (getBuiltinModule ? getBuiltinModule(name) : (require as (name: string) => unknown)(name)) as Modules[K];
}

/** Whether this runtime has Node's modules. */
export function isNode(): boolean {
  try {
    return typeof builtin("node:fs").renameSync === "function";
  } catch {
    return false;
  }
}

/** Directory of the local state. */
export function stateDirectory(platform: string, env: Record<string, string | undefined>, home: string): string {
  const { join, isAbsolute } = builtin("node:path");
  if (platform === "win32") {
    return join(env.LOCALAPPDATA || join(home, "AppData", "Local"), "svc-sdk");
  }
  if (platform === "darwin") {
    return join(home, "Library", "Application Support", "svc-sdk");
  }
  const state = env.XDG_STATE_HOME || "";
  return join(isAbsolute(state) ? state : join(home, ".local", "state"), "svc-sdk");
}

/** A JSON object of texts in a file. Writes go to a temporary file, which is then renamed. */
export function fileStore(directory: string, name: string): Store {
  const fs = builtin("node:fs");
  const path = builtin("node:path").join(directory, name);
  const load = (): Record<string, unknown> => {
    let text: string;
    try {
      text = fs.readFileSync(path, "utf8");
    } catch (error) {
      if ((error as { code?: string }).code === "ENOENT") {
        return {};
      }
      throw error;
    }
    try {
      const values: unknown = JSON.parse(text);
      return values && typeof values === "object" && !Array.isArray(values) ? { ...values } : {};
    } catch {
      // Invalid content counts as empty; the next write replaces it.
      return {};
    }
  };
  return {
    read(keys) {
      const values = load();
      return keys.map((key) => (typeof values[key] === "string" ? values[key] : null));
    },
    write(changes) {
      const values = load();
      let changed = false;
      for (const [key, value] of Object.entries(changes)) {
        changed ||= value !== (values[key] ?? null);
        if (value === null) {
          delete values[key];
        } else {
          values[key] = value;
        }
      }
      if (!changed) {
        return;
      }
      fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
      const temporary = `${path}.${process.pid}.${Math.random().toString(36).slice(2)}.tmp`;
      try {
        fs.writeFileSync(temporary, JSON.stringify(values), { mode: 0o600 });
        fs.renameSync(temporary, path);
      } catch (error) {
        fs.rmSync(temporary, { force: true });
        throw error;
      }
    },
  };
}

/** Partial files that are being written. */
const parts = new Set<string>();

/** A partial file next to the target; `finish` renames it to the target. */
function fileSink(to: string, key: string | null): Sink {
  const fs = builtin("node:fs");
  const { createHash, randomUUID } = builtin("node:crypto");
  const { O_CREAT, O_EXCL, O_NOFOLLOW = 0, O_RDWR } = fs.constants;
  const path = builtin("node:path").resolve(to);
  let part = `${path}.${key ?? randomUUID()}.part`;
  if (parts.has(part)) {
    part = `${path}.${randomUUID()}.part`;
  }
  // Never truncate an existing file: another process may be renaming it. Do not assume that it is a
  // regular file either, because other users may be able to write to the folder.
  const create = (): number => {
    fs.rmSync(part, { force: true });
    return fs.openSync(part, O_RDWR | O_CREAT | O_EXCL, 0o644);
  };
  const found = fs.lstatSync(part, { throwIfNoEntry: false });
  let file = found?.isFile() && found.nlink === 1 ? fs.openSync(part, O_RDWR | O_NOFOLLOW) : create();
  parts.add(part);
  let open = true;
  const close = (): void => {
    if (open) {
      open = false;
      parts.delete(part);
      fs.closeSync(file);
    }
  };
  return {
    size: fs.fstatSync(file).size,
    write(chunk) {
      for (let done = 0; done < chunk.length; ) {
        done += fs.writeSync(file, chunk, done, chunk.length - done, this.size + done);
      }
      this.size += chunk.length;
    },
    reset() {
      fs.closeSync(file);
      open = false;
      file = create();
      open = true;
      this.size = 0;
    },
    async digest() {
      const hash = createHash("sha256");
      for await (const chunk of fs.createReadStream(part, { fd: file, start: 0, autoClose: false })) {
        hash.update(chunk as Uint8Array);
      }
      return hash.digest("hex");
    },
    finish() {
      fs.fsyncSync(file);
      close();
      fs.renameSync(part, path);
      return Promise.resolve({ path });
    },
    discard() {
      close();
      fs.rmSync(part, { force: true });
    },
  };
}

const names: Record<string, string> = { win32: "windows", darwin: "macos", linux: "linux", android: "android" };

/** Computed once; reading fails if files are not accessible. */
function versionOf(platform: string): string | null {
  try {
    const release = builtin("node:os").release();
    if (platform === "win32") {
      return windowsVersion(release);
    }
    if (platform === "darwin") {
      return darwinVersion(release);
    }
    if (platform !== "linux" && platform !== "android") {
      return null;
    }
    const fs = builtin("node:fs");
    const path = ["/etc/os-release", "/usr/lib/os-release"].find((file) => fs.existsSync(file));
    return path ? osRelease(fs.readFileSync(path, "utf8")) : null;
  } catch {
    return null;
  }
}

let version: string | null | undefined;

/** Functions to run at the end of the process, called by a single listener. */
const ends = new Set<() => Promise<unknown>>();
const beforeExit = (): void => {
  const all = [...ends];
  ends.clear();
  all.forEach((end) => void end());
};

/** Marks the requests of background sends, once there are any. */
let unheld: Hooks.AsyncLocalStorage<boolean> | undefined;

/**
 * Releases the sockets of background sends when nothing else keeps the process alive. `fetch` gives
 * no access to them, but its channels do (https://nodejs.org/api/diagnostics_channel.html, and
 * DiagnosticsChannel.md of undici).
 */
function releaseSockets(): Hooks.AsyncLocalStorage<boolean> {
  const storage = new (builtin("node:async_hooks").AsyncLocalStorage)<boolean>();
  const { subscribe } = builtin("node:diagnostics_channel");
  const ours = new WeakSet<object>();
  interface Message {
    request: object;
    socket: { unref(): void };
  }
  const on = (channel: string, run: (message: Message) => void) => subscribe(channel, (message) => run(message as Message));
  on("net.client.socket", ({ socket }) => storage.getStore() && socket.unref());
  on("undici:request:create", ({ request }) => storage.getStore() && ours.add(request));
  // Each request on a kept-alive connection references it again.
  on("undici:client:sendHeaders", ({ request, socket }) => ours.has(request) && socket.unref());
  return storage;
}

export const nodeHost: Host = {
  clock: systemClock,
  agent: "svc-sdk-js",
  async fetch(fetch, url, init, anyHost = false) {
    for (let hops = 0; ; hops++) {
      const response = await fetch(url, { ...init, redirect: "manual" });
      const target = response.headers.get("location");
      const moved = [301, 302, 303, 307, 308].includes(response.status);
      if (!moved || !target || hops === (anyHost ? 5 : 3) || (init.method || "GET") !== "GET") {
        return response;
      }
      const [from, to] = [new URL(url), new URL(target, url)];
      const secure = to.protocol === "https:" || (to.protocol === "http:" && from.protocol === "http:");
      if (!secure || (!anyHost && to.hostname !== from.hostname)) {
        return response;
      }
      await response.body?.cancel();
      url = to.href;
    }
  },
  platform: () => names[process.platform] || "others",
  platformVersion: () => (version === undefined ? (version = versionOf(process.platform)) : version),
  arch: () => architecture(process.arch),
  rank: (sources) => architectureRank(architecture(process.arch), sources),
  runtime() {
    const { bun, deno, node } = process.versions as Record<string, string | undefined>;
    return bun ? "bun " + bun : deno ? "deno " + deno : "node " + node!;
  },
  store(namespace, part) {
    const directory = stateDirectory(process.platform, process.env, builtin("node:os").homedir());
    return fileStore(directory, stateName(namespace) + part + ".json");
  },
  doNotTrack: () => false,
  background(connect) {
    unheld ??= releaseSockets();
    return unheld.run(true, connect);
  },
  onEnd(end) {
    if (!ends.size && !process.listeners("beforeExit").includes(beforeExit)) {
      process.on("beforeExit", beforeExit);
    }
    ends.add(end);
    return () => ends.delete(end);
  },
  onLeave: () => () => undefined,
  beacon: () => false,
  onError(report: OnError) {
    // Unhandled rejections arrive here as well, as long as they end the process. A separate
    // listener would prevent that.
    const monitor = (error: unknown): void => {
      // If the application has its own handler, the process continues, and it must not be blocked.
      const survives = process.listenerCount("uncaughtException") > 0 || process.hasUncaughtExceptionCaptureCallback();
      report(error, "uncaught", !survives);
    };
    process.on("uncaughtExceptionMonitor", monitor);
    return () => process.off("uncaughtExceptionMonitor", monitor);
  },
  sendLast(url, headers, body) {
    // Only another thread can send while this one is blocked.
    const { Worker } = builtin("node:worker_threads");
    const done = new Int32Array(new SharedArrayBuffer(4));
    const code = `const { workerData: d } = require("node:worker_threads");
const end = () => { Atomics.store(d.done, 0, 1); Atomics.notify(d.done, 0); };
fetch(d.url, { method: "POST", headers: d.headers, body: d.body, signal: AbortSignal.timeout(2000) }).then(end, end);`;
    new Worker(code, { eval: true, execArgv: [], workerData: { url, headers: [...headers], body, done } }).unref();
    Atomics.wait(done, 0, 0, 2000);
  },
  async open(path) {
    const fs = builtin("node:fs");
    const { size } = await fs.promises.stat(path);
    return {
      size,
      slice: (from, to) => ({
        async arrayBuffer() {
          const file = await fs.promises.open(path);
          try {
            const bytes = new Uint8Array(to - from);
            const { bytesRead } = await file.read(bytes, 0, bytes.length, from);
            return bytes.buffer.slice(0, bytesRead);
          } finally {
            await file.close();
          }
        },
      }),
    };
  },
  sink: (path, key) => Promise.resolve(fileSink(path, key)),
};
