// Uploads that continue while the user visits other pages. A file is sent in chunks. A chunk that
// fails is sent again, and while the network is down, the upload waits. If an upload of the same
// file was begun earlier, it is resumed.

import { useSyncExternalStore } from "react";
import type { File as StoredFile, UploadSession } from "svc-sdk";
import { type Admin, clientOf, statusOf, transferClientOf } from "./client";
import { queries } from "./query";
import { session, watchSession } from "./session";
import { recall, remember } from "./storage";

/** Milliseconds before the second, third and fourth attempt to send a chunk. */
const pauses = [500, 1000, 2000];
/** Milliseconds between two checks for whether the network is back. */
const lookEvery = 2000;
/** Maximum number of files that are sent at the same time. */
const atOnce = 2;

export type UploadState = "waiting" | "sending" | "interrupted" | "finishing" | "failed" | "done";

export interface Upload {
  id: number;
  project: string;
  name: string;
  size: number;
  state: UploadState;
  /** Number of bytes that the server has received. */
  sent: number;
  /** The error, if the upload has failed. */
  error: unknown;
}

/** The upload of one file. */
class Job {
  stop = new AbortController();
  /** The ID of the upload session; null until the server has created it. */
  begun: string | null = null;
  made: StoredFile | null = null;

  constructor(
    readonly project: string,
    readonly file: File,
    readonly storage: string | undefined,
  ) {}

  /**
   * Sends the file until the server has received all of it. While the server is unreachable, it
   * waits. It calls `report` with each change of the upload's state.
   */
  async run(report: (parts: Partial<Upload>) => void): Promise<void> {
    const { signal } = this.stop;
    const admin = transferClientOf(this.project).admin;
    for (;;) {
      const token = session()?.token;
      try {
        await this.send(admin, signal, report);
        this.forget();
        this.refetchFiles();
        return;
      } catch (error) {
        if (signal.aborted || !isInterruption(error)) {
          throw error;
        }
        report({ state: "interrupted" });
        await (statusOf(error) === 401 ? otherLogin(token, signal) : wait(lookEvery, signal));
      }
    }
  }

  private async send(admin: Admin, signal: AbortSignal, report: (parts: Partial<Upload>) => void): Promise<void> {
    const { file } = this;
    const begun = await this.begin(admin, signal);
    const there = new Set(begun.received_chunks);
    const { chunk_size, total_chunks, upload_id } = begun;
    const bytesOf = (index: number) => Math.min((index + 1) * chunk_size, file.size) - index * chunk_size;
    let sent = [...there].reduce((sum, index) => sum + bytesOf(index), 0);
    report({ state: "sending", sent });
    for (let index = 0; index < total_chunks; index++) {
      if (!there.has(index)) {
        const chunk = file.slice(index * chunk_size, index * chunk_size + bytesOf(index));
        await persistently(() => admin.putUploadChunk(upload_id, index, chunk, { signal }), signal);
        sent += bytesOf(index);
        report({ sent });
      }
    }
    report({ state: "finishing" });
    // Cancelling the upload must not abort this request, because its response contains the ID that
    // is needed to delete the file.
    this.made = await persistently(() => admin.completeUpload(upload_id), signal);
    signal.throwIfAborted();
  }

  /** Returns the session of the file: an existing one, or else a new one. */
  private async begin(admin: Admin, signal: AbortSignal): Promise<UploadSession> {
    this.begun ??= recall(this.trace);
    if (this.begun) {
      try {
        return await admin.getUpload(this.begun, { signal });
      } catch (error) {
        if (statusOf(error) !== 404) {
          throw error;
        }
        this.begun = null;
        this.forget();
      }
    }
    const { file, storage } = this;
    // Cancelling the upload must not abort this request, because its response contains the ID that
    // is needed to end the session.
    const begun = await admin.createUpload({ filename: file.name, size: file.size, ...(storage && { storage_backend_id: storage }) });
    this.begun = begun.upload_id;
    signal.throwIfAborted();
    remember(this.trace, begun.upload_id);
    return begun;
  }

  /** Deletes the data of a stopped upload on the server. */
  async discard(): Promise<void> {
    const { admin } = clientOf(this.project);
    try {
      if (this.made) {
        await admin.deleteFile(this.made.id);
      } else if (this.begun) {
        await admin.abortUpload(this.begun);
      }
    } catch {
      // Ignore the error: the server deletes incomplete uploads after a day.
    }
    if (this.made) {
      this.refetchFiles();
    }
  }

  /** Forgets the session, so that another upload of the same file begins a new one. */
  forget(): void {
    remember(this.trace, null);
  }

  /**
   * The key under which the browser stores the ID of the session. With it, the same file can be
   * resumed after the user has left the page.
   */
  private get trace(): string {
    const { project, file, storage } = this;
    return `upload ${project} ${storage ?? ""} ${file.size} ${file.lastModified} ${file.name}`;
  }

  private refetchFiles(): void {
    void queries.invalidateQueries({ queryKey: ["files", this.project] });
  }
}

const busy = ({ state }: Upload) => state === "sending" || state === "interrupted" || state === "finishing";

/** The uploads of this tab. */
class Uploads {
  private list: readonly Upload[] = [];
  private readonly jobs = new Map<number, Job>();
  private readonly listeners = new Set<() => void>();
  private last = 0;

  /** All uploads, in the order in which they were begun. */
  readonly all = () => this.list;

  /** Calls back when `all` changes, until the returned function is called. */
  readonly watch = (listener: () => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** Reports whether a session on the server belongs to an upload of this tab. */
  owns(session: string): boolean {
    return [...this.jobs.values()].some(({ begun }) => begun === session);
  }

  /** Reports whether closing the page would interrupt an upload. */
  get unfinished(): boolean {
    return this.list.some((upload) => upload.state === "waiting" || busy(upload));
  }

  /** Begins to upload files to a project; `storage` is an ID, or undefined for the project's storage. */
  add(project: string, files: File[], storage: string | undefined): void {
    const added = files.map((file): Upload => {
      this.last++;
      this.jobs.set(this.last, new Job(project, file, storage));
      return { id: this.last, project, name: file.name, size: file.size, state: "waiting", sent: 0, error: null };
    });
    this.show([...this.list, ...added]);
    this.beginNext();
  }

  /** Retries a failed upload. It sends only the chunks that the server does not have yet. */
  resume(id: number): void {
    const job = this.jobs.get(id);
    if (job) {
      job.stop = new AbortController();
      this.set(id, { state: "waiting", error: null });
      this.beginNext();
    }
  }

  /** Stops an upload and deletes its data on the server. A finished upload is only removed from the list. */
  cancel(id: number): void {
    const gone = this.list.find((upload) => upload.id === id);
    const job = this.jobs.get(id);
    this.jobs.delete(id);
    this.show(this.list.filter((upload) => upload.id !== id));
    if (gone && job && gone.state !== "done") {
      job.forget();
      job.stop.abort();
      if (!busy(gone)) {
        void job.discard();
      }
    }
    this.beginNext();
  }

  /** Removes finished uploads from the list. */
  clearDone(): void {
    for (const { id, state } of this.list) {
      if (state === "done") {
        this.jobs.delete(id);
      }
    }
    this.show(this.list.filter(({ state }) => state !== "done"));
  }

  private beginNext(): void {
    const next = this.list.find(({ state }) => state === "waiting");
    if (next && this.list.filter(busy).length < atOnce) {
      this.set(next.id, { state: "sending" });
      void this.run(next.id).finally(() => this.beginNext());
      this.beginNext();
    }
  }

  private async run(id: number): Promise<void> {
    const job = this.jobs.get(id)!;
    const { signal } = job.stop;
    try {
      await job.run((parts) => this.set(id, parts));
      this.set(id, { state: "done", sent: job.file.size });
    } catch (error) {
      if (signal.aborted) {
        await job.discard();
      } else {
        this.set(id, { state: "failed", error });
      }
    }
  }

  private set(id: number, parts: Partial<Upload>): void {
    this.show(this.list.map((upload) => (upload.id === id ? { ...upload, ...parts } : upload)));
  }

  private show(next: readonly Upload[]): void {
    this.list = next;
    for (const listener of this.listeners) {
      listener();
    }
  }
}

export const uploads = new Uploads();

/** Returns all uploads of this tab. The component is rendered again when they change. */
export function useUploads(): readonly Upload[] {
  return useSyncExternalStore(uploads.watch, uploads.all);
}

/**
 * Reports whether an error means that the upload should wait and continue. That is the case if
 * there was no response, if a proxy could not reach the server, or if the login has expired.
 */
function isInterruption(error: unknown): boolean {
  return [0, 401, 502, 503, 504].includes(statusOf(error)) && !(error instanceof DOMException);
}

/** Repeats `work` after a pause until it succeeds or the server refuses it. */
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

/**
 * Waits for a callback. `begin` starts the wait with a function to call when it is over, and
 * returns the function that stops waiting.
 */
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

// Warn the user, because closing the page would abort running uploads.
window.addEventListener("beforeunload", (event) => {
  if (uploads.unfinished) {
    event.preventDefault();
  }
});
