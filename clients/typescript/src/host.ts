// What the library needs from the runtime it runs in. Two stand behind it:
// node.ts (Node, Deno, Bun) and browser.ts (pages and workers).

/**
 * Local state as text values under keys; changes of one call become visible together.
 *
 * @internal
 */
export interface Store {
  /** The values of keys, null where there is none. */
  read(keys: string[]): (string | null)[];
  /** Stores texts and removes what is null. */
  write(changes: Record<string, string | null>): void;
}

/**
 * Where a download goes: bytes in order, then `finish` or `discard`.
 *
 * @internal
 */
export interface Sink {
  /** Bytes that are there, also those of an earlier attempt. */
  size: number;
  write(chunk: Uint8Array): void | Promise<void>;
  /** Starts again with nothing. */
  reset(): void | Promise<void>;
  /** SHA-256 of all bytes in hex, or null where it cannot be computed. */
  digest(): Promise<string | null>;
  /** Makes the whole file visible under its name. */
  finish(): Promise<{ path?: string; blob?: Blob }>;
  /** Leaves nothing. */
  discard(): void | Promise<void>;
}

/** Bytes that can be read in parts; a Blob is one. */
export interface Slices {
  readonly size: number;
  slice(from: number, to: number): { arrayBuffer(): Promise<ArrayBuffer> };
}

/** Reports an error nobody caught; `last` when the process ends after it. */
export type OnError = (error: unknown, source: string, last?: boolean) => void;

/**
 * Time and chance; tests replace it.
 *
 * @internal
 */
export interface Clock {
  /** Unix time in milliseconds. */
  now(): number;
  /** A clock that never goes back, in milliseconds. */
  mono(): number;
  /** Resolves after that time, or at once when the signal is aborted. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  /** 0 (included) to 1 (not included). */
  random(): number;
}

/**
 * What the runtime gives.
 *
 * @internal
 */
export interface Host {
  readonly clock: Clock;
  /** Product of the user agent, where it is ours to set. */
  readonly agent: string | null;
  /** Fetches; follows redirects to the same host, or with `anyHost` to any, where the runtime leaves that to us. */
  fetch(fetch: typeof globalThis.fetch, url: string, init: RequestInit, anyHost?: boolean): Promise<Response>;
  /** Platform word, null when unknown. */
  platform(): string | null;
  /** Version of the system, null when unknown or the server's to find out. */
  platformVersion(): string | null;
  /** Architecture as Go names it, null when unknown. */
  arch(): string | null;
  /** How well a download fits the architecture, see `updateLink`. */
  rank?(sources: string[][]): number;
  /** Runtime and version, as error reports show it. */
  runtime(): string;
  /** Local state of a namespace; `part` tells what is kept apart from the events. */
  store(namespace: string, part: string): Store | null;
  /** True while the browser asks not to be tracked. */
  doNotTrack(): boolean;
  /**
   * Runs what connects for a send that nobody waits for: it does not keep the process alive, where that can be
   * arranged. `onEnd` is the chance of what is left.
   */
  background?<T>(connect: () => Promise<T>): Promise<T>;
  /** Calls `end` once, when the process is about to end; returns what undoes it. */
  onEnd(end: () => Promise<unknown>): () => void;
  /** Calls `leave` when the page is hidden or left; returns what undoes it. */
  onLeave(leave: () => void): () => void;
  /**
   * Hands a body to the browser to send after the page is gone; false when it is refused.
   * Calls `failed` when a page that is not gone learns later that it was not sent.
   */
  beacon(url: string, body: string, failed: () => void): boolean;
  /** Hooks uncaught errors; returns what undoes it. */
  onError(report: OnError): () => void;
  /** Sends a last request and waits for it, when the process cannot go on. */
  sendLast?(url: string, headers: Headers, body: string): void;
  /** A file to read in parts. */
  open(path: string): Promise<Slices>;
  /** A file to write; `key` names a partial file that a later process can go on with. */
  sink(path: string, key: string | null): Promise<Sink>;
}

/** The clock of the runtime. */
export const systemClock: Clock = {
  now: () => Date.now(),
  mono: () => performance.now(),
  random: () => Math.random(),
  wait: (ms, signal) =>
    new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      signal.addEventListener("abort", end);
      if (signal.aborted) {
        end();
      }
    }),
};

/** The longest time that timers can wait for; after a longer one they would end at once. */
export const longest = 2 ** 31 - 1;

/** A timer that does not keep the process alive. */
export function timer(run: () => void, ms: number): ReturnType<typeof setTimeout> {
  const handle = setTimeout(run, ms) as ReturnType<typeof setTimeout> & { unref?: () => void };
  handle.unref?.();
  return handle;
}

/** Waits for work, but no longer than that, and keeps the process alive meanwhile. */
export async function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  let limit: ReturnType<typeof setTimeout> | undefined;
  const end = new Promise<undefined>((resolve) => (limit = setTimeout(() => resolve(undefined), ms)));
  return Promise.race([work, end]).finally(() => clearTimeout(limit));
}
