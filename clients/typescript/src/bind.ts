// Creates the methods of a table: it maps arguments to requests and iterates
// over all pages of a list.

import type { Request } from "./http.js";
import type { Row } from "./methods.js";
import { checkOptions } from "./options.js";

/** Options of one call. */
export interface CallOptions {
  /** Aborts the call, even while it waits for a retry. */
  signal?: AbortSignal | undefined;
  /** Fields that are merged into the body last, for fields that a newer server supports but this library does not. */
  extra?: Record<string, unknown> | undefined;
  /**
   * Makes the change only if the record is still as it was when `onETag` got this text; otherwise the call rejects
   * with an `SvcApiError` of status 412.
   */
  ifMatch?: string | undefined;
  /** Gets the ETag of the record in the answer, for `ifMatch`. */
  onETag?: ((etag: string) => void) | undefined;
}

export type Data = Record<string, unknown>;

/** Sends the request of a row, with the caller's query or body as `data`. */
export type Call = (flags: string, request: Request, data: Data) => Promise<unknown>;

type Page = { total: number; data: unknown[] };

/** Creates the methods of a table, which send their requests with `call`. */
export function bind(table: Row[], call: Call): Record<string, (...args: never[]) => unknown> {
  const methods: Record<string, (...args: unknown[]) => unknown> = {};
  for (const [name, method, path, flags] of table) {
    const count = path.replace("{k}", "").split("{").length - 1;
    const kind = flags[0] || "";
    const run = async (...args: unknown[]): Promise<unknown> => {
      const data = kind ? args[count] : {};
      const options = (args[kind ? count + 1 : count] || {}) as CallOptions;
      checkOptions(options, "signal:object extra:object ifMatch:string onETag:function");
      const { signal, extra, ifMatch, onETag } = options;
      const request: Request = { method, path, signal, ifMatch, onETag, params: args.slice(0, count).map((arg) => String(arg ?? "")) };
      if (kind === "#") {
        request.raw = data as Uint8Array;
      }
      const fields = kind === "#" ? {} : { ...(data as Data), ...extra };
      if (kind === "?" || method === "GET") {
        request.query = fields;
      } else if (kind === "!" || Object.keys(fields).length) {
        request.body = fields;
      }
      return call(flags, request, fields);
    };
    methods[name] = run;
    if (flags.includes("*")) {
      methods[name.replace("list", "iter")] = async function* (query: unknown, options: unknown) {
        for (let offset = 0; ; ) {
          const page = (await run({ ...(query as Data), limit: 100, offset }, options)) as Page;
          yield* page.data;
          offset += page.data.length;
          if (!page.data.length || offset >= page.total) {
            return;
          }
        }
      };
    }
  }
  return methods;
}
