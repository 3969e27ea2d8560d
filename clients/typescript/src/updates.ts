// Update checks that ask the service at most once per interval, and downloads that are
// verified before they appear under their name. Nothing is installed.

import type { Analytics } from "./analytics.js";
import { SvcApiError, SvcError } from "./errors.js";
import type { Fixed, Settings } from "./http.js";
import { connectionError, limited } from "./http.js";
import type { PublicApi } from "./api.js";
import { checkOptions } from "./options.js";
import type { Remembered } from "./rules.js";
import { deriveComparable, updateDecision, updateDue, updateLink } from "./rules.js";
import type { DownloadLink, PublicVersion, ReasonCode, UpdateCheck, UpdateCheckInput } from "./schema.js";

/** Options of an update check. */
export interface UpdateOptions {
  /** Minimum time between two checks that ask the service, in milliseconds. Default 6 hours. */
  intervalMs?: number | undefined;
  /** Asks the service in any case. */
  force?: boolean | undefined;
  /** Whether previews may be offered. */
  includePreview?: boolean | undefined;
  /** Language for the texts. Default: the client's. */
  locale?: string | null | undefined;
  /** Installed display version. Default: the client's `appVersion`. */
  currentVersion?: string | undefined;
  /** Installed comparable version. */
  currentComparableVersion?: string | undefined;
  /** Aborts the check. */
  signal?: AbortSignal | undefined;
}

/** Options of a download. */
export interface DownloadOptions {
  /** Called with the number of received bytes and the total, which is null if the server does not send it. */
  onProgress?: ((received: number, total: number | null) => void) | undefined;
  /** Another link of the version. Default: the one for this platform and architecture. */
  link?: DownloadLink | undefined;
  /** Aborts the download and leaves nothing behind. */
  signal?: AbortSignal | undefined;
}

/** A finished download. */
export interface Download {
  /** Path of the file, if the target was a path. */
  path?: string;
  /** Content of the file, if there was no target. */
  blob?: Blob;
  /** Size in bytes. */
  size: number;
  /** SHA-256 in hex; null if the runtime cannot compute it. */
  sha256: string | null;
  /** True if size and hash match the file's record. */
  verified: boolean;
}

/** Target of a download: a path, or a stream that receives the bytes after they have been verified. */
export type DownloadTarget = string | WritableStream<Uint8Array>;

/** Loads the code for transfers on demand, because few pages need it. */
export const transfers = (): Promise<typeof import("./transfers.js")> =>
  import("./transfers.js").catch((cause: unknown) => {
    throw connectionError("connect", cause);
  });

/** Result of an update check. */
export class Update {
  /** Decision for the app. */
  readonly decision: "none" | "optional" | "required" | "milestone";
  /** Version to install, or null. */
  readonly target: PublicVersion | null;
  /** Download of that version for this platform and architecture, or null. */
  readonly link: DownloadLink | null;
  /** Reason codes of the decision. */
  readonly reasonCodes: readonly ReasonCode[];

  /** @internal */
  constructor(
    private readonly fixed: Fixed,
    private readonly settings: Settings,
    /** The complete response. */
    readonly answer: UpdateCheck,
    /** When the service was asked, in Unix seconds. */
    readonly checkedAt: number,
    /** True if the service was not asked this time. */
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
   * Downloads the update. A link of the service is verified with the size and SHA-256 of its record
   * and is resumed after an interruption, even by a later process. After an error nothing is left
   * behind and `to` is unchanged.
   */
  async download(to?: DownloadTarget, options: DownloadOptions = {}): Promise<Download> {
    const link = options.link || this.link;
    const url = link?.url || "";
    if (!/^https?:\/\//i.test(url) || (/^http:/i.test(url) && /^https:/i.test(this.settings.baseUrl))) {
      throw new SvcError(link ? "the link cannot be downloaded safely: " + url.replace(/[?#].*/s, "") : "there is no link for this platform");
    }
    const { download } = await transfers();
    return download(this.fixed, url, to, options);
  }
}

interface Memory extends Remembered {
  key: string;
  answer: UpdateCheck;
}

/** A check shared by several callers; it is aborted when none of them waits for it. */
interface Running {
  waiting: number;
  control: AbortController;
  update: Promise<Update>;
}

/** Checks for updates. */
export class Updates {
  private last: { name: string; memory: Memory } | undefined;
  private running = new Map<string, Running>();

  /** @internal */
  constructor(
    private readonly fixed: Fixed,
    private readonly settings: Settings,
    private readonly analytics: Analytics,
    private readonly api: PublicApi,
    private readonly appVersion: string | null,
    private readonly channel: string | null | undefined,
  ) {}

  /**
   * Checks whether there is an update; asks the service at most once per interval. An unpublished
   * version is compared by its numbers, such as `1.4.0` or `v1.4.0`. If it has none, the call
   * rejects with status 400, unless `currentComparableVersion` is given.
   */
  async check(options: UpdateOptions = {}): Promise<Update> {
    checkOptions(options, "intervalMs:number force:boolean includePreview:boolean locale:string currentVersion:string currentComparableVersion:string signal:object");
    const comparable = options.currentComparableVersion;
    const version = options.currentVersion ?? (comparable ? undefined : (this.appVersion ?? undefined));
    if (!version && !comparable) {
      throw new SvcError("currentVersion is needed, or appVersion of the client");
    }
    const locale = options.locale === undefined ? this.settings.locale : options.locale;
    const preview = !!options.includePreview;
    const key = [version, comparable, preview, locale, ...(this.channel ? [this.channel] : [])].map((part) => part ?? "").join("|");
    const name = `svc.updates.${this.analytics.namespace}.last`;
    const interval = (options.intervalMs ?? 21600000) / 1000;
    const now = Math.floor(this.fixed.host.clock.now() / 1000);
    const memory = this.recall(name);
    if (memory && memory.key === key && !options.force && !updateDue(memory, interval, now)) {
      return new Update(this.fixed, this.settings, memory.answer, memory.checked_at, true);
    }
    const id = name + "\n" + key;
    let running = this.running.get(id);
    if (!running) {
      const control = new AbortController();
      const input = { current_version: version, current_comparable_version: comparable, include_preview: options.includePreview, locale };
      running = { waiting: 0, control, update: this.ask(name, key, interval, now, input, control.signal) };
      this.running.set(id, running);
    }
    const { control, update } = running;
    running.waiting++;
    const { value, cause, failure } = await limited(this.fixed, 0, options.signal, () => update);
    if (!--running.waiting) {
      this.running.delete(id);
      control.abort();
    }
    if (failure) {
      throw failure === "aborted" ? connectionError(failure, cause) : cause;
    }
    return value!;
  }

  private async ask(name: string, key: string, interval: number, now: number, input: UpdateCheckInput, signal?: AbortSignal): Promise<Update> {
    const answer = await this.api.checkUpdate(input, { signal }).catch((error: unknown) => {
      // An unpublished version is compared by its numbers.
      const derived = input.current_comparable_version ? null : deriveComparable(input.current_version!);
      if (derived && error instanceof SvcApiError && error.status === 400) {
        return this.api.checkUpdate({ ...input, current_comparable_version: derived }, { signal });
      }
      throw error;
    });
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
      // Invalid content counts as no memory.
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
