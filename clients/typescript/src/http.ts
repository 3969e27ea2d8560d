// One request: local checks, headers, time limit, retries, redirects, and what
// the answer means.

import { SvcApiError, SvcAuthError, SvcConnectionError, SvcError } from "./errors.js";
import type { Host } from "./host.js";
import { clientTime, errorMessage, pathSegment, retryAfter, retryDelay } from "./rules.js";

/** What the debug hook gets. Never a credential, an identifier, a query or a body. */
export interface LogEvent {
  /** What happened, a constant text. */
  message: string;
  /** HTTP method of a request. */
  method?: string;
  /** Path of a request in template form. */
  path?: string;
  /** Status of its answer, 0 for none. */
  status?: number;
  /** Number of the attempt, from 1. */
  attempt?: number;
  /** How long the attempt took. */
  durationMs?: number;
}

/**
 * Settings that a request takes a snapshot of.
 *
 * @internal
 */
export interface Settings {
  readonly baseUrl: string;
  projectKey: string | null;
  token: string | (() => string | Promise<string>) | null;
  platform: string | null;
  platformVersion: string | null;
  locale: string | null;
}

/**
 * Settings that stay as they are.
 *
 * @internal
 */
export interface Fixed {
  readonly host: Host;
  readonly fetch: typeof fetch;
  readonly timeoutMs: number;
  readonly retries: number;
  readonly headers: Record<string, string>;
  readonly userAgent: string | null;
  readonly clientTime: boolean;
  /** Aborted by `close`. */
  readonly closed: AbortSignal;
  log(event: LogEvent): void;
  /** Whether the debug hook runs: an error that it reports is no report, or sending it would make the next one. */
  hooked: boolean;
}

/** @internal */
export interface Request {
  method: string;
  /** Template; placeholders but `{k}` are filled from `params` in order. */
  path: string;
  params?: string[];
  query?: Record<string, unknown>;
  /** Sent as JSON; absent means no body. */
  body?: unknown;
  /** Sent as they are. */
  raw?: string | Uint8Array | Blob | ArrayBuffer;
  admin?: boolean;
  signal?: AbortSignal | undefined;
}

const largest = 32 << 20;

/** Runs work that a signal can end early. */
export function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(new Error("aborted"));
    signal.addEventListener("abort", stop);
    if (signal.aborted) {
      stop();
    }
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

/**
 * Runs `work` with a signal that ends with `outer` or after a time, and tells
 * how it ended early: `read_timeout`, `aborted`, or null.
 */
export async function limited<T>(
  ms: number,
  outer: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<{ value?: T; cause?: unknown; failure: string | null }> {
  const control = new AbortController();
  let failure: string | null = null;
  const stop = (why: string) => {
    failure = failure || why;
    control.abort();
  };
  const cancel = () => stop("aborted");
  // Timers cannot wait for longer, and would end at once.
  const limit = ms && ms < 2 ** 31 ? setTimeout(stop, ms, "read_timeout") : undefined;
  outer?.addEventListener("abort", cancel);
  try {
    if (outer?.aborted) {
      cancel();
      throw outer.reason;
    }
    return { value: await abortable(work(control.signal), control.signal), failure: null };
  } catch (cause) {
    return { cause, failure: failure || "connect" };
  } finally {
    clearTimeout(limit);
    outer?.removeEventListener("abort", cancel);
    // A body that nobody reads to its end would keep its connection, and the process.
    control.abort();
  }
}

/** A failure before there was a whole answer, as callers see it. */
export function connectionError(failure: string, cause: unknown): SvcConnectionError {
  const text: Record<string, string> = {
    read_timeout: "the time limit ran out",
    aborted: "the request was cancelled",
    body: "the answer broke off",
    large: "the answer is larger than 32 MiB",
  };
  return new SvcConnectionError(text[failure] || "no connection", cause, failure === "read_timeout");
}

/** Sends a request and returns the decoded answer, null for an empty one. */
export async function send(fixed: Fixed, live: Settings, request: Request): Promise<unknown> {
  if (fixed.closed.aborted) {
    throw new SvcError("the client is closed");
  }
  const settings = { ...live };
  const { method, path, signal } = request;
  const { clock } = fixed.host;
  const url = address(settings, request);
  const token = request.admin ? await credential(settings.token) : null;
  for (let done = 0; ; done++) {
    const start = clock.mono();
    const init: RequestInit = {
      method,
      headers: headers(fixed, settings, request, token),
      credentials: "omit",
      body: (request.raw as BodyInit | undefined) ?? (request.body === undefined ? null : JSON.stringify(request.body)),
    };
    let broken = "";
    const { value, cause, failure } = await limited(fixed.timeoutMs, signal, async (abort) => {
      const response = await fixed.host.fetch(fixed.fetch, url, { ...init, signal: abort });
      broken = "body";
      const text = await read(response, () => (broken = "large"));
      return { status: response.status, text, after: retryAfter(response.headers.get("retry-after"), clock.now() / 1000) };
    });
    const status = value ? value.status : 0;
    fixed.log({ message: "request", method, path, status, attempt: done + 1, durationMs: clock.mono() - start });
    if (value && status >= 200 && status < 300 && !value.text.trim()) {
      return null;
    }
    const body = value && parse(value.text);
    if (body && status >= 200 && status < 300 && body.json) {
      return body.value;
    }
    const why = failure === "connect" && broken ? broken : failure;
    const delay = retryDelay(method, done, fixed.retries, why || status, value ? value.after : null, clock.random());
    if (delay === null || signal?.aborted) {
      throw value
        ? new SvcApiError(status, errorMessage(status, body!.value), body!.value, value.after, method, path)
        : connectionError(why!, cause);
    }
    const stopped = await limited(0, signal, (abort) => abortable(clock.wait(delay, fixed.closed), abort));
    if (stopped.failure) {
      throw connectionError(stopped.failure, signal?.reason);
    }
    if (fixed.closed.aborted) {
      throw new SvcError("the client is closed");
    }
  }
}

/** URL of a request. */
export function address(settings: Settings, { path, params = [], query = {} }: Request): string {
  let next = 0;
  const filled = path.replace(/{(\w+)}/g, (_, name: string) => {
    if (name === "k" && !settings.projectKey) {
      throw new SvcError("no project is bound: set projectKey");
    }
    const segment = pathSegment(String((name === "k" ? settings.projectKey : params[next++]) ?? ""));
    if (!segment) {
      throw new SvcError(`${name} must not be empty, "." or ".."`);
    }
    return segment;
  });
  const pairs = Object.entries(query)
    .filter(([, value]) => value != null)
    .map(([name, value]) => encodeURIComponent(name) + "=" + encodeURIComponent(String(value)));
  return settings.baseUrl + filled + (pairs.length ? "?" + pairs.join("&") : "");
}

async function credential(token: Settings["token"]): Promise<string> {
  let text: string | null;
  try {
    text = typeof token === "function" ? await token() : token;
  } catch (cause) {
    throw new SvcAuthError("the token function failed", cause);
  }
  if (!text) {
    throw new SvcAuthError("this method needs a credential: set token or log in");
  }
  return text;
}

/** Headers of one attempt. */
export function headers(fixed: Fixed, settings: Settings, request: Request, token: string | null): Headers {
  const now = fixed.host.clock.now();
  const time = fixed.clientTime ? clientTime(now, new Date(now).getTimezoneOffset() * -60) : null;
  const json = request.raw == null || typeof request.raw === "string";
  try {
    const result = new Headers(fixed.headers);
    for (const [name, value] of [
      ["accept", "application/json"],
      ["authorization", token && "Bearer " + token],
      ["user-agent", fixed.userAgent],
      ["content-type", request.raw == null && request.body === undefined ? null : json ? "application/json" : "application/octet-stream"],
      ["x-svc-platform", settings.platform],
      ["x-svc-platform-version", settings.platformVersion],
      ["x-svc-client-time", time],
    ] as const) {
      if (value) {
        result.set(name, value);
      } else if (name !== "user-agent") {
        result.delete(name);
      }
    }
    return result;
  } catch {
    // The runtime's own error quotes the value, which may be the credential.
    throw new SvcError("a header has a value that cannot be sent");
  }
}

async function read(response: Response, tooLarge: () => void): Promise<string> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  for (;;) {
    const { done, value } = reader ? await reader.read() : { done: true, value: undefined };
    if (done || !value) {
      return text + decoder.decode();
    }
    size += value.length;
    if (size > largest) {
      tooLarge();
      void reader!.cancel();
      throw new Error("too large");
    }
    text += decoder.decode(value, { stream: true });
  }
}

function parse(text: string): { json: boolean; value: unknown } {
  try {
    return { json: true, value: JSON.parse(text) as unknown };
  } catch {
    return { json: false, value: text.slice(0, 65536) };
  }
}
