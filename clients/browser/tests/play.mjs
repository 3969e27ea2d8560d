// Shows the page of the player until it has played everything. A page that breaks down,
// because somebody killed its process, is shown again.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launchIn } from "./browser.mjs";

const page = new URL("/player.html", process.env.SVC_PLAYER_CONTROL).href;
const profile = mkdtempSync(join(tmpdir(), "svc-player-"));
const context = await launchIn(profile);

function show() {
  return new Promise((resolve, reject) => {
    context.newPage().then((shown) => {
      shown.on("crash", () => resolve("crashed"));
      shown.on("pageerror", (error) => console.error("page:", error));
      shown.on("console", (message) => console.error("console:", message.text()));
      shown.goto(page).catch(() => undefined);
      shown.waitForFunction(() => document.title === "done", null, { timeout: 0 }).then(() => resolve("done"), () => undefined);
    }, reject);
  });
}

while ((await show()) === "crashed") {
  console.error("the page broke down; it is shown again");
}
await context.close();
rmSync(profile, { recursive: true, force: true });
