// The state of an event queue: events not yet delivered, the anonymous identifier,
// the opt-out, and the part stored on the device.

import type { Host, Store } from "./host.js";
import { timer } from "./host.js";
import type { Tuning } from "./queue.js";
import { eventName, projectName, utf8, uuid } from "./rules.js";

/**
 * A waiting event. `wire` is its JSON without the closing brace, so that it is encoded only once.
 *
 * @internal
 */
export interface Entry {
  id: string;
  name: string;
  who: string;
  session: string | undefined;
  /** Set only if the namespace does not determine it. */
  project: string | undefined;
  wire: string;
  size: number;
}

/**
 * Feedback whose reply can be requested.
 *
 * @internal
 */
export interface Sent {
  id: string;
  token: string;
  /** Set only if the namespace does not determine it. */
  project_key?: string | undefined;
}

/** Maximum number of stored feedback records. */
const mostFeedback = 20;

const printable = /^[ -~]{1,128}$/;

/**
 * Reads the state once. Writes merge changes with those of other pages and processes.
 *
 * @internal
 */
export class QueueState {
  entries: Entry[] = [];
  optedOut = false;
  protected who: string | undefined;
  protected session: string | undefined;
  protected loaded = false;
  private newWho = false;
  private saveTimer: ReturnType<typeof setTimeout> | undefined;
  private saved = -Infinity;
  /** The feedback to return if none can be stored. */
  private feedback: Sent[] = [];
  /** IDs that have been delivered or dropped since the last write. */
  protected gone = new Set<string>();

  constructor(
    protected readonly host: Host,
    protected readonly tuning: Tuning,
    private readonly prefix: string,
    private store: Store | null,
    private readonly log: (message: string) => void,
    /** The project of the queue, if several projects share a namespace. */
    protected readonly project: string | undefined,
  ) {}

  /** Whether the marker is set, possibly by an earlier run. */
  hasOptedOut(): boolean {
    this.load();
    return this.optedOut;
  }

  /** The identifier, which is created if there is none. Only while active. */
  get identifier(): string {
    if (!this.who) {
      const stored = this.peek("distinct_id");
      this.who = stored && printable.test(stored) ? stored : uuid();
      if (this.who !== stored) {
        this.newWho = true;
        this.save(true);
      }
    }
    return this.who;
  }

  /** Creates another identifier. */
  resetIdentity(): void {
    this.who = uuid();
    this.session = undefined;
    this.newWho = true;
    this.save(true);
  }

  /** Clears everything except the marker. */
  forget(): void {
    this.entries = [];
    this.feedback = [];
    this.gone.clear();
    this.who = this.session = undefined;
    this.newWho = false;
    this.unscheduleSave();
    this.put({ distinct_id: null, queue: null, feedback: null });
  }

  setOptedOut(on: boolean): void {
    this.load();
    if (on) {
      this.forget();
    }
    this.optedOut = on;
    this.put({ opt_out: on ? "1" : null });
  }

  /** Writes the state; without `now`, at most once a second. */
  save(now = false): void {
    if (!this.store || this.tuning.persistence !== "persistent" || (this.saveTimer && !now)) {
      return;
    }
    const wait = this.saved + 1000 - this.host.clock.mono();
    if (!now && wait > 0) {
      this.saveTimer = timer(() => this.save(true), wait);
      return;
    }
    this.unscheduleSave();
    this.saved = this.host.clock.mono();
    if (this.peek("opt_out") === "1" && !this.optedOut) {
      this.forget();
      this.optedOut = true;
      return;
    }
    const mine = new Set(this.entries.map((entry) => entry.id));
    const others = parseEntries(this.peek("queue")).filter((entry) => !mine.has(entry.id) && !this.gone.has(entry.id));
    const all = [...others, ...this.entries].slice(-this.tuning.maxQueueSize);
    this.gone.clear();
    this.put({
      queue: all.length ? "[" + all.map(storedForm).join() + "]" : null,
      ...(this.newWho && { distinct_id: this.who! }),
    });
    this.newWho = false;
  }

  /** Keeps feedback that was sent. Only while active. */
  keepFeedback(id: string, token: string): void {
    if (this.tuning.persistence !== "none") {
      this.replaceFeedback(id, { id, token, project_key: this.project });
    }
  }

  /** Forgets feedback that was deleted, or puts newer feedback in its place. Only while active. */
  replaceFeedback(id: string, ...newer: Sent[]): void {
    if (this.peek("opt_out") !== "1") {
      this.feedback = [...this.allFeedback.filter((sent) => sent.id !== id), ...newer].slice(-mostFeedback);
      this.put({ feedback: this.feedback.length ? JSON.stringify(this.feedback) : null });
    }
  }

  /** The project's feedback that was kept, the oldest first. Only while active. */
  get sentFeedback(): Sent[] {
    return this.peek("opt_out") === "1" ? [] : this.allFeedback.filter(({ project_key: project }) => this.isOwn(project));
  }

  private get allFeedback(): Sent[] {
    const stored = this.peek("feedback");
    return this.store && this.tuning.persistence === "persistent" ? parseFeedback(stored) : this.feedback;
  }

  private isOwn(project: string | undefined): boolean {
    return !project || projectName(project) === projectName(this.project);
  }

  /** Removes entries permanently. */
  remove(entries: Entry[]): void {
    const ids = new Set(entries.map((entry) => entry.id));
    ids.forEach((id) => this.gone.add(id));
    this.entries = this.entries.filter((entry) => !ids.has(entry.id));
  }

  /** Whether anything except the marker exists in memory or on the device. */
  protected get kept(): boolean {
    return !!this.who || !!this.entries.length || !!this.feedback.length || ["distinct_id", "queue", "feedback"].some((key) => this.peek(key) != null);
  }

  protected unscheduleSave(): void {
    clearTimeout(this.saveTimer);
    this.saveTimer = undefined;
  }

  /** Reads the stored state, once. */
  protected load(): void {
    if (!this.loaded) {
      this.loaded = true;
      this.optedOut = this.peek("opt_out") === "1";
      if (this.tuning.persistence === "persistent") {
        this.entries = parseEntries(this.peek("queue")).filter(({ project }) => this.isOwn(project));
        this.remove(this.entries.slice(0, -this.tuning.maxQueueSize));
      }
    }
  }

  private peek(key: string): string | null {
    if (!this.store || (this.tuning.persistence !== "persistent" && key !== "opt_out")) {
      return null;
    }
    try {
      return this.store.read([this.prefix + key])[0] ?? null;
    } catch {
      return this.fail();
    }
  }

  private put(values: Record<string, string | null>): void {
    const changes: Record<string, string | null> = {};
    for (const key of Object.keys(values)) {
      if (this.tuning.persistence === "persistent" || key === "opt_out") {
        changes[this.prefix + key] = values[key]!;
      }
    }
    try {
      this.store?.write(changes);
    } catch {
      this.fail();
    }
  }

  /** Handles unusable storage: the state stays in memory for this run. */
  private fail(): null {
    this.store = null;
    this.log("local state cannot be kept");
    return null;
  }
}

export function makeEntry(
  id: string,
  name: string,
  at: number,
  json: string,
  who: string,
  session: string | undefined,
  project: string | undefined,
): Entry {
  const wire = unclosed({ event_id: id, name, occurred_at: at }) + (json && ',"properties":' + json);
  return { id, name, who, session, project, wire, size: utf8(wire).length };
}

/** An object's JSON without the closing brace. */
export const unclosed = (fields: object): string => JSON.stringify(fields).slice(0, -1);

const storedForm = ({ wire, who, session, project }: Entry): string =>
  wire + "," + JSON.stringify({ distinct_id: who, session_id: session, project_key: project }).slice(1);

/** The items of a stored list. */
function parseList(text: string | null): (Record<string, unknown> | null)[] {
  let list: unknown;
  try {
    list = JSON.parse(text || "[]");
  } catch {
    // Invalid content counts as empty; the next write replaces it.
  }
  return Array.isArray(list) ? (list as (Record<string, unknown> | null)[]) : [];
}

/** The valid items of stored feedback. */
const parseFeedback = (text: string | null): Sent[] =>
  parseList(text).flatMap((item) => {
    const { id, token, project_key: project } = item || {};
    const valid = id && typeof id === "string" && token && typeof token === "string";
    return valid ? [{ id, token, project_key: typeof project === "string" ? project : undefined }] : [];
  });

/** The valid entries of a stored queue. */
function parseEntries(text: string | null): Entry[] {
  const entries: Entry[] = [];
  for (const item of parseList(text)) {
    const { event_id: id, name, occurred_at: at, properties, distinct_id: who, session_id: session, project_key: project } = item || {};
    if (
      [id, who].every((value) => typeof value === "string" && printable.test(value)) &&
      eventName(name) === name &&
      Number.isSafeInteger(at) &&
      (session == null || (typeof session === "string" && session.length <= 128)) &&
      (project == null || typeof project === "string") &&
      (properties == null || (typeof properties === "object" && !Array.isArray(properties)))
    ) {
      const json = properties ? JSON.stringify(properties) : "";
      const more = [session, project].map((value) => (value as string | null) ?? undefined);
      entries.push(makeEntry(id as string, name as string, at as number, json, who as string, more[0], more[1]));
    }
  }
  return entries;
}
