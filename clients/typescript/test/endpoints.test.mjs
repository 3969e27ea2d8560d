// Contract 15.2 and 15.3: every method against a recording transport.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { adminTable, clientTable, publicTable } from "../dist/esm/methods.js";
import { callByName } from "./play.mjs";
import { recorder, testClient, vectors } from "./helper.mjs";

/** Arguments that satisfy the local rules of every method. */
const needed = { current_version: "1.0.0", username: "admin", password: "secret", distinct_id: "someone" };

const tables = { adminTable, clientTable, publicTable };

const argumentsOf = (path) =>
  Object.fromEntries([...path.matchAll(/{(\w+)}/g)].map(([, name]) => [name === "v" ? "version" : name, "a/b"]));

const call = (client, [namespace, name, , path]) => {
  const own = { login: needed, check_update: needed, export_my_data: needed, delete_my_data: needed };
  return callByName(client, tables, namespace, name, { ...(own[name] && { ...own[name] }), ...argumentsOf(path) });
};

for (const row of vectors.endpoints) {
  const [namespace, name, method, path] = row;
  describe(`${namespace}.${name}`, () => {
    it("sends the verb, the path and the credential of the table", async () => {
      const { requests, fetch } = recorder(() => Response.json({ access_token: "t2" }));
      const { client } = testClient({ fetch, token: "t" });
      await call(client, row);
      assert.equal(requests.length, 1);
      assert.equal(requests[0].method, method);
      const expected = path.replace("{k}", "demo").replace(/{\w+}/g, "a%2Fb");
      assert.equal(new URL(requests[0].url).pathname, "/api/v1" + expected);
      assert.equal(requests[0].headers.get("authorization"), namespace === "admin" ? "Bearer t" : null);
    });
    if (namespace === "admin") {
      it("without a credential sends nothing", async () => {
        const { requests, fetch } = recorder();
        await assert.rejects(call(testClient({ fetch }).client, row), { name: "SvcAuthError" });
        assert.equal(requests.length, 0);
      });
    }
    if (path.includes("{k}")) {
      it("without a project sends nothing", async () => {
        const { requests, fetch } = recorder();
        await assert.rejects(call(testClient({ fetch, token: "t", projectKey: null }).client, row), { name: "SvcError" });
        assert.equal(requests.length, 0);
      });
    }
  });
}

it("every method of the library is in the table of endpoints", () => {
  const listed = new Set(vectors.endpoints.map(([namespace, name]) => `${namespace}.${name.replace(/_(\w)/g, (_, l) => l.toUpperCase())}`));
  for (const namespace of ["client", "public", "admin"]) {
    for (const [name] of tables[`${namespace}Table`]) {
      assert.ok(listed.has(`${namespace}.${name}`), name);
    }
  }
});

it("absent keeps, null clears, a value sets; extra comes last", async () => {
  const { requests, fetch } = recorder();
  const { client } = testClient({ fetch, token: "t" });
  await client.admin.updateVersion("v1", { title: null, content: "new", download_url: undefined });
  await client.admin.updateVersion("v1", {});
  await client.admin.updateVersion("v1", { title: "a" }, { extra: { title: "b", newer: 1 } });
  assert.deepEqual(requests.map((request) => request.body), ['{"title":null,"content":"new"}', "{}", '{"title":"b","newer":1}']);
  assert.equal(requests[0].headers.get("content-type"), "application/json");
});

it("onETag gets the tag of an answer, and ifMatch sends it", async () => {
  const { requests, fetch } = recorder((_, n) =>
    n === 3
      ? Response.json({ message: "changed" }, { status: 412, headers: { etag: '"c"' } })
      : Response.json({}, { headers: n === 4 ? {} : { etag: `"${n}"` } }),
  );
  const { client } = testClient({ fetch, token: "t", headers: { "If-Match": '"of all"' } });
  const tags = [];
  const onETag = (tag) => tags.push(tag);
  await client.admin.getVersion("v1", { onETag });
  await client.admin.updateVersion("v1", {}, { ifMatch: tags[0], onETag });
  await assert.rejects(client.admin.deleteVersion("v1", { ifMatch: tags[0], onETag }), { name: "SvcApiError", status: 412 });
  await client.admin.getStatus({ onETag });
  assert.deepEqual(tags, ['"1"', '"2"']);
  assert.deepEqual(requests.map((request) => request.headers.get("if-match")), [null, '"1"', '"1"', null]);
});

it("methods without a body send none, and no content type", async () => {
  const { requests, fetch } = recorder();
  const { client } = testClient({ fetch, token: "t" });
  await client.admin.retryFile("f1");
  await client.admin.deleteVersion("v1");
  for (const { body, headers } of requests) {
    assert.equal(body, null);
    assert.equal(headers.get("content-type"), null);
  }
});

it("queries leave out null and absent, and write booleans and numbers plainly", async () => {
  const { requests, fetch } = recorder();
  const { client } = testClient({ fetch, token: "t" });
  await client.admin.listVersions({ limit: 5, search: "a b&c", platform: null, is_preview: false, forced: undefined });
  await client.admin.getCodehostIntegrationRepoTemplate({ refresh: false });
  await client.admin.getCodehostIntegrationRepoTemplate({ refresh: true });
  assert.deepEqual(requests.map((request) => new URL(request.url).search), ["?limit=5&search=a%20b%26c&is_preview=false", "", "?refresh=true"]);
});

it("the client's locale and app version fill public reads; an explicit null sends nothing", async () => {
  const { requests, fetch } = recorder();
  const { client } = testClient({ fetch, locale: "de", appVersion: "1.2.3", channel: "beta", rolloutKey: "7" });
  await client.public.getProject();
  await client.public.getLatestAnnouncement();
  await client.public.getLatestAnnouncement({ locale: null, version: null });
  await client.public.getVersion("1.0", { locale: "fr" });
  await client.public.checkUpdate({});
  await client.public.checkUpdate({ current_comparable_version: "9", channel: null, rollout_key: null });
  client.setLocale(null);
  await client.public.getProject();
  assert.deepEqual(
    requests.map((request) => request.body ?? new URL(request.url).search),
    [
      "?locale=de",
      "?locale=de&version=1.2.3",
      "",
      "?locale=fr",
      '{"channel":"beta","rollout_key":"7","current_version":"1.2.3","locale":"de"}',
      '{"current_comparable_version":"9","locale":"de"}',
      "",
    ],
  );
});

it("local rules refuse before anything is sent, and always by a rejected promise", async () => {
  const { requests, fetch } = recorder();
  const { client } = testClient({ fetch, token: "t", analytics: { enabled: false } });
  const base = { name: "SvcError" };
  await assert.rejects(client.public.checkUpdate({}), base);
  await assert.rejects(client.public.createFeedback({ content: "x", forward_to_codehost: true, contact: "  " }), base);
  await assert.rejects(client.public.exportMyData(), base);
  await assert.rejects(client.public.deleteMyData(), base);
  await assert.rejects(client.updates.check(), base);
  for (const id of ["", ".", "..", undefined]) {
    await assert.rejects(client.admin.getVersion(id), base);
  }
  assert.equal(requests.length, 0);
});

it("a project is created under the bound key unless the call names one", async () => {
  const { requests, fetch } = recorder();
  const { client } = testClient({ fetch, token: "t" });
  await client.admin.createProject({ name: "Demo" });
  await client.admin.createProject({ name: "Other", project_key: "other" });
  assert.deepEqual(requests.map((request) => JSON.parse(request.body).project_key), ["demo", "other"]);
});

it("iterators walk all pages with limit 100", async () => {
  const { requests, fetch } = recorder(({ url }) => {
    const offset = Number(new URL(url).searchParams.get("offset"));
    const data = Array.from({ length: Math.min(100, 250 - offset) }, (_, i) => ({ id: String(offset + i) }));
    return Response.json({ total: 250, data });
  });
  const { client } = testClient({ fetch, token: "t" });
  const ids = [];
  for await (const { id } of client.admin.iterVersions({ search: "x" })) {
    ids.push(id);
  }
  assert.deepEqual(ids, Array.from({ length: 250 }, (_, i) => String(i)));
  assert.deepEqual(requests.map((request) => new URL(request.url).search), [0, 100, 200].map((o) => `?search=x&limit=100&offset=${o}`));
});

it("login stores the token and sends no credential", async () => {
  const { requests, fetch } = recorder(() => Response.json({ access_token: "fresh", expires_in: 1, user: {} }, { status: 201 }));
  const { client } = testClient({ fetch, token: "old" });
  await client.login("admin", "secret");
  await client.admin.getMe();
  client.clearToken();
  await assert.rejects(client.admin.getMe(), { name: "SvcAuthError" });
  client.setToken(async () => "from a function");
  await client.admin.getMe();
  assert.deepEqual(requests.map((request) => request.headers.get("authorization")), [null, "Bearer fresh", "Bearer from a function"]);
});

it("an upload sends missing chunks, asks what arrived after a failure, and completes", async () => {
  let failed = false;
  const there = new Set([0]);
  const session = () => ({ upload_id: "u", chunk_size: 4, total_chunks: 3, received_chunks: [...there] });
  const { requests, fetch } = recorder(({ method, url, body }) => {
    if (method === "PUT") {
      const index = Number(url.split("/").at(-1));
      if (index === 2 && !failed) {
        failed = true;
        return Response.json({ message: "broken" }, { status: 500 });
      }
      there.add(index);
      return Response.json({ index, bytes: body.length });
    }
    return Response.json(url.endsWith("/complete") ? { id: "f" } : session());
  });
  const { client } = testClient({ fetch, token: "t" });
  const bytes = new TextEncoder().encode("0123456789");
  assert.deepEqual(await client.admin.uploadFile(bytes, "a.bin"), { id: "f" });
  const chunks = requests.filter((request) => request.method === "PUT");
  assert.deepEqual(chunks.map(({ url, body }) => [url.split("/").at(-1), new TextDecoder().decode(body)]), [["1", "4567"], ["2", "89"], ["2", "89"]]);
  assert.equal(chunks[0].headers.get("content-type"), "application/octet-stream");
  assert.deepEqual(JSON.parse(requests[0].body), { filename: "a.bin", size: 10 });
});
