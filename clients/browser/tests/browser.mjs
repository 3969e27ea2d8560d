// Starts Chromium for tests.

import { existsSync } from "node:fs";
import { chromium } from "playwright-core";

/** Path of Chromium: CHROMIUM, or the path used by Linux distributions. */
export const executable = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(
  (path) => path && existsSync(path),
);

const options = {
  executablePath: executable,
  args: [
    "--no-sandbox", // not available for root
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-proxy-server",
    "--host-resolver-rules=MAP page.test 127.0.0.1", // an address that is not a secure context
  ],
};

/** Starts a browser without a profile. */
export const launch = (more = {}) => chromium.launch({ ...options, ...more });

/** Starts a browser with its profile in a folder. */
export const launchIn = (folder, more = {}) => chromium.launchPersistentContext(folder, { ...options, ...more });
