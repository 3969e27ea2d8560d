// Event collection of a client: the current queue, consent, and the
// end of the page or the process.

import { SvcError } from "./errors.js";
import type { Host, Store } from "./host.js";
import { longest, within } from "./host.js";
import type { Fixed, Settings } from "./http.js";
import { address, localTime, post } from "./http.js";
import type { AnalyticsOptions, AnalyticsStorage, FlushResult, Tuning } from "./queue.js";
import { checkOptions } from "./options.js";
import { encode, Queue } from "./queue.js";
import { namespaceOf, present, projectName, utf8 } from "./rules.js";
import type { Feedback } from "./schema.js";

const eventsPath = "/public/{k}/events";

/** Maximum number of bytes that browsers send after a page has been closed. */
const unloadBytes = 60000;

/** Adapts a caller's storage to the interface that the library uses. */
export const storeOn = (storage: AnalyticsStorage): Store => ({
  read: (keys) => keys.map((key) => storage.read(key) ?? null),
  write(changes) {
    for (const [key, value] of Object.entries(changes)) {
      if (value === null) {
        storage.remove(key);
      } else {
        storage.write(key, value);
      }
    }
  },
});

/** Fills in the defaults and rejects values that are out of range. */
function tune(options: AnalyticsOptions, appVersion: string | null, log: (message: string) => void): Tuning {
  checkOptions(
    options,
    "enabled:boolean requireConsent:boolean persistence:string flushIntervalMs:number batchSize:number maxQueueSize:number " +
      "sessionTimeoutMs:number respectDoNotTrack:boolean namespace:string storage:object onDrop:function",
    "analytics.",
  );
  const above = (name: keyof AnalyticsOptions, fallback: number, least: number): number => {
    const value = (options[name] as number | undefined) ?? fallback;
    if (!(value >= least)) {
      throw new SvcError(`analytics.${name} must be ${least === 1 ? "at least 1" : "more than 0"}`);
    }
    return value;
  };
  const mode = options.persistence ?? "persistent";
  if (!["persistent", "device", "session", "none"].includes(mode)) {
    throw new SvcError("analytics.persistence must be persistent, session or none");
  }
  const told = new Set<string>();
  return {
    enabled: options.enabled ?? true,
    requireConsent: options.requireConsent ?? false,
    persistence: mode === "device" ? "persistent" : mode,
    flushIntervalMs: above("flushIntervalMs", 5000, Number.MIN_VALUE),
    batchSize: Math.min(above("batchSize", 20, 1), 50),
    maxQueueSize: above("maxQueueSize", 500, 1),
    sessionTimeoutMs: above("sessionTimeoutMs", 1800000, Number.MIN_VALUE),
    respectDoNotTrack: options.respectDoNotTrack ?? true,
    appVersion,
    onDrop(name, reason) {
      if (!told.has(name) && told.size < 500) {
        told.add(name);
        log("event dropped: " + reason);
      }
      try {
        options.onDrop?.(name, reason);
      } catch {
        // An error in a hook of the application must not stop collection.
      }
    },
  };
}

/** @internal */
export class Analytics {
  private readonly host: Host;
  private readonly tuning: Tuning;
  /** By project. Keys that differ only in case are the same project. */
  private readonly queues = new Map<string, Queue>();
  /** By namespace; `stored` says whether the key is the one on the device. */
  private readonly rolloutKeys = new Map<string, { key: string; stored: boolean }>();
  private bound: string | null = null;
  private current: Queue | undefined;
  private granted = false;
  private closed = false;
  private undo: (() => void)[] | undefined;
  /** The number of bytes that an unload may still send. Browsers report an unload twice: as hidden and as left. */
  private room = unloadBytes;

  constructor(
    private readonly fixed: Fixed,
    private readonly settings: Settings,
    private readonly options: AnalyticsOptions,
    appVersion: string | null,
  ) {
    this.host = fixed.host;
    this.tuning = tune(options, appVersion, (message) => fixed.log({ message }));
  }

  /** Namespace of the local state of the bound project. */
  get namespace(): string {
    return this.options.namespace ?? namespaceOf(this.settings.baseUrl, this.settings.projectKey);
  }

  /** The storage of a part of the local state, or null for memory. */
  store(part = ""): Store | null {
    if (this.tuning.persistence === "none") {
      return null;
    }
    return this.options.storage ? storeOn(this.options.storage) : this.host.store(this.namespace, part);
  }

  /**
   * The key with which the application takes part in rollouts of the bound project: a random number
   * from 0 to 9999. It is stored beside the identifier, but an opt-out does not remove it, because it
   * identifies nobody. Without a consent that is required, it stays in memory.
   */
  get rolloutKey(): string {
    const { namespace } = this;
    let { key, stored } = this.rolloutKeys.get(namespace) ?? { key: String(Math.floor(Math.random() * 10000)), stored: false };
    if (!stored && this.consented && this.tuning.persistence === "persistent") {
      stored = true;
      const name = `svc.analytics.${namespace}.rollout_key`;
      try {
        const store = this.store();
        const kept = store?.read([name])[0];
        if (kept && /^\d{1,4}$/.test(kept)) {
          key = kept;
        } else {
          store?.write({ [name]: key });
        }
      } catch {
        this.fixed.log({ message: "local state cannot be kept" });
      }
    }
    this.rolloutKeys.set(namespace, { key, stored });
    return key;
  }

  private get consented(): boolean {
    return !this.tuning.requireConsent || this.granted;
  }

  get active(): boolean {
    return !this.closed && this.queue.active;
  }

  get distinctId(): string | null {
    return this.active ? this.queue.identifier : null;
  }

  track(name: string, properties?: object | null): void {
    try {
      if (this.active) {
        this.listen();
        this.room = unloadBytes;
        this.queue.track(name, properties);
      }
    } catch {
      this.fixed.log({ message: "event not collected" });
    }
  }

  flush(): Promise<FlushResult> {
    // The caller waits for the sends, but they run in the background and do not keep the process
    // alive.
    return within(longest, this.queue.flush()) as Promise<FlushResult>;
  }

  optOut(): void {
    this.queue.setOptedOut(true);
  }

  optIn(): void {
    this.queue.setOptedOut(false);
  }

  hasOptedOut(): boolean {
    const { queue } = this;
    return queue.signalled || queue.hasOptedOut();
  }

  grantConsent(): void {
    this.granted = true;
  }

  revokeConsent(): void {
    this.granted = false;
    if (this.tuning.requireConsent) {
      void this.queue; // it may be that of an earlier run
      this.queues.forEach((queue) => queue.forget());
    } else {
      this.optOut();
    }
  }

  resetIdentity(): void {
    if (this.active) {
      this.queue.resetIdentity();
    }
  }

  /** Drops the queued events of an identifier. */
  dropOf(who: string): void {
    this.queue.dropOf(who);
  }

  /** Returns a function that keeps feedback of the bound project, if its reply can be requested. */
  feedbackKeeper(): (feedback: Partial<Feedback> | null) => void {
    const { queue } = this;
    return (feedback) => {
      const { id, reply_token: token } = feedback || {};
      if (id && token && queue.active) {
        queue.keepFeedback(id, token);
      }
    };
  }

  /** Sends the remaining events for at most the given time, and stops. */
  async close(timeoutMs: number): Promise<void> {
    await this.lastFlush(timeoutMs);
    this.closed = true;
    this.undo?.forEach((undo) => undo());
    this.queues.forEach((queue) => queue.pause());
  }

  /** Returns the queue of the bound project. Binding another project retires the previous queue. */
  get queue(): Queue {
    const { projectKey } = this.settings;
    const { current } = this;
    if (current && this.bound === projectKey) {
      return current;
    }
    const name = projectName(projectKey);
    const queue = this.queues.get(name) || this.open(projectKey);
    this.bound = projectKey;
    if (queue !== current) {
      current?.pause();
      if (current && this.tuning.persistence !== "persistent") {
        void current.flush();
      }
      this.queues.set(name, queue);
      this.current = queue;
      queue.resume();
    }
    return queue;
  }

  private open(projectKey: string | null): Queue {
    return new Queue(
      this.host,
      this.tuning,
      `svc.analytics.${this.namespace}.`,
      this.store(),
      (raw, signal) => post(this.fixed, { ...this.settings, projectKey }, { path: eventsPath, raw, signal }),
      () => !this.closed && this.consented,
      (message) => this.fixed.log({ message }),
      this.options.namespace === undefined ? undefined : (projectKey ?? undefined),
    );
  }

  private async lastFlush(timeoutMs: number): Promise<void> {
    const { current } = this;
    if (current && !this.closed) {
      await within(timeoutMs, current.flush());
      current.save(true);
    }
  }

  private listen(): void {
    const undo = this.host.onEnd(this.end);
    this.undo = this.undo || [undo, this.host.onLeave(() => this.leave())];
  }

  private readonly end = (): Promise<void> => this.lastFlush(2000);

  /** Called when the page is hidden or left. Hands as many events as possible to the browser; the rest stays stored. */
  private leave(): void {
    const { queue, settings, host } = this;
    if (!settings.projectKey || !this.active) {
      return;
    }
    queue.save(true);
    const extra = present({
      platform: settings.platform,
      platform_version: settings.platformVersion,
      client_time: localTime(this.fixed),
    });
    const url = address(settings, { path: eventsPath });
    const { age } = queue;
    while (queue.entries.length) {
      const entries = queue.batch(this.room, extra);
      const body = encode(entries, extra);
      this.room -= utf8(body).length;
      if (this.room < 0 || !host.beacon(url, body, () => queue.restore(entries, age))) {
        break;
      }
      queue.remove(entries);
    }
    queue.save(true);
  }
}
