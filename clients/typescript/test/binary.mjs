// The real server, for tests: the binary named by SVC_BINARY.

import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** The reason why live tests cannot run, or false. */
export const noBinary = process.env.SVC_BINARY ? false : "no server: set SVC_BINARY to the path of a built svc";

/** Starts a server in an empty folder; `stop` stops it and removes the folder. */
export async function startServer() {
  const data = mkdtempSync(join(tmpdir(), "svc-data-"));
  const child = spawn(process.env.SVC_BINARY, ["serve", "--data", data, "--listen", "127.0.0.1:0", "--public-rate-limit", "0"], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const url = await new Promise((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on("line", (line) => {
        if (line.includes('"msg":"listening"')) {
          resolve(JSON.parse(line).url);
        }
      });
    }
    child.on("exit", (code) => reject(new Error(`the server ended with status ${code}`)));
  });
  const password = /password:(.*)/.exec(readFileSync(join(data, "svc.bootstrap-admin.txt"), "utf8"))[1].trim();
  return {
    baseUrl: new URL("/api/v1", url).href,
    password,
    async stop() {
      const ended = new Promise((resolve) => child.on("exit", resolve));
      child.kill();
      await ended;
      rmSync(data, { recursive: true, force: true });
    },
  };
}
