// The event queue of one project: collects events and sends them.

import type { Host, Store } from "./host.js";
import { timer } from "./host.js";
import type { Delivery } from "./http.js";
import { type Entry, makeEntry, QueueState, unclosed } from "./queue-state.js";
import { eventBackoff, eventName, eventOutcome, utf8, uuid } from "./rules.js";

/** Options of event collection. */
export interface AnalyticsOptions {
  /** False disables collection. Default true. */
  enabled?: boolean | undefined;
  /** True disables collection until `grantConsent` is called. Default false. */
  requireConsent?: boolean | undefined;
  /** What is stored on the device: events, identifier and opt-out; only the opt-out; or nothing. Default `persistent`. */
  persistence?: "persistent" | "device" | "session" | "none" | undefined;
  /** Maximum time that an event waits before it is sent, in milliseconds. Default 5000. */
  flushIntervalMs?: number | undefined;
  /** Maximum number of events in a request, 1 to 50. Default 20. */
  batchSize?: number | undefined;
  /** Maximum number of queued events; beyond it the oldest is dropped. Default 500. */
  maxQueueSize?: number | undefined;
  /** Idle time after which a new session begins, in milliseconds. Default 30 minutes. */
  sessionTimeoutMs?: number | undefined;
  /** Whether the browser's privacy signals stop collection. Default true. */
  respectDoNotTrack?: boolean | undefined;
  /** Replaces the computed namespace of the local state. */
  namespace?: string | undefined;
  /** Replaces the built-in storage of the local state. */
  storage?: AnalyticsStorage | undefined;
  /** Called with every dropped event and the reason. */
  onDrop?: ((name: string, reason: string) => void) | undefined;
}

/** A storage of texts under keys for the local state. Its methods may throw. */
export interface AnalyticsStorage {
  read(key: string): string | null | undefined;
  write(key: string, value: string): void;
  remove(key: string): void;
}

/** Result of a flush. */
export interface FlushResult {
  /** Number of events that the server accepted. */
  sent: number;
  /** Number of dropped events. */
  dropped: number;
  /** Number of remaining events. */
  pending: number;
}

/**
 * Options with all defaults filled in.
 *
 * @internal
 */
export interface Tuning {
  enabled: boolean;
  requireConsent: boolean;
  persistence: "persistent" | "session" | "none";
  flushIntervalMs: number;
  batchSize: number;
  maxQueueSize: number;
  sessionTimeoutMs: number;
  respectDoNotTrack: boolean;
  appVersion: string | null;
  onDrop(name: string, reason: string): void;
}

/** Sends a body; never rejects. */
export type Deliver = (body: string, signal: AbortSignal) => Promise<Delivery>;

/** Maximum bytes of a batch, and of an event's properties. */
const batchBytes = 65536;
const propertyBytes = 16384;

/**
 * Collects events and sends them.
 *
 * @internal
 */
export class Queue extends QueueState {
  sent = 0;
  dropped = 0;
  private lastEvent = 0;
  /** Incremented when the queue is cleared, so that a running send notices. */
  age = 0;
  private abort = new AbortController();
  private flying = new Set<Entry>();
  private running: Promise<boolean> | undefined;
  private live = true;
  private sendTimer: ReturnType<typeof setTimeout> | undefined;
  private failures = 0;
  private holds = 0;
  /** Earliest time of the next background send. */
  private until = 0;

  constructor(
    host: Host,
    tuning: Tuning,
    prefix: string,
    store: Store | null,
    private readonly deliver: Deliver,
    private readonly allowed: () => boolean,
    log: (message: string) => void,
    project: string | undefined,
  ) {
    super(host, tuning, prefix, store, log, project);
  }

  /** Whether events are collected now. Deletes stored data while the browser requests not to be tracked. */
  get active(): boolean {
    if (!this.tuning.enabled) {
      return false;
    }
    this.load();
    if (this.signalled) {
      if (this.kept) {
        this.forget();
      }
      return false;
    }
    return !this.optedOut && this.allowed();
  }

  /** Whether the browser requests not to be tracked. */
  get signalled(): boolean {
    return this.tuning.respectDoNotTrack && this.host.doNotTrack();
  }

  track(name: unknown, properties?: unknown): void {
    const event = eventName(name);
    if (!event) {
      this.drop(String(name), "invalid name");
      return;
    }
    const json = versioned(properties == null ? "" : snapshot(properties), this.tuning.appVersion);
    if (json.length * 3 > propertyBytes && utf8(json).length > propertyBytes) {
      this.drop(event, "properties over 16 KiB");
      return;
    }
    const { mono, now } = this.host.clock;
    const at = mono();
    if (!this.session || at - this.lastEvent > this.tuning.sessionTimeoutMs) {
      this.session = uuid();
    }
    this.lastEvent = at;
    const fresh = !this.who;
    const entry = makeEntry(uuid(), event, Math.floor(now() / 1000), json, this.identifier, this.session, this.project);
    this.entries.push(entry);
    this.trim();
    this.save(fresh);
    if (this.entries.length >= this.tuning.batchSize) {
      this.wake();
    }
    this.schedule();
  }

  /** Sends everything now, even during a wait. Ends when nothing is left or a send has failed. */
  async flush(): Promise<FlushResult> {
    const { sent, dropped } = this;
    this.holds = Math.min(this.holds, 2);
    let going = this.active;
    while (going && this.entries.length) {
      going = await (this.running || this.run(true));
    }
    return { sent: this.sent - sent, dropped: this.dropped - dropped, pending: this.entries.length };
  }

  /** Clears everything except the marker; aborts a running send. */
  override forget(): void {
    this.age++;
    this.abort.abort();
    this.abort = new AbortController();
    this.flying = new Set();
    this.unschedule();
    super.forget();
  }

  /** Drops the queued events of an identifier. */
  dropOf(who: string): void {
    this.load();
    this.remove(this.entries.filter((entry) => entry.who === who));
    this.save(true);
  }

  /** Stops background work and saves; `resume` continues. */
  pause(): void {
    this.live = false;
    this.unschedule();
    this.unscheduleSave();
    if (this.loaded) {
      this.save(true);
    }
  }

  resume(): void {
    this.live = true;
    if (this.holds) {
      this.holds = this.until = 0;
    }
    this.schedule();
  }

  /** Resolves when no send runs and no full batch is due; also performs a due write. */
  async settle(): Promise<void> {
    while (this.running) {
      await this.running;
    }
  }

  /** The longest run of entries from the front with one identifier and session whose body is not too large. */
  batch(bytes: number, extra: Extra = {}): Entry[] {
    const [first] = this.entries as [Entry];
    let room = bytes - head(first, extra).length - 2;
    const end = this.entries.findIndex((entry, index) => {
      room -= entry.size + (index ? 2 : 1);
      return (
        index && (entry.who !== first.who || entry.session !== first.session || index === this.tuning.batchSize || room < 0)
      );
    });
    return this.entries.slice(0, end < 0 ? undefined : end);
  }

  /** Puts removed entries back, unless the queue has been cleared since; see `age`. */
  restore(entries: Entry[], age: number): void {
    if (age === this.age) {
      entries.forEach(({ id }) => this.gone.delete(id));
      this.entries = [...entries, ...this.entries];
      this.trim();
      this.save(true);
      this.schedule();
    }
  }

  /** Drops the oldest entries above the limit that are not being sent. */
  private trim(): void {
    while (this.entries.length > this.tuning.maxQueueSize) {
      // Entries before it move up by one, because moving all entries after it would take longer.
      const at = this.entries.findIndex((entry) => !this.flying.has(entry));
      const oldest = this.entries[at]!;
      for (let i = at; i > 0; i--) {
        this.entries[i] = this.entries[i - 1]!;
      }
      this.entries.shift();
      this.gone.add(oldest.id);
      this.drop(oldest.name, "queue full");
    }
  }

  private drop(name: string, reason: string): void {
    this.dropped++;
    this.tuning.onDrop(name, reason);
  }

  private wake(): void {
    if (!this.running && this.live && this.holds < 3 && this.host.clock.mono() >= this.until && this.active) {
      void this.run(false);
    }
  }

  private schedule(): void {
    if (this.entries.length && !this.sendTimer && this.live && this.holds < 3) {
      const wait = this.until - this.host.clock.mono();
      this.sendTimer = timer(
        () => {
          this.sendTimer = undefined;
          if (this.active && !this.running && this.host.clock.mono() >= this.until) {
            void this.run(true);
          } else {
            this.schedule();
          }
        },
        wait > 0 ? wait : this.tuning.flushIntervalMs,
      );
    }
  }

  private unschedule(): void {
    clearTimeout(this.sendTimer);
    this.sendTimer = undefined;
  }

  protected override load(): void {
    const first = !this.loaded;
    super.load();
    if (first) {
      this.schedule();
    }
  }

  /** Runs one sender at a time, for full batches only or for everything. Returns false if a send failed. */
  private run(all: boolean): Promise<boolean> {
    const run = Promise.resolve()
      .then(async () => {
        while (this.entries.length >= (all ? 1 : this.tuning.batchSize)) {
          if (!this.active || !(await this.post(this.batch(batchBytes)))) {
            return false;
          }
        }
        return true;
      })
      .finally(() => {
        this.running = undefined;
        this.schedule();
      });
    return (this.running = run);
  }

  /** Sends entries of one identifier and session; returns false if they stay queued. */
  private async post(entries: Entry[]): Promise<boolean> {
    const { age, tuning } = this;
    this.flying = new Set(entries);
    const { status, after, message, rejected } = await this.deliver(encode(entries), this.abort.signal);
    if (age !== this.age) {
      return false;
    }
    this.flying = new Set();
    const action = eventOutcome(status, entries.length);
    if (action === "split") {
      const middle = entries.length >> 1;
      const rest = () => entries.slice(middle).filter((entry) => this.entries.includes(entry));
      return (await this.post(entries.slice(0, middle))) && (!rest().length || this.post(rest()));
    }
    if (action === "drop_batch") {
      this.remove(entries);
      this.failures = this.holds = 0;
      this.until = 0;
      if (status < 300) {
        this.sent += entries.length;
        (rejected || []).forEach((item) => tuning.onDrop(entries[item.index]?.name || "", item.message));
      } else {
        this.drop(entries[0]!.name, message || "refused");
      }
      this.save();
      return true;
    }
    let wait = 60000;
    if (action === "hold") {
      this.holds++;
    } else {
      this.holds = 0;
      wait = eventBackoff(tuning.flushIntervalMs, ++this.failures, after);
    }
    this.until = this.host.clock.mono() + wait;
    clearTimeout(this.sendTimer);
    this.sendTimer = undefined;
    this.save(true);
    return false;
  }
}

/** Additional members of a body. */
type Extra = Record<string, unknown>;

/** A body up to its first event. It is ASCII: identifiers are printable, and so are the values in `extra`. */
const head = ({ who, session }: Entry, extra: Extra): string =>
  unclosed({ distinct_id: who, session_id: session, ...extra }) + ',"events":[';

/** The body of a batch. */
export const encode = (entries: Entry[], extra: Extra = {}): string =>
  head(entries[0]!, extra) + entries.map((entry) => entry.wire + "}").join() + "]}";

/** Adds the version of the application to encoded properties, unless they have one. */
function versioned(json: string, version: string | null): string {
  if (!version || (json && "app_version" in JSON.parse(json))) {
    return json;
  }
  const own = JSON.stringify({ app_version: version });
  return json ? json.slice(0, -1) + "," + own.slice(1) : own;
}

/** Encodes properties as JSON. Values that JSON cannot represent become text; never throws. */
export function snapshot(properties: unknown): string {
  const encodeValue = (value: unknown): string | undefined =>
    JSON.stringify(value, (_, part: unknown) => (/^(bigint|function|symbol)$/.test(typeof part) ? String(part) : part));
  if (!properties || typeof properties !== "object" || Array.isArray(properties)) {
    return "";
  }
  let text = attempt(() => encodeValue(properties));
  if (text?.[0] !== "{") {
    // A member throws, for example because of a cycle: only that member becomes text.
    const parts: string[] = [];
    for (const key of Object.keys(properties)) {
      const value = attempt(() => [encodeValue((properties as Record<string, unknown>)[key])]) || ['"[unreadable]"'];
      if (value[0]) {
        parts.push(JSON.stringify(key) + ":" + value[0]);
      }
    }
    text = "{" + parts.join() + "}";
  }
  return text === "{}" ? "" : text;
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
