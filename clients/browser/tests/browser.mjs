// Starts Chromium for tests.

import { existsSync } from "node:fs";
import { chromium } from "playwright-core";

/** Where Chromium is: CHROMIUM, or what Linux distributions install. */
export const executable = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(
  (path) => path && existsSync(path),
);

const options = {
  executablePath: executable,
  args: [
    "--no-sandbox", // as root there is none
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-proxy-server",
    "--host-resolver-rules=MAP page.test 127.0.0.1", // an address that is no secure context
  ],
};

/** A browser without a profile. */
export const launch = (more = {}) => chromium.launch({ ...options, ...more });

/** A browser whose profile is in a folder. */
export const launchIn = (folder, more = {}) => chromium.launchPersistentContext(folder, { ...options, ...more });
