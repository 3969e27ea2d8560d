// Contract 15.1: every section of the vectors that the library implements.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { architecture, architectureRank } from "../dist/esm/architecture.js";
import * as rules from "../dist/esm/rules.js";
import { darwinVersion, osRelease, windowsVersion } from "../dist/esm/system.js";
import { clientOptions } from "./play.mjs";
import { memoryStorage, testClient, vectors } from "./helper.mjs";
import { fnv1a32 } from "../dist/esm/rules.js";
import { Client } from "../dist/esm/client.js";
import { nodeHost } from "../dist/esm/node.js";

/** Sections of the server alone. */
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
  event_outcome: (c) => [rules.eventOutcome(c.status, c.events), c.action],
  event_name: (c) => [rules.eventName(c.in), c.out],
  error_message: (c) => [rules.errorMessage(c.status, c.body), c.out],
  // Node tells the kernel's release on macOS; the product version is for others.
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

/** Sections that tests of their own read. */
const elsewhere = ["format", "version", "scenarios", "endpoints"];

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
  for (const { version, min, max, out } of ranges) {
    it(`${version} in ${min}..${max} is ${out}`, () =>
      assert.equal(
        (min === null || rules.compareVersions(version, min) >= 0) && (max === null || rules.compareVersions(version, max) <= 0),
        out,
      ));
  }
});

describe("vectors: scenarios", () => {
  for (const scenario of vectors.scenarios) {
    it(scenario.name, () => play(scenario));
  }
});

/** Runs a scenario with a storage that survives restarts and a sender that answers at once. */
async function play({ options = {}, steps }) {
  const storage = memoryStorage();
  const batches = [];
  const dropped = [];
  let status = 202;
  let refused = [];
  const { dnt, ...analytics } = options;
  let clock;
  const start = () => {
    const { analytics: tuned } = clientOptions("", { analytics });
    const made = testClient(
      {
        fetch: async (_, init) => {
          const batch = JSON.parse(init.body);
          if (status === 0) {
            throw new TypeError("no answer");
          }
          const answer = batch.events.some((event) => refused.includes(event.name)) ? 400 : status;
          if (answer === 202) {
            batches.push(batch);
          }
          return Response.json({ accepted: batch.events.length, skipped: 0, suppressed: false }, { status: answer });
        },
        analytics: { ...tuned, storage, onDrop: (name) => dropped.push(name) },
      },
      { doNotTrack: () => dnt === true, ...(clock && { clock }) },
    );
    clock = made.clock;
    return made.client;
  };
  let client = start();
  const queue = () => client.analytics.queue;
  const look = {
    active: () => client.analytics.active,
    opted_out: () => client.public.hasOptedOut(),
    pending() {
      // A look at it reads what is stored.
      assert.equal(typeof client.analytics.active, "boolean");
      return queue().entries.map((entry) => entry.name);
    },
    stored: () => [...storage.values.keys()].map((key) => key.split(".").at(-1)).sort(),
    sent: () => batches.flatMap((batch) => batch.events.map((event) => event.name)),
    dropped: () => dropped,
    identities: () => new Set(batches.map((batch) => batch.distinct_id)).size,
    sessions: () => new Set(batches.map((batch) => batch.session_id)).size,
    batches: () => batches.length,
  };
  const verbs = {
    track: (name) => client.public.track(name),
    flush: () => client.public.flush(),
    opt_out: () => client.public.optOut(),
    opt_in: () => client.public.optIn(),
    grant_consent: () => client.public.grantConsent(),
    revoke_consent: () => client.public.revokeConsent(),
    reset_identity: () => client.public.resetIdentity(),
    advance(seconds) {
      clock.monotonic += seconds * 1000;
      clock.wall += seconds * 1000;
    },
    answer: (code) => (status = code),
    reject: (names) => (refused = names),
    restart: () => (client = start()),
    expect(expected) {
      for (const [key, value] of Object.entries(expected)) {
        assert.deepEqual(look[key](), value, key);
      }
    },
  };
  for (const [verb, argument] of steps) {
    await verbs[verb](argument);
    await queue().settle();
    // The end of the second in which the last write was.
    queue().save(true);
  }
}

it("the constructor refuses every base address that the vectors refuse", () => {
  for (const { in: baseUrl, out } of vectors.base_url) {
    if (out === null) {
      assert.throws(() => new Client({ baseUrl }, nodeHost), { name: "SvcError" });
    }
  }
});
