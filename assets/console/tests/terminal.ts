// A server started for the first time by a user: in a terminal, which shows the generated password.
// Without a terminal, the server shows none.

import { spawn } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { binary, newFolder } from "./server";

export interface Terminal {
  /** The address of the console. */
  console: string;
  username: string;
  password: string;
  /** Stops the server and removes its data. */
  close(): Promise<void>;
}

/** Runs `svc serve` in an empty folder and reads what the terminal shows. */
export async function startInTerminal(): Promise<Terminal> {
  const folder = newFolder();
  const { ADMIN_PASSWORD: _, ...environment } = process.env;
  // The terminal comes from "script". It would kill a program two seconds after it was told to end, so the test
  // signals the program itself.
  const child = spawn("script", ["-qefc", `echo $$ >pid; exec "$PROGRAM" serve --data data --listen 127.0.0.1:0`, "/dev/null"], {
    cwd: folder,
    env: { ...environment, PROGRAM: binary() },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const [, address, username, password] = await new Promise<RegExpExecArray>((resolve, reject) => {
    let screen = "";
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`svc ended with ${code}:\n${screen}`)));
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      screen += text;
      const shown = /console +(\S+)\s+login +(\S+) \/ (\S+) /.exec(screen);
      if (shown) {
        resolve(shown);
      }
    });
  });
  return {
    console: address!,
    username: username!,
    password: password!,
    async close() {
      process.kill(Number(readFileSync(join(folder, "pid"), "utf8")), "SIGTERM");
      await ended;
      rmSync(folder, { recursive: true });
    },
  };
}
