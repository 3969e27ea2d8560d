// The player in Node: asks SVC_PLAYER_CONTROL for steps and answers with results.

import { openSync, writeSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { Client } from "../dist/esm/client.js";
import * as tables from "../dist/esm/methods.js";
import { nodeHost } from "../dist/esm/node.js";
import { player } from "./play.mjs";

const control = process.env.SVC_PLAYER_CONTROL;

const { play, client } = player((options, clock, step) => {
  if (step.options?.state_dir) {
    process.env.XDG_STATE_HOME = step.options.state_dir;
  }
  return new Client(options, clock ? { ...nodeHost, clock } : nodeHost);
}, tables);

/** Tracks an event about every millisecond and records it in a file, until it is killed. */
async function spin({ seconds, file }) {
  const lines = openSync(file, "a");
  const end = performance.now() + seconds * 1000;
  for (let i = 0; performance.now() < end; i++) {
    client().public.track("tick", { i });
    writeSync(lines, `${i} ${Date.now()}\n`);
    const next = performance.now() + 1;
    do {
      await setImmediate();
    } while (performance.now() < next);
  }
  setInterval(() => {}, 60_000);
  return new Promise(() => {});
}

// Keeps the process alive, as an app's own work does. A background send does not, so Node would begin
// to end the process while the player waits for one, and the library would flush.
const alive = setInterval(() => {}, 60_000);

for (let result = { ready: true }; ; ) {
  const answer = await fetch(control, { method: "POST", body: JSON.stringify(result) });
  if (answer.status === 204) {
    process.exit(0);
  }
  const step = await answer.json();
  if (step.do === "exit") {
    if (step.hard) {
      process.kill(process.pid, "SIGKILL");
    }
    clearInterval(alive);
    break;
  }
  result = step.do === "spin" ? await spin(step) : await play(step);
}
