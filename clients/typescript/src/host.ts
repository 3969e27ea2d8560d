// The interface between the library and its runtime. There are two implementations:
// node.ts (Node, Deno, Bun) and browser.ts (pages and workers).

/**
 * Local state as text values under keys. Changes of one call become visible together.
 *
 * @internal
 */
export interface Store {
  /** Returns the values of keys, null for missing ones. */
  read(keys: string[]): (string | null)[];
  /** Stores texts and removes keys with a null value. */
  write(changes: Record<string, string | null>): void;
}

/**
 * The destination of a download. It receives the bytes in order, then `finish` or `discard`.
 *
 * @internal
 */
export interface Sink {
  /** Number of bytes that it has, including those of an earlier attempt. */
  size: number;
  write(chunk: Uint8Array): void | Promise<void>;
  /** Discards all bytes and starts again. */
  reset(): void | Promise<void>;
  /** SHA-256 of all bytes in hex, or null if it cannot be computed. */
  digest(): Promise<string | null>;
  /** Makes the complete file visible under its name. */
  finish(): Promise<{ path?: string; blob?: Blob }>;
  /** Removes everything. */
  discard(): void | Promise<void>;
}

/** Bytes that can be read in parts, such as a Blob. */
export interface Slices {
  readonly size: number;
  slice(from: number, to: number): { arrayBuffer(): Promise<ArrayBuffer> };
}

/** Reports an uncaught error; `last` is true if the process ends after it. */
export type OnError = (error: unknown, source: string, last?: boolean) => void;

/**
 * Time and randomness; tests replace it.
 *
 * @internal
 */
export interface Clock {
  /** Unix time in milliseconds. */
  now(): number;
  /** A monotonic clock, in milliseconds. */
  mono(): number;
  /** Resolves after the given time, or immediately when the signal is aborted. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  /** A random number from 0 (included) to 1 (not included). */
  random(): number;
}

/**
 * The environment of the library.
 *
 * @internal
 */
export interface Host {
  readonly clock: Clock;
  /** Product of the user agent, if the library can set it. */
  readonly agent: string | null;
  /**
   * Fetches; follows redirects to the same host, or with `anyHost` to any host, if the runtime does
   * not follow them itself.
   */
  fetch(fetch: typeof globalThis.fetch, url: string, init: RequestInit, anyHost?: boolean): Promise<Response>;
  /** Name of the platform, null if unknown. */
  platform(): string | null;
  /** Version of the system, null if unknown or if the server determines it. */
  platformVersion(): string | null;
  /** Architecture in Go's spelling, null if unknown. */
  arch(): string | null;
  /** How well a download fits the architecture; see `updateLink`. */
  rank?(sources: string[][]): number;
  /** Runtime and version for error reports. */
  runtime(): string;
  /** Local state of a namespace; `part` names data that is stored separately from the events. */
  store(namespace: string, part: string): Store | null;
  /** True while the browser requests not to be tracked. */
  doNotTrack(): boolean;
  /**
   * Runs `connect` for a background send. Where possible, the connection does not keep the process
   * alive; `onEnd` sends the remaining data.
   */
  background?<T>(connect: () => Promise<T>): Promise<T>;
  /** Calls `end` once when the process is about to end. Returns a function that removes the hook. */
  onEnd(end: () => Promise<unknown>): () => void;
  /** Calls `leave` when the page is hidden or left. Returns a function that removes the hook. */
  onLeave(leave: () => void): () => void;
  /**
   * Hands a body to the browser to send after the page has been closed. Returns false if the
   * browser refuses it. Calls `failed` if a page that stays open learns later that the body was not
   * sent.
   */
  beacon(url: string, body: string, failed: () => void): boolean;
  /** Hooks uncaught errors. Returns a function that removes the hook. */
  onError(report: OnError): () => void;
  /** Sends a last request and waits for it synchronously, because the process is about to end. */
  sendLast?(url: string, headers: Headers, body: string): void;
  /** Opens a file to read in parts. */
  open(path: string): Promise<Slices>;
  /** Opens a file to write; `key` names a partial file that a later process can resume. */
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

/** The longest time that timers support; longer ones would fire immediately. */
export const longest = 2 ** 31 - 1;

/** A timer that does not keep the process alive. */
export function timer(run: () => void, ms: number): ReturnType<typeof setTimeout> {
  const handle = setTimeout(run, ms) as ReturnType<typeof setTimeout> & { unref?: () => void };
  handle.unref?.();
  return handle;
}

/** Waits for work, at most for the given time, and keeps the process alive while waiting. */
export async function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  let limit: ReturnType<typeof setTimeout> | undefined;
  const end = new Promise<undefined>((resolve) => (limit = setTimeout(() => resolve(undefined), ms)));
  return Promise.race([work, end]).finally(() => clearTimeout(limit));
}
