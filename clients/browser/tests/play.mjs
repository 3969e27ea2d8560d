// Opens the page of the player until it has played everything. If the page crashes, because its
// process has been killed, it is opened again.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launchIn } from "./browser.mjs";

const page = new URL("/player.html", process.env.SVC_PLAYER_CONTROL).href;
const profile = mkdtempSync(join(tmpdir(), "svc-player-"));
const context = await launchIn(profile);

const within = (ms, work) =>
  Promise.race([work, new Promise((_, reject) => setTimeout(() => reject(new Error("no answer in time: crashed")), ms).unref())]);

/** Opens the page and returns how it ended. Whatever goes wrong after a kill, a new page is opened. */
async function show() {
  try {
    const shown = await within(5000, context.newPage());
    let crashed = false;
    shown.on("crash", () => (crashed = true));
    shown.on("pageerror", (error) => console.error("page:", error));
    shown.on("console", (message) => console.error("console:", message.text()));
    await within(5000, shown.goto(page, { waitUntil: "commit" }));
    while (!crashed) {
      // A page that is being reloaded has no title yet.
      const title = await within(5000, shown.title()).catch((error) => {
        crashed ||= /crash/i.test(error.message);
      });
      if (title === "done") {
        return "done";
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  } catch (error) {
    console.error(String(error));
  }
  return "crashed";
}

while ((await show()) === "crashed") {
  console.error("the page broke down; it is shown again");
}
await context.close();
rmSync(profile, { recursive: true, force: true });
