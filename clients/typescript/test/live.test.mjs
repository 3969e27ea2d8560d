// Contract 15.10, and updates and reports, against the real server.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { SvcClient } from "../dist/esm/index.js";
import { noBinary, startServer } from "./binary.mjs";
import { memoryStorage, until } from "./helper.mjs";

describe("against the real server", { skip: noBinary }, () => {
  let service;
  let client;
  let folder;

  before(async () => {
    service = await startServer();
    folder = mkdtempSync(join(tmpdir(), "svc-sdk-"));
    client = new SvcClient({
      baseUrl: service.baseUrl,
      projectKey: "demo",
      appVersion: "1.0.0",
      platform: "linux",
      analytics: { storage: memoryStorage(), flushIntervalMs: 3_600_000 },
    });
    const { user } = await client.login("admin", service.password);
    assert.equal(user.username, "admin");
    await client.admin.createProject({ name: "Demo" });
  });
  after(async () => {
    await client?.close();
    await service?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it("the service is up", async () => assert.equal((await client.health()).status, "ok"));

  it("versions: publish, look at, update and delete", async () => {
    const made = await client.admin.createVersion({ version: "v0.1 (first)/x", comparable_version: "0.1", title: "First" });
    assert.equal((await client.public.getVersion("v0.1 (first)/x")).title, "First");
    assert.equal((await client.admin.updateVersion(made.id, { title: null })).title, null);
    await client.admin.deleteVersion(made.id);
    await assert.rejects(client.admin.getVersion(made.id), { name: "SvcApiError", status: 404, method: "GET" });
    assert.equal(await client.public.getLatestPreviewVersion(), null);
  });

  it("an update is found, downloaded and verified, and remembered", async () => {
    const bytes = new Uint8Array(300_000).map((_, i) => i * 7);
    const path = join(folder, "source.bin");
    writeFileSync(path, bytes);
    const file = await client.admin.uploadFile(path, "app-linux.bin");
    await client.admin.createVersion({ version: "1.1.0", comparable_version: "1.1.0", download_links: [{ name: "Linux", url: new URL(file.path, service.baseUrl).href }] });
    const update = await client.updates.check({ currentComparableVersion: "1.0.0" });
    assert.equal(update.decision, "optional");
    assert.equal(update.target.version, "1.1.0");
    assert.equal(update.remembered, false);
    assert.equal((await client.updates.check({ currentComparableVersion: "1.0.0" })).remembered, true);
    const to = join(folder, "new.bin");
    const progress = [];
    const done = await update.download(to, { onProgress: (...args) => progress.push(args) });
    assert.deepEqual(done, { path: to, size: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex"), verified: true });
    assert.deepEqual(readFileSync(to), Buffer.from(bytes));
    assert.deepEqual(progress.at(-1), [bytes.length, bytes.length]);
    assert.deepEqual(readdirSync(folder).filter((name) => name.endsWith(".part")), []);
    const { blob, verified } = await update.download();
    assert.equal(blob.size, bytes.length);
    assert.ok(verified);
  });

  it("announcements, feedback and logs arrive", async () => {
    await client.admin.createAnnouncement({ title: "Hello", content: "World" });
    assert.equal((await client.public.getLatestAnnouncement()).title, "Hello");
    const { id } = await client.public.createFeedback({ content: "Nice", rating: 5, contact: null });
    assert.deepEqual(await client.public.feedbackReplies(), []);
    await client.admin.updateFeedback(id, { status: "resolved", reply: "thanks" });
    const replies = await client.public.feedbackReplies();
    assert.deepEqual(replies.map(({ status, reply }) => [status, reply]), [["resolved", "thanks"]]);
    assert.ok(replies[0].replied_at > 0);
    await client.public.uploadLog({ level: 3, content: "boom" });
    const feedback = [];
    for await (const entry of client.admin.iterFeedbacks()) {
      feedback.push(entry);
    }
    assert.deepEqual(feedback.map(({ content, rating, platform }) => ({ content, rating, platform })), [{ content: "Nice", rating: 5, platform: "linux" }]);
    assert.equal((await client.admin.listLogs()).data[0].content, "boom");
  });

  it("retention, open uploads, and logs that are pruned", async () => {
    await client.admin.updateProject({ log_retention_days: 30, feedback_retention_days: null });
    const { log_retention_days: logs, feedback_retention_days: feedback } = await client.admin.getProject();
    assert.deepEqual([logs, feedback], [30, null]);

    const { upload_id: id } = await client.admin.createUpload({ filename: "half.bin", size: 10 });
    const { data } = await client.admin.listUploads();
    assert.deepEqual(data.map(({ created_at: _, ...rest }) => rest), [{ upload_id: id, filename: "half.bin", size: 10, received_bytes: 0, credential: "administrator" }]);
    await client.admin.abortUpload(id);
    assert.deepEqual(await client.admin.listUploads(), { data: [] });

    await client.admin.createLog({ level: 0, content: "noise" });
    assert.deepEqual(await client.admin.pruneLogs({ level: 0, dry_run: true }), { matched: 1, deleted: 0 });
    assert.deepEqual(await client.admin.pruneLogs({ level: 0 }), { matched: 1, deleted: 1 });
    await assert.rejects(client.admin.pruneLogs({}), { name: "SvcApiError", status: 400 });
  });

  it("a captured error becomes a log entry", async () => {
    client.logs.capture(new TypeError("it broke"), { customData: { where: "here" } });
    await client.logs.flush();
    const { data } = await client.admin.listLogs({ search: "it broke" });
    assert.match(data[0].content, /^TypeError: it broke\n\s*at /);
    assert.equal(data[0].custom_data.where, "here");
    assert.equal(data[0].device_info.os, "linux");
  });

  it("events: track, export and delete", async () => {
    client.public.track("Opened", { from: "test" });
    client.public.track("closed");
    assert.deepEqual(await client.public.flush(), { sent: 2, dropped: 0, pending: 0 });
    let data = [];
    await until(async () => ({ data } = await client.public.exportMyData()).total === 2);
    assert.deepEqual(data.map((event) => event.event_name), ["opened", "closed"]);
    assert.deepEqual(data[0].properties, { app_version: "1.0.0", from: "test" });
    assert.equal((await client.public.deleteMyData()).deleted, 2);
    client.public.optOut();
    assert.equal(client.public.distinctId, null);
  });
});
