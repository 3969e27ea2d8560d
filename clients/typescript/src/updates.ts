// Update checks that are made at most once an interval, and downloads that are
// verified before they appear under their name. Nothing is installed.

import type { Analytics } from "./analytics.js";
import { SvcConnectionError, SvcError } from "./errors.js";
import type { Sink } from "./host.js";
import type { Fixed, Settings } from "./http.js";
import { abortable, connectionError, limited } from "./http.js";
import type { PublicApi } from "./api.js";
import type { Remembered } from "./rules.js";
import { ownLink, retryDelay, updateDecision, updateDue, updateLink } from "./rules.js";
import type { DownloadLink, PublicVersion, ReasonCode, UpdateCheck, UpdateCheckInput } from "./schema.js";

/** Options of an update check. */
export interface UpdateOptions {
  /** Shortest time between two checks that ask the service, in milliseconds. Default 6 hours. */
  intervalMs?: number | undefined;
  /** Asks the service even so. */
  force?: boolean | undefined;
  /** Whether previews may be offered. */
  includePreview?: boolean | undefined;
  /** Language wanted for the texts. Default: the client's. */
  locale?: string | null | undefined;
  /** Display version that is installed. Default: the client's `appVersion`. */
  currentVersion?: string | undefined;
  /** Comparable version that is installed. */
  currentComparableVersion?: string | undefined;
  /** Ends the check early. */
  signal?: AbortSignal | undefined;
}

/** Options of a download. */
export interface DownloadOptions {
  /** Told how many bytes there are, of how many; null when the server does not say. */
  onProgress?: ((received: number, total: number | null) => void) | undefined;
  /** Another link of the version. Default: the one for this platform and architecture. */
  link?: DownloadLink | undefined;
  /** Ends the download early and leaves nothing. */
  signal?: AbortSignal | undefined;
}

/** A finished download. */
export interface Download {
  /** Where it is, when it went to a path. */
  path?: string;
  /** What it is, when it went nowhere else. */
  blob?: Blob;
  /** Bytes. */
  size: number;
  /** SHA-256 in hex; null where the runtime cannot compute it. */
  sha256: string | null;
  /** True when size and hash are those of the file's record. */
  verified: boolean;
}

/** Where to download to: a path, or a stream that gets the bytes once they are verified. */
export type DownloadTarget = string | WritableStream<Uint8Array>;

/** What an update check found. */
export class Update {
  /** What it means for the app. */
  readonly decision: "none" | "optional" | "required" | "milestone";
  /** What to install, or null. */
  readonly target: PublicVersion | null;
  /** Its download for this platform and architecture, or null. */
  readonly link: DownloadLink | null;
  /** Why. */
  readonly reasonCodes: readonly ReasonCode[];

  /** @internal */
  constructor(
    private readonly fixed: Fixed,
    private readonly settings: Settings,
    /** The whole answer. */
    readonly answer: UpdateCheck,
    /** When the service was asked, in Unix seconds. */
    readonly checkedAt: number,
    /** True when the service was not asked this time. */
    readonly remembered: boolean,
  ) {
    this.decision = updateDecision(answer);
    this.target = answer.target_version;
    this.reasonCodes = answer.reason_codes;
    const links = this.target?.download_links || [];
    const index = updateLink(links, settings.platform, fixed.host.rank);
    this.link = index === null ? null : links[index]!;
  }

  /**
   * Downloads the update. A link of the service is verified by the size and
   * SHA-256 of its record and resumed after a break, also by a later process.
   * Whatever fails, nothing is left and `to` is as it was.
   */
  async download(to?: DownloadTarget, options: DownloadOptions = {}): Promise<Download> {
    const link = options.link || this.link;
    const url = link?.url || "";
    if (!/^https?:\/\//i.test(url) || (/^http:/i.test(url) && /^https:/i.test(this.settings.baseUrl))) {
      throw new SvcError(link ? "the link cannot be downloaded safely: " + url.replace(/[?#].*/s, "") : "there is no link for this platform");
    }
    return download(this.fixed, url, to, options);
  }
}

interface Memory extends Remembered {
  key: string;
  answer: UpdateCheck;
}

/** Asks for updates. */
export class Updates {
  private last: { name: string; memory: Memory } | undefined;
  private running = new Map<string, Promise<Update>>();

  /** @internal */
  constructor(
    private readonly fixed: Fixed,
    private readonly settings: Settings,
    private readonly analytics: Analytics,
    private readonly api: PublicApi,
    private readonly appVersion: string | null,
  ) {}

  /** Says whether there is an update; asks the service at most once an interval. */
  check(options: UpdateOptions = {}): Promise<Update> {
    const comparable = options.currentComparableVersion;
    const version = options.currentVersion ?? (comparable ? undefined : (this.appVersion ?? undefined));
    if (!version && !comparable) {
      return Promise.reject(new SvcError("currentVersion is needed, or appVersion of the client"));
    }
    const locale = options.locale === undefined ? this.settings.locale : options.locale;
    const preview = !!options.includePreview;
    const key = [version, comparable, preview, locale].map((part) => part ?? "").join("|");
    const name = `svc.updates.${this.analytics.namespace}.last`;
    const interval = (options.intervalMs ?? 21600000) / 1000;
    const now = Math.floor(this.fixed.host.clock.now() / 1000);
    const memory = this.recall(name);
    if (memory && memory.key === key && !options.force && !updateDue(memory, interval, now)) {
      return Promise.resolve(new Update(this.fixed, this.settings, memory.answer, memory.checked_at, true));
    }
    const id = name + "\n" + key;
    let check = this.running.get(id);
    if (!check) {
      check = this.ask(name, key, interval, now, {
        current_version: version,
        current_comparable_version: comparable,
        include_preview: options.includePreview,
        locale,
      }, options.signal).finally(() => this.running.delete(id));
      this.running.set(id, check);
    }
    return check;
  }

  private async ask(name: string, key: string, interval: number, now: number, input: UpdateCheckInput, signal?: AbortSignal): Promise<Update> {
    const answer = await this.api.checkUpdate(input, { signal });
    const next = now + interval * (1 + this.fixed.host.clock.random() / 5);
    this.remember(name, { checked_at: now, next_at: Math.floor(next), key, answer });
    return new Update(this.fixed, this.settings, answer, now, false);
  }

  private recall(name: string): Memory | null {
    if (this.last?.name === name) {
      return this.last.memory;
    }
    try {
      const memory = JSON.parse(this.analytics.store(".updates")?.read([name])[0] || "null") as Memory | null;
      if (memory && typeof memory.answer.should_update === "boolean" && Number.isFinite(memory.checked_at + memory.next_at)) {
        return memory;
      }
    } catch {
      // Garbage is no memory.
    }
    return null;
  }

  private remember(name: string, memory: Memory): void {
    this.last = { name, memory };
    let text = JSON.stringify(memory);
    if (text.length > 262144) {
      text = JSON.stringify(memory, (key, value: unknown) => (key === "content" ? null : value));
    }
    try {
      this.analytics.store(".updates")?.write({ [name]: text });
    } catch {
      this.fixed.log({ message: "local state cannot be kept" });
    }
  }
}

/** Bytes in memory, for streams and for browsers. */
function memorySink(to: WritableStream<Uint8Array> | undefined): Sink {
  let parts: Uint8Array[] = [];
  const whole = () => new Blob(parts as BlobPart[]);
  return {
    size: 0,
    write(chunk) {
      parts.push(chunk);
      this.size += chunk.length;
    },
    reset() {
      parts = [];
      this.size = 0;
    },
    async digest() {
      // Pages without HTTPS have no `subtle`.
      const hash = await (crypto.subtle as SubtleCrypto | undefined)?.digest("SHA-256", await whole().arrayBuffer());
      return hash ? [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, "0")).join("") : null;
    },
    async finish() {
      if (!to) {
        return { blob: whole() };
      }
      await whole().stream().pipeTo(to);
      return {};
    },
    async discard() {
      parts = [];
      await to?.abort();
    },
  };
}

async function download(fixed: Fixed, url: string, to: DownloadTarget | undefined, options: DownloadOptions): Promise<Download> {
  const { host } = fixed;
  const { signal, onProgress } = options;
  const own = ownLink(url);
  let sink: Sink | undefined;
  let etag: string | null = null;
  let total: number | null = null;
  const fail = (message: string): never => {
    throw new SvcConnectionError(message);
  };
  /** One answer's bytes; null when it broke off, the reason to wait for else. */
  const attempt = async (abort: AbortSignal): Promise<number | null> => {
    const from = etag && sink ? sink.size : 0;
    const headers: Record<string, string> = host.agent ? { "accept-encoding": "identity" } : {};
    if (from) {
      headers.range = `bytes=${from}-`;
      headers["if-range"] = etag!;
    }
    const wait = async <T>(work: () => Promise<T>): Promise<T> => {
      const { value, cause, failure } = await limited(fixed.timeoutMs, abort, work);
      if (failure) {
        throw connectionError(failure, cause);
      }
      return value as T;
    };
    const response = await wait(() => host.fetch(fixed.fetch, url, { headers, signal: abort, credentials: "omit" }, true));
    const { status } = response;
    if (status === 416 && sink) {
      await sink.reset();
      return 416;
    }
    if (status !== 200 && status !== 206) {
      return [502, 503, 504].includes(status) ? status : fail(`the download was answered with ${status}`);
    }
    const tag = response.headers.get("etag");
    const length = response.headers.get("content-encoding") ? null : response.headers.get("content-length");
    if (status === 206) {
      const [, start, size] = /^bytes (\d+)-\d+\/(\d+)$/.exec(response.headers.get("content-range") || "") || [];
      if (start === undefined || +start !== from || +size! !== total) {
        await sink?.reset();
        return status;
      }
    } else {
      total = length ? +length : null;
      etag = tag?.startsWith('"') ? tag : null;
      const hash = own ? /^"([0-9a-f]{64})"$/.exec(tag || "")?.[1] : "";
      if (hash === undefined || (own && total === null)) {
        return fail("the link names a file of the service, but its answer has no size and hash");
      }
      if (!sink) {
        sink = typeof to === "string" ? await host.sink(to, hash.slice(0, 16) || null) : memorySink(to);
        if (sink.size && sink.size < total!) {
          // An earlier process got this far: only the rest is needed.
          await response.body?.cancel();
          return attempt(abort);
        }
      }
      await sink.reset();
    }
    const reader = response.body?.getReader();
    for (;;) {
      const { done, value } = reader ? await wait(() => reader.read()) : { done: true, value: undefined };
      if (done || !value) {
        return null;
      }
      await sink!.write(value);
      onProgress?.(sink!.size, total);
      if (total !== null && sink!.size > total) {
        return fail("the download has another size than its record");
      }
    }
  };

  try {
    let most = 0;
    for (let failures = 0; ; failures++) {
      let why: unknown;
      const { value, cause, failure } = await limited(0, signal, attempt);
      if (failure === "aborted") {
        throw connectionError(failure, signal?.reason);
      }
      if (failure) {
        why = cause;
        if (cause instanceof SvcConnectionError && cause.cause === undefined && !cause.timeout) {
          throw cause;
        }
      } else if (value === null && (total === null || sink!.size >= total)) {
        break;
      }
      if (sink && (sink as Sink).size > most) {
        most = (sink as Sink).size;
        failures = -1;
      }
      const delay = failures < 4 ? retryDelay("GET", Math.max(failures, 0), 99, "connect", null, host.clock.random()) : null;
      if (delay === null) {
        throw why instanceof SvcConnectionError ? why : connectionError("body", why);
      }
      await limited(0, signal, (abort) => abortable(host.clock.wait(delay, fixed.closed), abort));
      if (signal?.aborted || fixed.closed.aborted) {
        throw connectionError("aborted", signal?.reason);
      }
    }
    const { size } = sink!;
    const sha256 = await sink!.digest();
    const verified = own && `"${sha256}"` === etag;
    if (total !== null && size !== total) {
      fail("the download has another size than its record");
    }
    if (own && !verified) {
      fail(sha256 ? "the download has another SHA-256 than its record" : "SHA-256 needs a secure context (HTTPS)");
    }
    return { ...(await sink!.finish()), size, sha256, verified };
  } catch (error) {
    await (sink as Sink | undefined)?.discard();
    throw error instanceof SvcError ? error : connectionError("body", error);
  }
}
