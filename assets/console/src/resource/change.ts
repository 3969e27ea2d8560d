// Optimistic changes. A change appears immediately on every cached page. If the server refuses it,
// the record is restored and the server's message is shown.

import { type QueryClient, useMutation, useQueryClient } from "@tanstack/react-query";
import { type Admin, clientOf } from "../core/client";
import { noticeDone, noticeFailure } from "../core/notice";
import { useProjectKey } from "../core/project";
import { useTexts } from "../core/texts";
import type { Page } from "./resource";

interface Step<R> {
  project: string;
  record: R;
  patch: Partial<R>;
  done: string | undefined;
}

/**
 * Returns the function that changes fields of a record of the resource `name`. With `done`, it
 * shows a notice with "undo".
 */
export function useChange<R extends object>(
  name: string,
  id: (record: R) => string,
  send: (admin: Admin, record: R, patch: Partial<R>) => Promise<R>,
): (record: R, patch: Partial<R>, done?: string) => void {
  const texts = useTexts();
  const queries = useQueryClient();
  const [project] = useProjectKey();
  const mutationKey = [name, "change"];

  const show = (where: string, record: R, parts: Partial<R>) => showChange(queries, [name, where], id, record, parts);
  const { mutate } = useMutation({
    mutationKey,
    mutationFn: ({ project, record, patch }: Step<R>) => send(clientOf(project).admin, record, patch),
    onMutate: async ({ project, record, patch }) => {
      // Cancel pending requests, because their responses would not contain this change.
      await queries.cancelQueries({ queryKey: [name, project] });
      show(project, record, patch);
    },
    onError: (error, { project, record, patch }) => {
      show(project, record, formerly(record, patch));
      noticeFailure(texts, error);
    },
    onSuccess: (fresh, { project, record, patch, done }) => {
      show(project, record, fresh);
      if (done) {
        noticeDone(texts, done, () => mutate({ project, record: fresh, patch: formerly(record, patch), done: undefined }));
      }
    },
    onSettled: (_fresh, _error, { project }) => {
      // If several changes are in progress, only the last one refreshes the lists. Earlier
      // responses would be outdated.
      if (queries.isMutating({ mutationKey }) === 1) {
        void queries.invalidateQueries({ queryKey: [name, project] });
      }
    },
  });
  return (record, patch, done) => mutate({ project, record, patch, done });
}

/** Shows changed fields of a record on every cached page of `key`, which is the name of the resource and the project. */
export function showChange<R extends object>(
  queries: QueryClient,
  key: [name: string, project: string],
  id: (record: R) => string,
  record: R,
  parts: Partial<R>,
): void {
  const changed = (other: R): R => (id(other) === id(record) ? { ...other, ...parts } : other);
  queries.setQueriesData<Page<R>>({ queryKey: [...key, "list"] }, (page) => page && { ...page, data: page.data.map(changed) });
  queries.setQueriesData<R>({ queryKey: [...key, "record"] }, (other) => other && changed(other));
}

/** Returns the previous values of the fields that a patch changes. */
function formerly<R extends object>(record: R, patch: Partial<R>): Partial<R> {
  return Object.fromEntries(Object.keys(patch).map((field) => [field, record[field as keyof R]])) as Partial<R>;
}
