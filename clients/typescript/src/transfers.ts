// Transfers of files: verified downloads and uploads in chunks. Loaded when
// needed; in browsers it is a separate file.

import type { AdminNamespace, UploadOptions, UploadSource } from "./client.js";
import { SvcConnectionError, SvcError } from "./errors.js";
import type { Host, Sink, Slices } from "./host.js";
import type { Fixed } from "./http.js";
import { connectionError, limited, parts, pause } from "./http.js";
import { checkOptions } from "./options.js";
import { hex, ownLink, retryDelay } from "./rules.js";
import type { UploadSession, File as StoredFile } from "./schema.js";
import type { Download, DownloadOptions, DownloadTarget } from "./updates.js";

/** Bytes in memory, for streams and for browsers. */
function memorySink(to: WritableStream<Uint8Array> | undefined): Sink {
  let parts: Uint8Array[] = [];
  const whole = () => new Blob(parts as BlobPart[]);
  return {
    size: 0,
    write(chunk) {
      parts.push(chunk);
      this.size += chunk.length;
    },
    reset() {
      parts = [];
      this.size = 0;
    },
    async digest() {
      // `subtle` is not available on pages without HTTPS.
      const hash = await (crypto.subtle as SubtleCrypto | undefined)?.digest("SHA-256", await whole().arrayBuffer());
      return hash ? hex(new Uint8Array(hash)) : null;
    },
    async finish() {
      if (!to) {
        return { blob: whole() };
      }
      await whole().stream().pipeTo(to);
      return {};
    },
    async discard() {
      parts = [];
      await to?.abort();
    },
  };
}

/** Downloads a file to `to`; see `Update.download`. */
export async function download(fixed: Fixed, url: string, to: DownloadTarget | undefined, options: DownloadOptions): Promise<Download> {
  checkOptions(options, "onProgress:function link:object signal:object");
  const { host } = fixed;
  const { signal, onProgress } = options;
  const own = ownLink(url);
  let sink: Sink | undefined;
  let etag: string | null = null;
  let total: number | null = null;
  const fail = (message: string): never => {
    throw new SvcConnectionError(message);
  };
  /** Reads the bytes of one response. Returns null if it broke off, and otherwise the failure to wait for. */
  const attempt = async (abort: AbortSignal): Promise<number | null> => {
    const from = etag && sink ? sink.size : 0;
    const headers: Record<string, string> = host.agent ? { "accept-encoding": "identity" } : {};
    if (from) {
      headers.range = `bytes=${from}-`;
      headers["if-range"] = etag!;
    }
    const wait = async <T>(work: () => Promise<T>): Promise<T> => {
      const { value, cause, failure } = await limited(fixed, fixed.timeoutMs, abort, work);
      if (failure) {
        throw connectionError(failure, cause);
      }
      return value as T;
    };
    const response = await wait(() => host.fetch(fixed.fetch, url, { headers, signal: abort, credentials: "omit" }, true));
    const { status } = response;
    if (status === 416 && sink) {
      await sink.reset();
      return 416;
    }
    if (status !== 200 && status !== 206) {
      return [502, 503, 504].includes(status) ? status : fail(`the download was answered with ${status}`);
    }
    const tag = response.headers.get("etag");
    const length = response.headers.get("content-encoding") ? null : response.headers.get("content-length");
    if (status === 206) {
      const [, start, size] = /^bytes (\d+)-\d+\/(\d+)$/.exec(response.headers.get("content-range") || "") || [];
      if (start === undefined || +start !== from || +size! !== total) {
        await sink?.reset();
        return status;
      }
    } else {
      total = length ? +length : null;
      etag = tag?.startsWith('"') ? tag : null;
      const hash = own ? /^"([0-9a-f]{64})"$/.exec(tag || "")?.[1] : "";
      if (hash === undefined || (own && total === null)) {
        return fail("the link names a file of the service, but its answer has no size and hash");
      }
      if (!sink) {
        sink = typeof to === "string" ? await host.sink(to, hash.slice(0, 16) || null) : memorySink(to);
        if (sink.size && sink.size < total!) {
          // An earlier process got this far. Only the rest is needed.
          await response.body?.cancel();
          return attempt(abort);
        }
      }
      await sink.reset();
    }
    const next = parts(response);
    for (let part: Uint8Array | undefined; (part = await wait(next)); ) {
      await sink!.write(part);
      onProgress?.(sink!.size, total);
      if (total !== null && sink!.size > total) {
        return fail("the download has another size than its record");
      }
    }
    return null;
  };

  try {
    let most = 0;
    for (let failures = 0; ; failures++) {
      let why: unknown;
      const { value, cause, failure } = await limited(fixed, 0, signal, attempt);
      if (failure === "aborted") {
        throw connectionError(failure, signal?.reason);
      }
      if (failure) {
        why = cause;
        if (cause instanceof SvcConnectionError && cause.cause === undefined && !cause.timeout) {
          throw cause;
        }
      } else if (value === null && (total === null || sink!.size >= total)) {
        break;
      }
      if (sink && (sink as Sink).size > most) {
        most = (sink as Sink).size;
        failures = -1;
      }
      const delay = failures < 4 ? retryDelay("GET", Math.max(failures, 0), 99, "connect", null, host.clock.random()) : null;
      if (delay === null) {
        throw why instanceof SvcConnectionError ? why : connectionError("body", why);
      }
      await pause(fixed, delay, signal);
    }
    const { size } = sink!;
    const sha256 = await sink!.digest();
    const verified = own && `"${sha256}"` === etag;
    if (total !== null && size !== total) {
      fail("the download has another size than its record");
    }
    if (own && !verified) {
      fail(sha256 ? "the download has another SHA-256 than its record" : "SHA-256 needs a secure context (HTTPS)");
    }
    return { ...(await sink!.finish()), size, sha256, verified };
  } catch (error) {
    await (sink as Sink | undefined)?.discard();
    throw error instanceof SvcError ? error : connectionError("body", error);
  }
}

/** Uploads a file in chunks and repeats failed ones, in at most three rounds. */
export async function upload(
  host: Host,
  admin: AdminNamespace,
  source: UploadSource,
  name: string,
  options: UploadOptions,
): Promise<StoredFile> {
  checkOptions(options, "storageBackendId:string uploadId:string signal:object");
  const { signal } = options;
  const file: Slices =
    typeof source === "string"
      ? await host.open(source)
      : source instanceof Blob
        ? source
        : await new Response(source as BodyInit).blob();
  let session: UploadSession = options.uploadId
    ? await admin.getUpload(options.uploadId, { signal })
    : await admin.createUpload(
        { filename: name, size: file.size, ...(options.storageBackendId && { storage_backend_id: options.storageBackendId }) },
        { signal },
      );
  const id = session.upload_id;
  for (let round = 1; ; round++) {
    const { chunk_size: size, total_chunks: total } = session;
    const there = new Set(session.received_chunks);
    try {
      for (let index = 0; index < total; index++) {
        if (!there.has(index)) {
          const bytes = await file.slice(index * size, Math.min((index + 1) * size, file.size)).arrayBuffer();
          await admin.putUploadChunk(id, index, new Uint8Array(bytes), { signal });
        }
      }
      return await admin.completeUpload(id, { signal });
    } catch (error) {
      if (round === 3 || signal?.aborted) {
        throw error;
      }
      session = await admin.getUpload(id, { signal });
    }
  }
}
