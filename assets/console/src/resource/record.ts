// Finds one record by its ID, on the current page or else on the server.

import { useQuery } from "@tanstack/react-query";
import { useRef } from "react";
import { clientOf, statusOf } from "../core/client";
import type { List } from "./list";
import type { Resource } from "./resource";

export interface Found<R> {
  record: R | null;
  /** Whether there is no record with this ID, or none any longer. */
  gone: boolean;
  error: Error | null;
  retry(): void;
}

/** The part of a list in which a record is looked for. */
export type Listed<R> = Pick<List<R>, "project" | "data" | "stale">;

export function useRecord<R extends object, D extends object>(resource: Resource<R, D>, list: Listed<R>, id: string | undefined): Found<R> {
  const listed = list.data?.data.find((record) => resource.id(record) === id);
  // A record that leaves the list while it is shown stays visible until the server has reported its
  // state.
  const last = useRef<R | null>(null);
  if (listed) {
    last.current = listed;
  }
  const asked = useQuery({
    queryKey: [resource.name, list.project, "record", id],
    queryFn: ({ signal }) => resource.get!(clientOf(list.project).admin, id!, signal),
    enabled: Boolean(id && !listed && resource.get && list.data),
  });
  if (!id) {
    return { record: null, gone: false, error: null, retry: () => {} };
  }
  const gone =
    !listed &&
    (statusOf(asked.error) === 404 || asked.data === null || (!resource.get && list.data !== null && !list.stale && !last.current));
  const kept = last.current && resource.id(last.current) === id ? last.current : null;
  return {
    record: listed ?? (gone ? null : (asked.data ?? kept)),
    gone,
    error: listed || gone ? null : asked.error,
    retry: () => void asked.refetch(),
  };
}

/**
 * Returns the ETag of a record for If-Match, so that an edit fails if the record changes in the
 * meantime. If the server already has another state than `record`, the edit would start from
 * outdated data. In that case, the returned tag matches no state, so that the edit fails.
 */
export async function stateOf<R extends object>(
  record: R,
  read: (options: { onETag: (etag: string) => void }) => Promise<R>,
): Promise<string | undefined> {
  let state: string | undefined;
  const now = await read({
    onETag: (etag) => {
      state = etag;
    },
  });
  // A list may tell more of a record than the record itself has.
  const known = Object.fromEntries(Object.keys(now).map((field) => [field, record[field as keyof R]]));
  return JSON.stringify(now) === JSON.stringify(known) ? state : '"older"';
}
