// Uploads go on while other pages are looked at. A file is sent in chunks: one that fails is
// sent again, a lost network is waited for, and a file that was begun before goes on where it was.

import { useSyncExternalStore } from "react";
import type { File as StoredFile, UploadSession } from "svc-sdk";
import { type Admin, clientOf, statusOf, transferClientOf } from "./client";
import { queries } from "./query";
import { session, watchSession } from "./session";
import { recall, remember } from "./storage";

/** Milliseconds before a chunk is sent for the second, third and fourth time. */
const pauses = [500, 1000, 2000];
/** Milliseconds between two looks whether the network is back. */
const lookEvery = 2000;
/** How many files are sent at once. */
const atOnce = 2;

export type UploadState = "waiting" | "sending" | "interrupted" | "finishing" | "failed" | "done";

export interface Upload {
  id: number;
  project: string;
  name: string;
  size: number;
  state: UploadState;
  /** Bytes that the server has. */
  sent: number;
  /** Why it failed. */
  error: unknown;
}

interface Job {
  file: File;
  storage: string | undefined;
  stop: AbortController;
  /** Id of its session, once that is known. */
  begun: string | null;
  made: StoredFile | null;
}

let uploads: readonly Upload[] = [];
const jobs = new Map<number, Job>();
const listeners = new Set<() => void>();
let last = 0;

function show(next: readonly Upload[]): void {
  uploads = next;
  for (const listener of listeners) {
    listener();
  }
}

function set(id: number, parts: Partial<Upload>): void {
  show(uploads.map((upload) => (upload.id === id ? { ...upload, ...parts } : upload)));
}

/** All uploads of this tab, in the order in which they were begun. */
export function useUploads(): readonly Upload[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => uploads,
  );
}

/** Whether a session of the server is one of an upload of this tab. */
export function isOwnSession(id: string): boolean {
  return [...jobs.values()].some(({ begun }) => begun === id);
}

/** Begins to upload files into a project; `storage` is an id, or undefined for the project's own. */
export function upload(project: string, files: File[], storage: string | undefined): void {
  const added = files.map((file): Upload => {
    last++;
    jobs.set(last, { file, storage, stop: new AbortController(), begun: null, made: null });
    return { id: last, project, name: file.name, size: file.size, state: "waiting", sent: 0, error: null };
  });
  show([...uploads, ...added]);
  beginNext();
}

/** Tries again what failed; what the server has already is not sent again. */
export function resume(id: number): void {
  const job = jobs.get(id);
  if (job) {
    job.stop = new AbortController();
    set(id, { state: "waiting", error: null });
    beginNext();
  }
}

/** Stops an upload and throws away what the server has of it; what is done is only taken off the list. */
export function cancel(id: number): void {
  const gone = uploads.find((upload) => upload.id === id);
  const job = jobs.get(id);
  jobs.delete(id);
  show(uploads.filter((upload) => upload.id !== id));
  if (gone && job && gone.state !== "done") {
    remember(traceOf(gone.project, job), null);
    job.stop.abort();
    if (!busy(gone)) {
      void discard(gone.project, job);
    }
  }
  beginNext();
}

/** Throws away what the server has of an upload that has stopped. */
async function discard(project: string, { begun, made }: Job): Promise<void> {
  const { admin } = clientOf(project);
  try {
    if (made) {
      await admin.deleteFile(made.id);
    } else if (begun) {
      await admin.abortUpload(begun);
    }
  } catch {
    // Without an answer the server throws away by itself what was not completed, after a day.
  }
  if (made) {
    void queries.invalidateQueries({ queryKey: ["files", project] });
  }
}

/** Takes what is done off the list. */
export function clearDone(): void {
  for (const { id, state } of uploads) {
    if (state === "done") {
      jobs.delete(id);
    }
  }
  show(uploads.filter(({ state }) => state !== "done"));
}

const busy = ({ state }: Upload) => state === "sending" || state === "interrupted" || state === "finishing";

function beginNext(): void {
  const next = uploads.find(({ state }) => state === "waiting");
  if (next && uploads.filter(busy).length < atOnce) {
    set(next.id, { state: "sending" });
    void run(next.id, next.project).finally(beginNext);
    beginNext();
  }
}

async function run(id: number, project: string): Promise<void> {
  const job = jobs.get(id)!;
  const { signal } = job.stop;
  const admin = transferClientOf(project).admin;
  try {
    for (;;) {
      const token = session()?.token;
      try {
        await send(id, project, job, admin, signal);
        set(id, { state: "done", sent: job.file.size });
        remember(traceOf(project, job), null);
        void queries.invalidateQueries({ queryKey: ["files", project] });
        return;
      } catch (error) {
        if (!signal.aborted && isInterruption(error)) {
          set(id, { state: "interrupted" });
          await (statusOf(error) === 401 ? otherLogin(token, signal) : wait(lookEvery, signal));
        } else {
          throw error;
        }
      }
    }
  } catch (error) {
    if (signal.aborted) {
      await discard(project, job);
    } else {
      set(id, { state: "failed", error });
    }
  }
}

/** Whether to wait and go on: no answer, an answer of a proxy whose server is away, or an expired login. */
function isInterruption(error: unknown): boolean {
  return [0, 401, 502, 503, 504].includes(statusOf(error)) && !(error instanceof DOMException);
}

async function send(id: number, project: string, job: Job, admin: Admin, signal: AbortSignal): Promise<void> {
  const { file } = job;
  const begun = await begin(project, job, admin, signal);
  const there = new Set(begun.received_chunks);
  const { chunk_size, total_chunks, upload_id } = begun;
  const bytesOf = (index: number) => Math.min((index + 1) * chunk_size, file.size) - index * chunk_size;
  let sent = [...there].reduce((sum, index) => sum + bytesOf(index), 0);
  set(id, { state: "sending", sent });
  for (let index = 0; index < total_chunks; index++) {
    if (!there.has(index)) {
      const chunk = file.slice(index * chunk_size, index * chunk_size + bytesOf(index));
      await persistently(() => admin.putUploadChunk(upload_id, index, chunk, { signal }), signal);
      sent += bytesOf(index);
      set(id, { sent });
    }
  }
  set(id, { state: "finishing" });
  // Not stopped in the middle: whoever cancels now wants the file to be deleted, which has to be known.
  job.made = await persistently(() => admin.completeUpload(upload_id), signal);
  signal.throwIfAborted();
}

/** Where the id of a session is remembered, so that the same file goes on after the page was left. */
function traceOf(project: string, { file, storage }: Job): string {
  return `upload ${project} ${storage ?? ""} ${file.size} ${file.lastModified} ${file.name}`;
}

/** The session of a file: the one that was begun already, else a new one. */
async function begin(project: string, job: Job, admin: Admin, signal: AbortSignal): Promise<UploadSession> {
  const trace = traceOf(project, job);
  job.begun ??= recall(trace);
  if (job.begun) {
    try {
      return await admin.getUpload(job.begun, { signal });
    } catch (error) {
      if (statusOf(error) !== 404) {
        throw error;
      }
      job.begun = null;
      remember(trace, null);
    }
  }
  const { file, storage } = job;
  // Not stopped in the middle: without the answer nobody knows what to throw away.
  const begun = await admin.createUpload({ filename: file.name, size: file.size, ...(storage && { storage_backend_id: storage }) });
  job.begun = begun.upload_id;
  signal.throwIfAborted();
  remember(trace, begun.upload_id);
  return begun;
}

/** Does something again after a pause when it fails, unless the server refuses it. */
async function persistently<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let failures = 0; ; failures++) {
    try {
      return await work();
    } catch (error) {
      const status = statusOf(error);
      if (signal.aborted || failures >= pauses.length || (status >= 400 && status < 500)) {
        throw error;
      }
      await wait(pauses[failures]!, signal);
    }
  }
}

function wait(ms: number, signal: AbortSignal): Promise<void> {
  return until((done) => {
    const timer = setTimeout(done, ms);
    window.addEventListener("online", done);
    return () => {
      clearTimeout(timer);
      window.removeEventListener("online", done);
    };
  }, signal);
}

function otherLogin(former: string | undefined, signal: AbortSignal): Promise<void> {
  return until((done) => watchSession(() => session() && session()?.token !== former && done()), signal);
}

/** Waits until `begin` calls back; it returns what ends the wait. */
function until(begin: (done: () => void) => () => void, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      end();
      reject(signal.reason);
    };
    const end = begin(() => {
      end();
      signal.removeEventListener("abort", stop);
      resolve();
    });
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) {
      stop();
    }
  });
}

// Closing the page ends what is being sent.
window.addEventListener("beforeunload", (event) => {
  if (uploads.some((upload) => upload.state === "waiting" || busy(upload))) {
    event.preventDefault();
  }
});
