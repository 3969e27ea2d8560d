// Replies to feedback, and what is kept to request them.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { memoryStorage, recorder, testClient } from "./helper.mjs";

const key = "svc.analytics.n.feedback";

/** Stores feedback, and has a reply to each with an even number but the fifth. */
function replying() {
  let stored = 0;
  return recorder(({ method, url, headers }) => {
    if (method === "POST") {
      const n = stored++;
      return Response.json({ id: `f${n}`, status: "open", reply_token: `t${n}` }, { status: 201 });
    }
    const id = url.split("/").at(-2);
    const n = Number(id.slice(1));
    if (headers.get("x-reply-token") !== `t${n}` || n === 4) {
      return Response.json({ statusCode: 404, message: "feedback not found" }, { status: 404 });
    }
    return Response.json(
      n % 2 ? { id, status: "open", reply: null, replied_at: null } : { id, status: "resolved", reply: "thanks", replied_at: 7 },
    );
  });
}

const open = (fetch, storage, analytics = {}, host = {}) =>
  testClient({ fetch, retries: 0, analytics: { storage, namespace: "n", ...analytics } }, host).client;

async function send(client, times) {
  for (let i = 0; i < times; i++) {
    await client.public.createFeedback({ content: "x" });
  }
}

async function answered(client) {
  const replies = await client.public.feedbackReplies();
  assert.ok(replies.every(({ reply, replied_at }) => reply === "thanks" && replied_at === 7));
  return replies.map(({ id }) => id);
}

describe("replies to feedback", () => {
  it("are requested for the newest 20 records, until an opt-out", async () => {
    const storage = memoryStorage();
    const { fetch } = replying();
    const first = open(fetch, storage);
    const later = open(fetch, storage);
    await send(first, 7);
    assert.deepEqual(await answered(first), ["f0", "f2", "f6"]);
    await send(later, 18);
    assert.deepEqual(await answered(later), ["f6", "f8", "f10", "f12", "f14", "f16", "f18", "f20", "f22", "f24"]);
    const kept = JSON.parse(storage.values.get(key));
    assert.equal(kept.length, 20);
    assert.deepEqual(kept[0], { id: "f5", token: "t5", project_key: "demo" });

    later.public.optOut();
    await send(later, 1);
    await send(first, 1);
    assert.deepEqual(await answered(later), []);
    assert.deepEqual(await answered(first), []);
    assert.equal(storage.values.has(key), false);
    later.public.optIn();
    assert.deepEqual(await answered(later), []);
  });

  for (const [persistence, expected] of [["session", ["f0", "f2"]], ["none", []]]) {
    it(`store nothing with the persistence ${persistence}`, async () => {
      const storage = memoryStorage();
      const client = open(replying().fetch, storage, { persistence });
      await send(client, 3);
      assert.deepEqual(await answered(client), expected);
      assert.equal(storage.values.size, 0);
      client.public.optOut();
      client.public.optIn();
      assert.deepEqual(await answered(client), []);
    });
  }

  for (const persistence of ["persistent", "session"]) {
    it(`keep nothing without consent, with the persistence ${persistence}`, async () => {
      const storage = memoryStorage();
      const { fetch } = replying();
      const client = open(fetch, storage, { persistence, requireConsent: true });
      await send(client, 1);
      assert.equal(storage.values.size, 0);
      client.public.grantConsent();
      assert.deepEqual(await answered(client), []);
      await send(client, 2);
      assert.deepEqual(await answered(client), ["f2"]);

      const waiting = open(fetch, storage, { persistence, requireConsent: true });
      assert.deepEqual(await answered(waiting), []);
      waiting.public.revokeConsent();
      assert.equal(storage.values.has(key), false);

      await send(client, 2);
      client.setProjectKey("other");
      client.public.revokeConsent();
      client.setProjectKey("demo");
      await send(client, 2);
      assert.deepEqual(await answered(client), []);
      assert.equal(storage.values.size, 0);
      client.public.grantConsent();
      assert.deepEqual(await answered(client), []);
      await send(client, 2);
      assert.deepEqual(await answered(client), ["f8"]);
    });

    it(`forget what the server no longer has, with the persistence ${persistence}`, async () => {
      const storage = memoryStorage();
      const { fetch } = replying();
      let page = null;
      let asked = [];
      const client = open(
        (url, init) => {
          if (init.method === "GET") {
            asked.push(url.split("/").at(-2));
          }
          return page && init.method === "GET" ? Promise.resolve(new Response(page, { status: 404 })) : fetch(url, init);
        },
        storage,
        { persistence },
      );
      await send(client, 6);
      page = "<h1>Not Found</h1>";
      assert.deepEqual(await answered(client), []);
      page = null;
      assert.deepEqual(await answered(client), ["f0", "f2"]);
      asked = [];
      assert.deepEqual(await answered(client), ["f0", "f2"]);
      assert.deepEqual(asked, ["f0", "f1", "f2", "f3", "f5"]);
      if (persistence === "persistent") {
        assert.deepEqual(
          JSON.parse(storage.values.get(key)).map(({ id }) => id),
          asked,
        );
      }
    });
  }

  it("keep nothing when collection is off", async () => {
    const storage = memoryStorage();
    const client = open(replying().fetch, storage, { enabled: false });
    await send(client, 1);
    assert.deepEqual(await answered(client), []);
    assert.equal(storage.values.size, 0);
  });

  it("are those of the bound project, also when projects share a namespace", async () => {
    const client = open(replying().fetch, memoryStorage());
    await send(client, 1);
    client.setProjectKey("other");
    assert.deepEqual(await answered(client), []);
    await send(client, 2);
    assert.deepEqual(await answered(client), ["f2"]);
    client.setProjectKey("DEMO");
    assert.deepEqual(await answered(client), ["f0"]);
  });

  it("stay in memory when nothing can be stored", async () => {
    const full = () => {
      throw new Error("full");
    };
    const client = open(replying().fetch, { read: () => null, write: full, remove: full });
    await send(client, 3);
    assert.deepEqual(await answered(client), ["f0", "f2"]);
  });

  it("ignore what is not valid in the storage", async () => {
    const storage = memoryStorage();
    const client = open(replying().fetch, storage);
    for (const text of ["", "{}", '[1,null,{},{"id":"","token":"t"}]', "["]) {
      storage.write(key, text);
      assert.deepEqual(await answered(client), []);
    }
    await send(client, 1);
    assert.deepEqual(await answered(client), ["f0"]);
  });

  it("are an opt-out's with a privacy signal of the browser", async () => {
    let signal = false;
    const storage = memoryStorage();
    const client = open(replying().fetch, storage, {}, { doNotTrack: () => signal });
    await send(client, 1);
    signal = true;
    await send(client, 1);
    assert.deepEqual(await answered(client), []);
    client.public.track("a");
    assert.equal(storage.values.size, 0);
    signal = false;
    assert.deepEqual(await answered(client), []);
  });

  it("reject with any other error, with other options, and after the end of the client", async () => {
    let status = 201;
    const { fetch } = recorder(() => Response.json({ id: "f", reply_token: "t" }, { status }));
    const client = open(fetch, memoryStorage());
    await send(client, 1);
    status = 400;
    await assert.rejects(client.public.feedbackReplies(), { status: 400 });
    await assert.rejects(client.public.feedbackReplies({ extra: {} }), /extra is not an option/);
    await client.close();
    await assert.rejects(client.public.feedbackReplies(), /closed/);
  });
});
