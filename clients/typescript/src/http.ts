// One request: local checks, headers, time limit, retries, redirects, and the
// interpretation of the response.

import { SvcApiError, SvcAuthError, SvcConnectionError, SvcError } from "./errors.js";
import type { Host } from "./host.js";
import { longest, timer } from "./host.js";
import { clientTime, errorMessage, pathSegment, retryAfter, retryDelay } from "./rules.js";

/** An event of the debug hook. It never contains a credential, an identifier, a query or a body. */
export interface LogEvent {
  /** A constant text that describes the event. */
  message: string;
  /** HTTP method of a request. */
  method?: string;
  /** Path of a request in template form. */
  path?: string;
  /** Status of the response, 0 if there was none. */
  status?: number;
  /** Number of the attempt, from 1. */
  attempt?: number;
  /** Duration of the attempt in milliseconds. */
  durationMs?: number;
}

/** @internal */
export type Token = () => string | null | Promise<string | null>;

/**
 * Settings that each request copies when it begins.
 *
 * @internal
 */
export interface Settings {
  readonly baseUrl: string;
  projectKey: string | null;
  /** Returns the credential. It is a function because neither inspection nor JSON shows a function's variables. */
  token: Token;
  platform: string | null;
  platformVersion: string | null;
  locale: string | null;
}

/**
 * Settings that never change.
 *
 * @internal
 */
export interface Fixed {
  readonly host: Host;
  readonly fetch: typeof fetch;
  readonly timeoutMs: number;
  readonly retries: number;
  /** Extra headers; a function, because a header may contain a credential. */
  readonly headers: () => Record<string, string>;
  readonly userAgent: string | null;
  readonly clientTime: boolean;
  /** Aborted by `close`. */
  readonly closed: AbortSignal;
  /** Pending attempts, which `close` waits for. */
  readonly attempts: Set<Promise<unknown>>;
  log(event: LogEvent): void;
  /**
   * True while the debug hook runs. Its errors are not reported, because sending the report would
   * call the hook again.
   */
  hooked: boolean;
}

/** @internal */
export interface Request {
  /** POST if omitted. */
  method?: string;
  /** Template. Placeholders except `{k}` are filled from `params` in order. */
  path: string;
  params?: string[];
  query?: Record<string, unknown>;
  /** Sent as JSON; no body if omitted. */
  body?: unknown;
  /** Sent unchanged. */
  raw?: string | Uint8Array | Blob | ArrayBuffer;
  admin?: boolean;
  /** The caller does not wait for the response, so the request does not keep the process alive. */
  background?: boolean;
  signal?: AbortSignal | undefined;
  ifMatch?: string | undefined;
  /** Of the feedback whose reply is requested. */
  replyToken?: string;
  /** Called with the ETag of the response, if it has one. */
  onETag?: ((etag: string) => void) | undefined;
}

const largest = 32 << 20;

/**
 * Runs `work` with a signal that is aborted by `outer`, by `close` or after a time limit. The
 * failure is `read_timeout`, `aborted`, or null if it was not aborted.
 */
export async function limited<T>(
  { closed }: Fixed,
  ms: number,
  outer: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
  background = false,
): Promise<{ value?: T; cause?: unknown; failure: string | null }> {
  const control = new AbortController();
  let failure = "";
  let stop!: (why: string) => void;
  const stopped = new Promise<never>((_, reject) => {
    stop = (why) => {
      failure = failure || why;
      control.abort();
      reject(outer?.reason ?? new Error(why));
    };
  });
  const cancel = () => stop("aborted");
  const expire = () => stop("read_timeout");
  const limit = ms && ms <= longest ? (background ? timer : setTimeout)(expire, ms) : undefined;
  const signals = [outer, closed];
  signals.forEach((signal) => signal?.addEventListener("abort", cancel));
  try {
    if (signals.some((signal) => signal?.aborted)) {
      cancel();
      await stopped;
    }
    return { value: await Promise.race([stopped, work(control.signal)]), failure: null };
  } catch (cause) {
    return { cause, failure: failure || "connect" };
  } finally {
    clearTimeout(limit);
    signals.forEach((signal) => signal?.removeEventListener("abort", cancel));
    // An unread body would keep its connection, and the process, alive.
    control.abort();
  }
}

/** The error for a failure before the response was complete. */
export function connectionError(failure: string, cause: unknown): SvcConnectionError {
  const text: Record<string, string> = {
    read_timeout: "the time limit ran out",
    aborted: "the request was cancelled",
    body: "the answer broke off",
    large: "the answer is larger than 32 MiB",
  };
  const why = failure === "connect" || failure === "body" ? reason(cause) : "";
  return new SvcConnectionError((text[failure] || "no connection") + (why && ": " + why), cause, failure === "read_timeout");
}

/** The runtime's description of a failed connection: `fetch failed: connect ECONNREFUSED 127.0.0.1:80`. */
function reason(cause: unknown): string {
  const texts: string[] = [];
  for (let error = cause as Cause | null | undefined; error && typeof error === "object" && texts.length < 8; error = error.cause || error.errors?.[0]) {
    const { code, message = "" } = error;
    const known = typeof code !== "string" || message.includes(code);
    texts.push(known ? message : `${message} (${code})`.trim());
  }
  // Addresses may contain a credential or a query.
  return texts.filter(Boolean).join(": ").replace(/[\w+.-]+:\/\/[^\s)"']*/g, "the address");
}

/** An error of a runtime, or one of the errors that caused it. */
interface Cause {
  message?: string;
  code?: unknown;
  cause?: Cause;
  errors?: Cause[];
}

/** Throws if the client is closed. */
export function assertOpen({ closed }: Fixed): void {
  if (closed.aborted) {
    throw new SvcError("the client is closed");
  }
}

/** Waits before another attempt. Throws if the caller or `close` aborts the wait. */
export async function pause(fixed: Fixed, ms: number, signal: AbortSignal | undefined): Promise<void> {
  const { failure, cause } = await limited(fixed, 0, signal, () => fixed.host.clock.wait(ms, fixed.closed));
  assertOpen(fixed);
  if (failure) {
    throw connectionError(failure, cause);
  }
}

/** Sends a request and returns the decoded response, null for an empty one. */
export async function send(fixed: Fixed, live: Settings, request: Request): Promise<unknown> {
  assertOpen(fixed);
  const settings = { ...live };
  const { method = "POST", path, signal, background } = request;
  const { host, attempts } = fixed;
  const { clock } = host;
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
    const attempt = limited(fixed, fixed.timeoutMs, signal, async (abort) => {
      const connect = () => host.fetch(fixed.fetch, url, { ...init, signal: abort });
      const response = await (background && host.background ? host.background(connect) : connect());
      broken = "body";
      const text = await read(response, () => (broken = "large"));
      const { headers } = response;
      return { status: response.status, text, etag: headers.get("etag"), after: retryAfter(headers.get("retry-after"), clock.now() / 1000) };
    }, background);
    attempts.add(attempt);
    const { value, cause, failure } = await attempt;
    attempts.delete(attempt);
    if (failure) {
      assertOpen(fixed);
    }
    const status = value ? value.status : 0;
    const good = status >= 200 && status < 300;
    fixed.log({ message: "request", method, path, status, attempt: done + 1, durationMs: clock.mono() - start });
    if (good && !value!.text.trim()) {
      return null;
    }
    const body = value && parse(value.text);
    if (good && body!.json) {
      if (value!.etag) {
        request.onETag?.(value!.etag);
      }
      return body!.value;
    }
    const why = failure === "connect" && broken ? broken : failure;
    const delay = retryDelay(method, done, fixed.retries, why || status, value ? value.after : null, clock.random());
    if (delay === null || signal?.aborted) {
      throw value
        ? new SvcApiError(status, errorMessage(status, body!.value), body!.value, value.after, method, path)
        : connectionError(why!, cause);
    }
    await pause(fixed, delay, signal);
  }
}

/** Result of a background send; status 0 means that there was no response. */
export interface Delivery {
  status: number;
  after?: number | null;
  message?: string;
  rejected?: { index: number; message: string }[];
}

/** Sends a body from the background; never rejects. */
export async function post(fixed: Fixed, settings: Settings, request: Request): Promise<Delivery> {
  try {
    return { ...((await send(fixed, settings, { ...request, background: true })) as Delivery | null), status: 202 };
  } catch (error) {
    return error instanceof SvcApiError ? { status: error.status, after: error.retryAfter, message: error.message } : { status: 0 };
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

async function credential(token: Token): Promise<string> {
  let text: string | null;
  try {
    text = await token();
  } catch (cause) {
    throw new SvcAuthError("the token function failed", cause);
  }
  if (!text) {
    throw new SvcAuthError("this method needs a credential: set token or log in");
  }
  return text;
}

/** The local time, or null if requests do not contain it. */
export function localTime({ clientTime: wanted, host }: Fixed): string | null {
  const now = host.clock.now();
  return wanted ? clientTime(now, new Date(now).getTimezoneOffset() * -60) : null;
}

/** Headers of one attempt. */
export function headers(fixed: Fixed, settings: Settings, request: Request, token: string | null): Headers {
  const json = request.raw == null || typeof request.raw === "string";
  try {
    const result = new Headers(fixed.headers());
    for (const [name, value] of [
      ["accept", "application/json"],
      ["authorization", token && "Bearer " + token],
      ["user-agent", fixed.userAgent],
      ["if-match", request.ifMatch],
      ["x-reply-token", request.replyToken],
      ["content-type", request.raw == null && request.body === undefined ? null : json ? "application/json" : "application/octet-stream"],
      ["x-svc-platform", settings.platform],
      ["x-svc-platform-version", settings.platformVersion],
      ["x-svc-client-time", localTime(fixed)],
    ] as const) {
      if (value) {
        result.set(name, value);
      } else if (name !== "user-agent") {
        result.delete(name);
      }
    }
    return result;
  } catch {
    // The runtime's error quotes the value, which may be the credential.
    throw new SvcError("a header has a value that cannot be sent");
  }
}

/** Reads a body part by part; undefined marks its end. */
export function parts(response: Response): () => Promise<Uint8Array | undefined> {
  const reader = response.body?.getReader();
  return async () => (await reader?.read())?.value;
}

async function read(response: Response, tooLarge: () => void): Promise<string> {
  const next = parts(response);
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  for (let part: Uint8Array | undefined; (part = await next()); ) {
    size += part.length;
    if (size > largest) {
      tooLarge();
      throw new Error("too large");
    }
    text += decoder.decode(part, { stream: true });
  }
  return text + decoder.decode();
}

function parse(text: string): { json: boolean; value: unknown } {
  try {
    return { json: true, value: JSON.parse(text) as unknown };
  } catch {
    return { json: false, value: text.slice(0, 65536) };
  }
}
