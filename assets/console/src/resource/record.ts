// One record by its id: from the page that is shown, else from the server.

import { useQuery } from "@tanstack/react-query";
import { useRef } from "react";
import { clientOf, statusOf } from "../core/client";
import type { List } from "./list";
import type { Resource } from "./resource";

export interface Found<R> {
  record: R | null;
  /** Whether there is no such record, or no longer. */
  gone: boolean;
  error: Error | null;
  retry(): void;
}

export function useRecord<R extends object, D extends object>(resource: Resource<R, D>, list: List<R>, id: string | undefined): Found<R> {
  const listed = list.data?.data.find((record) => resource.id(record) === id);
  // An open record that leaves the list stays until the server has answered with its state.
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
 * The state that an edit of a record starts from, for If-Match. When the server has another one
 * already, the edit started from nothing that is there: the text that comes back matches no state.
 */
export async function stateOf<R>(
  record: R,
  read: (options: { onETag: (etag: string) => void }) => Promise<R>,
): Promise<string | undefined> {
  let state: string | undefined;
  const now = await read({
    onETag: (etag) => {
      state = etag;
    },
  });
  return JSON.stringify(now) === JSON.stringify(record) ? state : '"older"';
}
