// A real server in a folder of its own, on a port chosen by the system.

import { type ChildProcess, execFile, spawn } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

export const username = "admin";
export const password = "correct horse battery";

/** Creates a folder with the data of `svc demo`, which servers copy. */
export async function makeDemo(): Promise<string> {
  const folder = newFolder();
  await promisify(execFile)(binary(), ["demo", "--data", folder, "--no-serve"], { env: environment() });
  return folder;
}

export class Server {
  url = "";
  private process: ChildProcess | null = null;
  private constructor(
    private readonly folder: string,
    private readonly command: string[],
  ) {}

  /** Starts an empty server, or one with a copy of a data folder; `flags` are passed to `svc serve`. */
  static async start(original?: string, flags: string[] = []): Promise<Server> {
    const folder = newFolder();
    const data = join(folder, "data");
    if (original) {
      cpSync(original, data, { recursive: true });
    }
    const server = new Server(folder, ["serve", "--data", data, "--public-rate-limit", "0", ...flags]);
    await server.go("127.0.0.1:0");
    return server;
  }

  private async go(address: string): Promise<void> {
    const child = spawn(binary(), [...this.command, "--listen", address], { env: environment(), stdio: ["ignore", "ignore", "pipe"] });
    this.process = child;
    this.url = await new Promise<string>((resolve, reject) => {
      const said: string[] = [];
      child.once("exit", (code) => reject(new Error(`svc ended with ${code}:\n${said.join("\n")}`)));
      createInterface({ input: child.stderr }).on("line", (line) => {
        said.push(line);
        const { msg, url } = JSON.parse(line) as { msg: string; url?: string };
        if (msg === "listening" && url) {
          resolve(url);
        }
      });
    });
  }

  /** Stops the server; its address does not answer until it is resumed. */
  async stop(): Promise<void> {
    const child = this.process;
    if (child && child.exitCode === null) {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGTERM");
      await ended;
    }
    this.process = null;
  }

  /** Starts the server again at the same address. */
  async resume(): Promise<void> {
    await this.go(new URL(this.url).host);
  }

  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.folder, { recursive: true });
  }

  private token: Promise<string> | null = null;

  /** Returns a token of the administrator. */
  login(): Promise<string> {
    this.token ??= this.call<{ access_token: string }>("POST", "/auth/login", { username, password }, "").then(
      ({ access_token }) => access_token,
    );
    return this.token;
  }

  /** Calls the interface as the administrator, with another credential, or without one for "". */
  async call<T = unknown>(method: string, path: string, body?: unknown, credential?: string): Promise<T> {
    const token = credential ?? (await this.login());
    const response = await fetch(`${this.url}/api/v1${path}`, {
      method,
      headers: { ...(token && { authorization: `Bearer ${token}` }), ...(body !== undefined && { "content-type": "application/json" }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) {
      throw new Error(`${method} ${path}: ${response.status} ${text}`);
    }
    return (text ? JSON.parse(text) : null) as T;
  }
}

/** Creates an empty folder. */
export function newFolder(): string {
  return mkdtempSync(join(tmpdir(), "svc-console-data-"));
}

/** The path of the program under test. */
export function binary(): string {
  return resolve(process.env["SVC_BINARY"]!);
}

function environment(): NodeJS.ProcessEnv {
  return { ...process.env, ADMIN_PASSWORD: password, SVC_LOG_FORMAT: "json" };
}
