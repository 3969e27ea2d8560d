// Plays the steps of a story with the library. Shared by the Node and the browser
// player, so it depends on neither runtime.

const camel = (text) => text.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());

const rename = (fields) => Object.fromEntries(Object.entries(fields).map(([name, value]) => [camel(name), value]));

/** A clock on which waits end immediately. */
export function fakeClock() {
  const clock = {
    wall: 1_800_000_000_000,
    monotonic: 0,
    now: () => clock.wall,
    mono: () => clock.monotonic,
    random: () => 0,
    async wait(ms) {
      clock.wall += ms;
      clock.monotonic += ms;
    },
  };
  return clock;
}

/** Converts the options of a story to those of a client. */
export function clientOptions(baseUrl, options = {}) {
  const { analytics = {}, state_dir: _, timeout, ...rest } = options;
  const { flush_interval: flush, session_timeout: idle, ...more } = analytics;
  return {
    baseUrl,
    ...rename(rest),
    ...(timeout !== undefined && { timeoutMs: timeout * 1000 }),
    analytics: {
      ...rename(more),
      ...(flush !== undefined && { flushIntervalMs: flush * 1000 }),
      ...(idle !== undefined && { sessionTimeoutMs: idle * 1000 }),
    },
  };
}

/** Calls a method with named arguments; `tables` are those of methods.ts. */
export function callByName(client, tables, namespace, method, args = {}) {
  const { extra, ...named } = args;
  const options = extra ? { extra } : {};
  if (namespace === "client") {
    return method === "login" ? client.login(named.username, named.password, options) : client[camel(method)](options);
  }
  const row = tables[`${namespace}Table`].find(([name]) => name === camel(method));
  const [name, , path, flags] = row;
  const positional = [];
  for (const [, placeholder] of path.matchAll(/{(\w+)}/g)) {
    if (placeholder !== "k") {
      const argument = placeholder === "v" ? "version" : placeholder;
      positional.push(named[argument]);
      delete named[argument];
    }
  }
  for (const [argument, wire] of [["new_locale", "locale"], ["new_project_key", "project_key"]]) {
    if (argument in named) {
      named[wire] = named[argument];
      delete named[argument];
    }
  }
  if (flags[0] === "#") {
    positional.push(new TextEncoder().encode(named.data ?? ""));
  } else if (flags) {
    positional.push(method === "run_event_query" ? named.query : named); // the object itself
  }
  return client[namespace][name](...positional, options);
}

/** The representation of an error in a story. */
export function errorView(error) {
  const kind = { SvcError: "base", SvcAuthError: "auth", SvcApiError: "api", SvcConnectionError: "connection" }[error.name];
  if (!kind) {
    throw error;
  }
  const { status, message, method, path } = error;
  return kind === "api" ? { kind, status, message, method, path } : { kind };
}

/** Resolves when no send runs and none is due because of a full batch. */
export async function settle(client) {
  for (const queue of client.analytics.queues.values()) {
    await queue.settle();
  }
}

export function percentiles(micros) {
  micros.sort((a, b) => a - b);
  const at = (share) => micros[Math.min(micros.length - 1, Math.floor(micros.length * share))];
  return { p50_us: at(0.5), p99_us: at(0.99), max_us: micros.at(-1) };
}

/** A player of steps; `open(options, clock, step)` creates the client. */
export function player(open, tables) {
  let client;
  let clock;
  let base;
  const steps = {
    open(step) {
      clock = step.real_clock ? undefined : fakeClock();
      base = step.base_url;
      client = open(clientOptions(step.base_url, step.options), clock, step);
    },
    async call({ namespace, method, args }) {
      await callByName(client, tables, namespace, method, args);
      return { ok: true };
    },
    set({ name, value }) {
      if (name === "token" && value === null) {
        client.clearToken();
      } else {
        client[camel(`set_${name}`)](value);
      }
    },
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
    clock({ wall_seconds: wall = 0, monotonic_seconds: monotonic = 0 }) {
      clock.wall += wall * 1000;
      clock.monotonic += monotonic * 1000;
    },
    save: () => client.analytics.queue.save(true),
    async check_updates({ args = {} }) {
      const { decision, remembered } = await client.updates.check(rename(args));
      return { decision, remembered };
    },
    async capture({ args }) {
      const error = new Error(args.message);
      error.name = args.type;
      error.stack = `${args.type}: ${args.message}\n${args.frame}`;
      client.logs.install({ redact: (report) => ({ ...report, device_info: {} }) })();
      client.logs.capture(error, { level: args.level });
      await client.logs.flush();
    },
    close: () => client.close({ timeoutMs: 60_000 }), // for a machine under load
    async bench({ name, count }) {
      const times = [];
      const timed = {
        call: () => client.public.getLatestVersion(),
        bare: async () => (await fetch(`${base}/public/${client.projectKey}/versions/latest`)).json(),
      };
      let next = performance.now();
      for (let i = 0; i < count; i++) {
        if (name === "track") {
          for (next += 0.5; performance.now() < next; ) {
            await new Promise((resolve) => setTimeout(resolve));
          }
          const start = performance.now();
          client.public.track("bench", { i });
          times.push((performance.now() - start) * 1000);
        } else {
          const start = performance.now();
          await timed[name]();
          times.push((performance.now() - start) * 1000);
        }
      }
      return percentiles(times);
    },
  };
  return {
    client: () => client,
    /** The result of one step. */
    async play(step) {
      let result;
      try {
        result = await steps[step.do](step);
      } catch (error) {
        result = { error: errorView(error) };
      }
      if (client) {
        await settle(client);
      }
      return result ?? {};
    },
  };
}
