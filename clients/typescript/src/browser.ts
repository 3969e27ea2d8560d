// The library in browsers and workers: the entry for bundlers that build for
// them, and the source of the two browser files.

import { Client } from "./client.js";
import type { SvcClientOptions } from "./client.js";
import { SvcError } from "./errors.js";
import type { Host } from "./host.js";
import { systemClock } from "./host.js";
import { storeOn } from "./analytics.js";

export * from "./exports.js";

const storage = {
  read: (key: string) => localStorage.getItem(key),
  write: (key: string, value: string) => localStorage.setItem(key, value),
  remove: (key: string) => localStorage.removeItem(key),
};

function on(target: EventTarget | undefined, type: string, run: (event: Event) => void): () => void {
  target?.addEventListener(type, run);
  return () => target?.removeEventListener(type, run);
}

/** The browser environment. Workers have no document, and some have no storage. */
export const browserHost: Host = {
  clock: systemClock,
  agent: null,
  fetch: (fetch, url, init) => fetch(url, init),
  platform: () => (globalThis.navigator ? "web" : "others"),
  platformVersion: () => null,
  arch: () => null,
  runtime: () => globalThis.navigator?.userAgent || "",
  store() {
    try {
      return globalThis.localStorage ? storeOn(storage) : null;
    } catch {
      // In a sandboxed frame the property exists, but reading it throws.
      return null;
    }
  },
  doNotTrack() {
    const { navigator: n, window: w } = globalThis as unknown as Record<string, { globalPrivacyControl?: boolean; doNotTrack?: string } | undefined>;
    return n?.globalPrivacyControl === true || [n?.doNotTrack, w?.doNotTrack].some((value) => value === "1" || value === "yes");
  },
  onEnd: () => () => undefined,
  onLeave(leave) {
    const { document, window } = globalThis;
    const undo = [
      on(document, "visibilitychange", () => {
        if (document.visibilityState === "hidden") {
          leave();
        }
      }),
      on(document && window, "pagehide", leave),
    ];
    return () => undo.forEach((end) => end());
  },
  beacon(url, body, failed) {
    const own = globalThis.location && new URL(url).origin === location.origin;
    const type = own ? "application/json" : "text/plain;charset=UTF-8";
    try {
      if (typeof navigator.sendBeacon === "function" && navigator.sendBeacon(url, new Blob([body], { type }))) {
        return true;
      }
      fetch(url, { method: "POST", body, headers: { "content-type": type }, keepalive: true, credentials: "omit" }).catch(failed);
      return true;
    } catch {
      return false;
    }
  },
  onError(report) {
    const undo = [
      on(globalThis as unknown as EventTarget, "error", (event) => {
        const { error, message } = event as ErrorEvent;
        report(error || message, "uncaught");
      }),
      on(globalThis as unknown as EventTarget, "unhandledrejection", (event) => {
        report((event as PromiseRejectionEvent).reason, "uncaught");
      }),
    ];
    return () => undo.forEach((end) => end());
  },
  open: () => Promise.reject(new SvcError("there are no paths here: pass a Blob or a stream")),
  sink: () => Promise.reject(new SvcError("there are no paths here: pass a WritableStream, or nothing")),
};

/** A client for one instance of the service. */
export class SvcClient extends Client {
  constructor(options: SvcClientOptions) {
    super(options, browserHost);
  }
}

/** An alias of `SvcClient`. */
export { SvcClient as SvcSDK };
