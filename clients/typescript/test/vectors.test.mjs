// Contract 15.1: every section of the vectors that the library implements.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { architecture, architectureRank } from "../dist/esm/architecture.js";
import * as rules from "../dist/esm/rules.js";
import { darwinVersion, osRelease, windowsVersion } from "../dist/esm/system.js";
import { clientOptions, settle } from "./play.mjs";
import { memoryStorage, recorder, testClient, until, vectors } from "./helper.mjs";
import { fnv1a32 } from "../dist/esm/rules.js";
import { Client } from "../dist/esm/client.js";
import { nodeHost } from "../dist/esm/node.js";

/** Sections that apply only to the server. */
const serverOnly = ["client_time_parse", "language_key", "language_match"];

const systems = {
  os_release: osRelease,
  darwin_release: darwinVersion,
  windows_build: windowsVersion,
};

const sections = {
  fnv1a32: (c) => [rules.fnv1a32(c.in), c.out],
  origin: (c) => [rules.originOf(c.in), c.out],
  namespace: (c) => [rules.namespaceOf(c.base_url, c.project_key), c.out],
  state_file: (c) => [rules.stateName(c.in) + ".json", c.out],
  client_time: (c) => [rules.clientTime(c.unix_ms, c.offset_seconds), c.out],
  header_value: (c) => [rules.headerValue(c.in), c.out],
  retry: (c) => [rules.retryDelay(c.method, c.done, c.max, c.status ?? c.error, c.retry_after ?? null), c.delay_ms],
  event_backoff: (c) => [rules.eventBackoff(c.interval_ms, c.failures), c.delay_ms],
  event_backoff_retry_after: (c) => [rules.eventBackoff(c.interval_ms, c.failures, c.retry_after), c.delay_ms],
  event_outcome: (c) => [rules.eventOutcome(c.status, c.events), c.action],
  event_name: (c) => [rules.eventName(c.in), c.out],
  error_message: (c) => [rules.errorMessage(c.status, c.body), c.out],
  // On macOS, Node reports the kernel's release; the product version is for other libraries.
  os_version: (c) => (c.kind in systems ? [systems[c.kind](c.in), c.out] : null),
  base_url: (c) => [rules.baseAddress(c.in), c.out],
  path_segment: (c) => [rules.pathSegment(c.in), c.out],
  retry_after: (c) => [rules.retryAfter(c.header, c.now_unix), c.seconds],
  architecture: (c) => [architecture(c.in), c.out],
  update_link: (c) => [rules.updateLink(c.links, c.platform, (sources) => architectureRank(c.arch, sources)), c.out],
  update_decision: (c) => [rules.updateDecision(c.in), c.out],
  update_due: (c) => [rules.updateDue(c.remembered, c.interval_seconds, c.now), c.out],
  own_link: (c) => [rules.ownLink(c.in), c.out],
  error_fingerprint: (c) => [fnv1a32([c.type, c.message, c.frame].join("\n")), c.out],
};

/** Sections that have tests of their own. */
const elsewhere = [
  "format", "about", "version", "scenarios", "queue_scenarios", "error_limits", "error_content", "update_memory",
  "update_key", "defaults", "endpoints",
];

for (const [name, run] of Object.entries(sections)) {
  describe(`vectors: ${name}`, () => {
    assert.ok(Array.isArray(vectors[name]), `section ${name} is missing`);
    for (const [index, row] of vectors[name].entries()) {
      const pair = run(row);
      if (pair) {
        it(`${index}: ${JSON.stringify(row).slice(0, 100)}`, () => assert.deepEqual(pair[0], pair[1]));
      }
    }
  });
}

it("sections that are not known are skipped with a notice", (t) => {
  for (const name of Object.keys(vectors)) {
    if (![...Object.keys(sections), ...elsewhere, ...serverOnly].includes(name)) {
      t.diagnostic(`section ${name} is not known here`);
    }
  }
});

describe("vectors: version", () => {
  const { valid, invalid, ascending, equal, in_range: ranges } = vectors.version;
  for (const text of valid) {
    it(`${text} is valid`, () => assert.ok(rules.isComparableVersion(text)));
  }
  for (const text of invalid) {
    it(`${JSON.stringify(text)} is not valid`, () => {
      assert.ok(!rules.isComparableVersion(text));
      assert.throws(() => rules.compareVersions(text, "1"), RangeError);
    });
  }
  it("every ascending pair is in order", () => {
    ascending.forEach((a, i) =>
      ascending.forEach((b, j) => assert.equal(rules.compareVersions(a, b), Math.sign(i - j), `${a} against ${b}`)),
    );
  });
  it("every pair of an equal group is equal", () => {
    for (const group of equal) {
      group.forEach((a) => group.forEach((b) => assert.equal(rules.compareVersions(a, b), 0, `${a} against ${b}`)));
    }
  });
  for (const { in: display, out } of vectors.version.derive) {
    it(`${JSON.stringify(display)} stands for ${out}`, () => assert.equal(rules.deriveComparable(display), out));
  }
  for (const { version, min, max, out } of ranges) {
    it(`${version} in ${min}..${max} is ${out}`, () =>
      assert.equal(
        (min === null || rules.compareVersions(version, min) >= 0) && (max === null || rules.compareVersions(version, max) <= 0),
        out,
      ));
  }
});

for (const section of ["scenarios", "queue_scenarios"]) {
  describe(`vectors: ${section}`, () => {
    for (const scenario of vectors[section]) {
      it(scenario.name, () => play(scenario));
    }
  });
}

/** Runs a scenario with a storage that survives restarts and a sender with scripted responses. */
async function play({ options = {}, steps }) {
  const storage = memoryStorage();
  const batches = [];
  const requests = [];
  const sentBy = {};
  const seen = new Set();
  const unique = [];
  const dropped = [];
  let status = 202;
  let wait;
  let refused = [];
  const keys = [];
  const { dnt, app_version: appVersion, rollout_key: rolloutKey, ...analytics } = options;
  let clock;
  const start = () => {
    const { analytics: tuned } = clientOptions("", { analytics });
    const made = testClient(
      {
        projectKey: "alpha",
        appVersion,
        rolloutKey,
        fetch: async (url, init) => {
          const batch = JSON.parse(init.body);
          if (url.endsWith("/check-update")) {
            keys.push(batch.rollout_key);
            return Response.json({});
          }
          const names = batch.events.map((event) => event.name);
          const [, project] = /\/public\/(.*)\/events$/.exec(url);
          let answer = names.some((name) => refused.includes(name)) ? 400 : status;
          const headers = wait === undefined ? {} : { "retry-after": String(wait) };
          if (held) {
            const { answered } = held;
            held = undefined;
            answer = await new Promise((resolve, reject) => {
              init.signal.addEventListener("abort", () => reject(init.signal.reason));
              void answered.then(resolve);
            });
          }
          requests.push([project, names, answer]);
          if (answer === 0) {
            throw new TypeError("no answer");
          }
          if (answer === 202) {
            batches.push(batch);
            sentBy[project] = [...(sentBy[project] ?? []), ...names];
            for (const { event_id: id, name } of batch.events) {
              if (!seen.has(id)) {
                unique.push(name);
              }
              seen.add(id);
            }
          }
          return Response.json({ accepted: names.length, skipped: 0, suppressed: false }, { status: answer, headers });
        },
        analytics: { ...tuned, storage, onDrop: (name) => dropped.push(name) },
      },
      { doNotTrack: () => dnt === true, ...(clock && { clock }) },
    );
    clock = made.clock;
    return made.client;
  };
  let clients = {};
  let current = "one";
  const client = () => (clients[current] ??= start());
  /** The pending request; its promise exists before the request is made. */
  let held;
  let done;
  let flushing;
  let flushed;
  const queue = () => client().analytics.queue;
  const prefix = () => `svc.analytics.${client().analytics.namespace}.`;
  const storageKeys = () => [...storage.values.keys()].sort();
  const look = {
    active: () => client().analytics.active,
    opted_out: () => client().public.hasOptedOut(),
    pending() {
      // Reading it loads the stored state.
      assert.equal(typeof client().analytics.active, "boolean");
      return queue().entries.map((entry) => entry.name);
    },
    stored: () => storageKeys().filter((key) => key.startsWith(prefix())).map((key) => key.slice(prefix().length)),
    stored_queue: () => JSON.parse(storage.values.get(prefix() + "queue") ?? "[]").map((entry) => entry.name).sort(),
    storage_keys: storageKeys,
    sent: () => batches.flatMap((batch) => batch.events.map((event) => event.name)),
    sent_by: () => sentBy,
    unique_sent: () => unique,
    requests: () => requests,
    flush: () => flushed,
    dropped: () => dropped,
    identities: () => new Set(batches.map((batch) => batch.distinct_id)).size,
    sessions: () => new Set(batches.map((batch) => batch.session_id)).size,
    batches: () => batches.length,
    properties: () => batches.flatMap((batch) => batch.events.map((event) => event.properties ?? null)),
    rollout_keys: () => new Set(keys).size,
    rollout_key: () => keys.at(-1),
    rollout_key_is_number: () => /^\d{1,4}$/.test(keys.at(-1)),
    distinct_id: () => batches.at(-1).distinct_id,
    distinct_id_is_uuid: () => /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(look.distinct_id()),
  };
  const verbs = {
    track: (name, properties) => client().public.track(name, properties),
    check: () => client().public.checkUpdate({ current_version: "1" }),
    async flush() {
      flushed = await client().public.flush();
    },
    send() {
      held = {};
      held.answered = new Promise((resolve) => (done = resolve));
      flushing = client().public.flush();
    },
    async done(code) {
      // The request is made in a later iteration of the event loop than the flush that causes it.
      await until(() => !held);
      done(code);
      flushed = await flushing;
      flushing = undefined;
    },
    opt_out: () => client().public.optOut(),
    opt_in: () => client().public.optIn(),
    grant_consent: () => client().public.grantConsent(),
    revoke_consent: () => client().public.revokeConsent(),
    reset_identity: () => client().public.resetIdentity(),
    bind: (project) => client().setProjectKey(project),
    client: (name) => (current = name),
    store: (suffix, text) => storage.write("svc.analytics.454ea31f-alpha." + suffix, text),
    advance(seconds) {
      clock.monotonic += seconds * 1000;
      clock.wall += seconds * 1000;
    },
    answer(code, seconds) {
      status = code;
      wait = seconds;
    },
    reject: (names) => (refused = names),
    restart: () => (clients = {}),
    expect(expected) {
      for (const [key, value] of Object.entries(expected)) {
        assert.deepEqual(look[key](), value, key);
      }
    },
  };
  for (const [verb, ...step] of steps) {
    await verbs[verb](...step);
    if (flushing) {
      await until(() => !held);
    } else if (verb !== "store") {
      // Include the queue of a project that has just been left.
      queue();
      await settle(client());
      // The end of the second that contains the last write.
      queue().save(true);
    }
  }
}

describe("vectors: error_limits", () => {
  for (const { name, steps } of vectors.error_limits) {
    it(name, async () => {
      const { requests, fetch } = recorder(() => Response.json({ id: "1" }, { status: 201 }));
      const { client, clock } = testClient({ fetch });
      for (const [verb, argument] of steps) {
        if (verb === "capture") {
          client.logs.capture(Object.assign(new Error(argument), { stack: "" }));
        } else if (verb === "advance") {
          clock.monotonic += argument * 1000;
        } else {
          await client.logs.flush();
          const reports = requests.map(({ body }) => {
            const { content, custom_data: { repeated, dropped } } = JSON.parse(body);
            return { message: content.replace("Error: ", ""), ...(repeated && { repeated }), ...(dropped && { dropped }) };
          });
          assert.deepEqual(reports, argument);
        }
      }
    });
  }
});

describe("vectors: error_content", () => {
  for (const { type, message, stack, repeat, out, characters, end } of vectors.error_content) {
    it(`${type}, ${message}, ${repeat} × ${stack}`, async () => {
      const { requests, fetch } = recorder(() => Response.json({ id: "1" }, { status: 201 }));
      const { client } = testClient({ fetch });
      const head = [type, message].filter(Boolean).join(": ");
      client.logs.capture(Object.assign(new Error(message), { name: type, stack: `${head}\n${stack.repeat(repeat)}` }));
      await client.logs.flush();
      const { content } = JSON.parse(requests[0].body);
      if (out !== undefined) {
        assert.equal(content, out);
      } else {
        assert.equal([...content].length, characters);
        assert.ok(content.endsWith(end), content.slice(-20));
      }
    });
  }
});

/** A client with the given text stored as the result of the last update check. */
function checking(text, now, options = {}) {
  const storage = memoryStorage();
  const key = "svc.updates.454ea31f-demo.last";
  if (text !== null) {
    storage.write(key, text);
  }
  const answer = JSON.parse(vectors.update_memory.find((row) => !row.due).memory).answer;
  const { requests, fetch } = recorder(() => Response.json(answer));
  const { client, clock } = testClient({ fetch, ...options, analytics: { storage } });
  clock.wall = now * 1000;
  return { client, requests, stored: () => JSON.parse(storage.values.get(key)) };
}

const updateOptions = (key) => {
  const [currentVersion, currentComparableVersion, includePreview, locale] = key.split("|");
  return {
    ...(currentVersion && { currentVersion }),
    ...(currentComparableVersion && { currentComparableVersion }),
    includePreview: includePreview === "true",
    ...(locale && { locale }),
  };
};

describe("vectors: update_memory", () => {
  for (const [index, { memory, key, now, interval_seconds: interval, due }] of vectors.update_memory.entries()) {
    it(`${index}: ${String(memory).slice(0, 60)} under ${key}`, async () => {
      const { client, requests } = checking(memory, now);
      await client.updates.check({ ...updateOptions(key), intervalMs: interval * 1000 });
      assert.equal(requests.length, due ? 1 : 0);
    });
  }
});

describe("vectors: update_key", () => {
  for (const row of vectors.update_key) {
    it(row.out, async () => {
      const { client, stored } = checking(null, 1000);
      await client.updates.check({
        currentVersion: row.current_version ?? undefined,
        currentComparableVersion: row.current_comparable_version ?? undefined,
        includePreview: row.include_preview ?? undefined,
        locale: row.locale ?? undefined,
      });
      assert.equal(stored().key, row.out);
    });
  }
});

it("the constructor refuses every base address that the vectors refuse", () => {
  for (const { in: baseUrl, out } of vectors.base_url) {
    if (out === null) {
      assert.throws(() => new Client({ baseUrl }, nodeHost), { name: "SvcError" });
    }
  }
});

it("the figures are those of the vectors", () => {
  const { client } = testClient({ analytics: { flushIntervalMs: undefined } });
  const { fixed, analytics: { tuning } } = client;
  const most = testClient({ analytics: { batchSize: 1000 } }).client.analytics.tuning;
  const got = {
    timeout_seconds: fixed.timeoutMs / 1000,
    retries: fixed.retries,
    retry_first_ms: rules.retryDelay("GET", 0, 9, 503, null),
    retry_last_ms: rules.retryDelay("GET", 8, 9, 503, null),
    retry_jitter_percent: (rules.retryDelay("GET", 0, 9, 503, null, 1) / 300 - 1) * 100,
    retry_after_seconds: [29, 30, 31].findLast((seconds) => rules.retryDelay("GET", 0, 9, 503, seconds) !== null),
    header_characters: rules.headerValue("x".repeat(100)).length,
    flush_interval_ms: tuning.flushIntervalMs,
    batch_size: tuning.batchSize,
    batch_size_max: most.batchSize,
    max_queue_size: tuning.maxQueueSize,
    session_timeout_ms: tuning.sessionTimeoutMs,
    backoff_ms: rules.eventBackoff(5000, 50),
    backoff_retry_after_ms: rules.eventBackoff(5000, 1, 1e6),
  };
  for (const [name, value] of Object.entries(got)) {
    assert.equal(value, vectors.defaults[name], name);
  }
});
