// Builds console and program once, so that the tests run the current sources. SVC_BINARY names an
// existing program to use instead.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../..", import.meta.url));

export default function setup(): (() => void) | undefined {
  if (process.env["SVC_BINARY"]) {
    return undefined;
  }
  const folder = mkdtempSync(join(tmpdir(), "svc-console-"));
  const binary = join(folder, "svc");
  execFileSync("node", ["scripts/build.mjs"], { cwd: join(root, "assets/console"), stdio: "inherit" });
  execFileSync("go", ["build", "-o", binary, "."], { cwd: root, stdio: "inherit" });
  process.env["SVC_BINARY"] = binary;
  return () => rmSync(folder, { recursive: true });
}
