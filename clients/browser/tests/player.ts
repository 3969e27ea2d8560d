// The player, in a page, of the stories that all libraries play (tests/clients): it receives one
// step after another, executes it with the library, and reports the result. The library is the one
// in the two files, except for its clock.

import { browserHost } from "../../typescript/src/browser.js";
import { Client } from "../../typescript/src/client.js";
import { SvcApiError, SvcAuthError, SvcConnectionError, SvcError } from "../../typescript/src/errors.js";
import type { Clock } from "../../typescript/src/host.js";
import type { Row } from "../../typescript/src/methods.js";
import { adminTable, clientTable, publicTable } from "../../typescript/src/methods.js";

type Fields = Record<string, unknown>;
type Method = (...args: unknown[]) => unknown;

interface Step {
  do: string;
  base_url: string;
  options: Fields;
  real_clock?: boolean;
  namespace: string;
  method: string;
  name: string;
  value: string | null;
  args: Fields;
  properties: object | undefined;
  wall_seconds: number;
  monotonic_seconds: number;
  hard: boolean;
  file: string;
  count: number;
}

/** A clock that moves only on request, and in waits, which end immediately. */
class FakeClock implements Clock {
  wall = 1800000000000;
  monotonic = 0;

  now = (): number => this.wall;
  mono = (): number => this.monotonic;
  random = (): number => 0;

  wait = async (ms: number): Promise<void> => {
    this.wall += ms;
    this.monotonic += ms;
  };
}

let client: Client;
let clock: FakeClock;
let url = "";
let flying = 0;

/** The page's fetch; counts running requests. */
const counted: typeof fetch = async (input, init) => {
  flying++;
  try {
    const response = await fetch(input, init);
    // A request ends after its body has been read.
    const copy = await response.arrayBuffer().then(
      (bytes) => ({ body: bytes.byteLength ? new Blob([bytes]).stream() : null, error: null }),
      (error: unknown) => ({ body: null, error }),
    );
    const body = copy.error
      ? new ReadableStream<Uint8Array>({ start: (control) => control.error(copy.error) })
      : (copy.body as ReadableStream<Uint8Array> | null);
    const { status, headers } = response;
    return new Response([204, 304].includes(status) ? null : body, { status, headers });
  } finally {
    flying--;
  }
};

const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

/** Waits until no request is running, including those started by a response. */
async function settle(): Promise<void> {
  for (let quiet = 0; quiet < 3; quiet = flying ? 0 : quiet + 1) {
    await turn();
  }
}

const camel = (name: string): string => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

function optionsOf(given: Fields): Fields {
  const options: Fields = { fetch: counted };
  for (const [name, value] of Object.entries(given)) {
    if (name === "analytics") {
      const analytics: Fields = {};
      for (const [key, one] of Object.entries(value as Fields)) {
        const time = key === "flush_interval" || key === "session_timeout";
        analytics[camel(key) + (time ? "Ms" : "")] = time ? (one as number) * 1000 : one;
      }
      options.analytics = analytics;
    } else if (name !== "state_dir") {
      options[camel(name)] = value;
    }
  }
  return options;
}

/** The row of a method: its placeholders, and whether it takes more arguments. */
function rowOf(table: Row[], name: string): { places: string[]; more: boolean } {
  const [, , path, flags] = table.find(([first]) => first === name) ?? ["", "", "", ""];
  const places = [...path.matchAll(/{(\w+)}/g)].map(([, place]) => place!).filter((place) => place !== "k");
  return { places, more: flags !== "" };
}

const renamed: Record<string, Record<string, string>> = {
  updateProject: { new_project_key: "project_key" },
  updateProjectLocale: { new_locale: "locale" },
};

async function call({ namespace, method, args }: Step): Promise<void> {
  const name = camel(method);
  if (name === "login") {
    await client.login(args.username as string, args.password as string);
    return;
  }
  const [target, table] = ({
    client: [client, clientTable],
    public: [client.public, publicTable],
    admin: [client.admin, adminTable],
  } as Record<string, [unknown, Row[]]>)[namespace]!;
  const { places, more } = rowOf(table, name);
  const { extra, ...rest } = args;
  const values = places.map((place) => {
    const key = place === "v" ? "version" : place;
    const value = rest[key];
    delete rest[key];
    return value;
  });
  for (const [from, to] of Object.entries(renamed[name] ?? {})) {
    if (from in rest) {
      rest[to] = rest[from];
      delete rest[from];
    }
  }
  const body = name === "runEventQuery" ? rest.query : rest; // the object itself
  await (target as Record<string, Method>)[name]!(...values, ...(more ? [body] : []), { extra });
}

const setters: Record<string, (value: string | null) => void> = {
  token: (value) => (value === null ? client.clearToken() : client.setToken(value)),
  project_key: (value) => client.setProjectKey(value),
  platform: (value) => client.setPlatform(value),
  platform_version: (value) => client.setPlatformVersion(value),
  locale: (value) => client.setLocale(value),
};

/** While it is set, the listeners for leaving the page are not called. */
let leavingHard = false;

// Listeners are called in the order in which they were added, so these are added first.
for (const [target, type] of [[window, "pagehide"], [document, "visibilitychange"]] as const) {
  target.addEventListener(type, (event) => leavingHard && event.stopImmediatePropagation(), { capture: true });
}

/** Tracks events until the page is closed, and records them. A page cannot write files, so the harness does. */
async function spin(file: string): Promise<never> {
  const to = "/spin?file=" + encodeURIComponent(file);
  for (let i = 0; ; ) {
    let lines = "";
    for (const end = performance.now() + 20; performance.now() < end; i++) {
      client.public.track("tick", { i });
      lines += `${i} ${Date.now()}\n`;
      for (const next = performance.now() + 1; performance.now() < next; ) {
        // No timer in a page is shorter than four milliseconds.
      }
    }
    await fetch(to, { method: "POST", body: lines, keepalive: true });
  }
}

const percentiles = (micros: number[]): Fields => {
  const sorted = [...micros].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  return { p50_us: at(0.5), p99_us: at(0.99), max_us: sorted[sorted.length - 1] };
};

async function measure(count: number, gap: number, run: () => unknown): Promise<Fields> {
  const micros: number[] = [];
  for (let i = 0; i < count; i++) {
    const start = performance.now();
    await run();
    micros.push((performance.now() - start) * 1000);
    if (gap && i % 8 === 7) {
      await new Promise((resolve) => setTimeout(resolve, gap * 8));
    }
  }
  return percentiles(micros);
}

const benches: Record<string, (count: number) => Promise<Fields>> = {
  track(count) {
    const { track } = client.public;
    const micros: number[] = [];
    const one = async (): Promise<Fields> => {
      for (let i = 0; i < count; i++) {
        const start = performance.now();
        track("tick", { i, screen: "main" });
        micros.push((performance.now() - start) * 1000);
        if (i % 8 === 7) {
          await new Promise((resolve) => setTimeout(resolve, 4));
        }
      }
      return percentiles(micros);
    };
    return one();
  },
  call: (count) => measure(count, 0, () => client.public.getLatestVersion()),
  bare: (count) =>
    measure(count, 0, async () => {
      const path = `/public/${encodeURIComponent(client.projectKey!)}/versions/latest`;
      const response = await fetch(url + path, { headers: { accept: "application/json" }, credentials: "omit" });
      await response.json();
    }),
};

const steps: Record<string, (step: Step) => unknown> = {
  open({ base_url, options, real_clock }) {
    clock = new FakeClock();
    url = base_url;
    client = new Client({ baseUrl: base_url, ...optionsOf(options) }, real_clock ? browserHost : { ...browserHost, clock });
  },
  call: async (step) => {
    await call(step);
    return { ok: true };
  },
  set: ({ name, value }) => setters[name]!(value),
  track: ({ name, properties }) => client.public.track(name, properties),
  flush: () => client.public.flush(),
  async feedback_replies() {
    const replies = await client.public.feedbackReplies();
    return { replies: replies.map(({ id, status, reply, replied_at }) => ({ id, status, reply, replied_at })) };
  },
  opt_out: () => client.public.optOut(),
  opt_in: () => client.public.optIn(),
  grant_consent: () => client.public.grantConsent(),
  revoke_consent: () => client.public.revokeConsent(),
  reset_identity: () => client.public.resetIdentity(),
  has_opted_out: () => ({ value: client.public.hasOptedOut() }),
  clock({ wall_seconds, monotonic_seconds }) {
    clock.wall += wall_seconds * 1000;
    clock.monotonic += monotonic_seconds * 1000;
  },
  save: () => (client as unknown as { analytics: { queue: { save(now: boolean): void } } }).analytics.queue.save(true),
  async check_updates({ args }) {
    const update = await client.updates.check({ force: !!args.force, includePreview: !!args.include_preview });
    return { decision: update.decision, remembered: update.remembered };
  },
  async capture({ args }) {
    client.logs.install({ redact: (report) => ({ ...report, device_info: {} }) })();
    const error = new Error(String(args.message));
    error.name = String(args.type);
    const [, name, file] = /^(.*) \((.*)\)$/.exec(String(args.frame))!;
    error.stack = `${error.name}: ${error.message}\n${name} (${file})`;
    client.logs.capture(error, { level: args.level as number });
    await client.logs.flush();
  },
  close: () => client.close(),
  async exit({ hard }) {
    leavingHard = hard;
    location.reload();
    await new Promise(() => undefined);
  },
  spin: ({ file }) => spin(file),
  bench: ({ name, count }) => benches[name]!(count),
};

function failure(error: unknown): Fields {
  if (error instanceof SvcApiError) {
    const { status, message, method, path } = error;
    return { kind: "api", status, message, method, path };
  }
  if (error instanceof SvcAuthError || error instanceof SvcConnectionError || error instanceof SvcError) {
    const kind = error instanceof SvcAuthError ? "auth" : error instanceof SvcConnectionError ? "connection" : "base";
    return { kind, message: error.message };
  }
  return { kind: "bug", message: String(error), stack: error instanceof Error ? error.stack : "" };
}

async function play(): Promise<void> {
  let result: unknown = { ready: true };
  for (;;) {
    const answer = await fetch("/control", { method: "POST", body: JSON.stringify(result ?? {}) });
    if (answer.status === 204) {
      document.title = "done";
      return;
    }
    const step = (await answer.json()) as Step;
    try {
      result = await steps[step.do]!(step);
    } catch (error) {
      result = { error: failure(error) };
    }
    if (!client || step.do !== "bench") {
      await settle();
    }
  }
}

void play();
