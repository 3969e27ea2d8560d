// Changes of several records in one request.

import { useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { type Admin, clientOf } from "../core/client";
import { noticeDone, noticeFailure } from "../core/notice";
import { useProjectKey } from "../core/project";
import { useTexts } from "../core/texts";

/** A change that gives several records the same value. */
export interface BulkChange<R, V> {
  send(admin: Admin, ids: string[], value: V): Promise<unknown>;
  /** The value of a record before the change. */
  former(record: R): V;
}

/**
 * Returns the function that gives records of the resource `name` a value and reports whether it
 * succeeded. A failed request changes nothing, and the server's message is shown. The notice offers to give
 * each record its former value again.
 */
export function useBulk(name: string) {
  const texts = useTexts();
  const queries = useQueryClient();
  const [project] = useProjectKey();
  return useCallback(
    async function bulk<R extends { id: string }, V>(
      records: readonly R[],
      value: V,
      { send, former }: BulkChange<R, V>,
      done: string,
    ): Promise<boolean> {
      const { admin } = clientOf(project);
      const act = async (work: () => Promise<unknown>, message: string, undo?: () => void) => {
        try {
          await work();
          noticeDone(texts, message, undo);
          return true;
        } catch (error) {
          noticeFailure(texts, error);
          return false;
        } finally {
          void queries.invalidateQueries({ queryKey: [name, project] });
        }
      };
      const before = new Map<V, R[]>();
      for (const record of records) {
        const old = former(record);
        if (old !== value) {
          before.set(old, [...(before.get(old) ?? []), record]);
        }
      }
      const restore = async () => {
        for (const [old, some] of before) {
          await send(admin, idsOf(some), old);
        }
      };
      return act(
        () => send(admin, idsOf(records), value),
        done,
        before.size > 0 ? () => void act(restore, texts.common.undone) : undefined,
      );
    },
    [texts, queries, name, project],
  );
}

const idsOf = (records: readonly { id: string }[]) => records.map(({ id }) => id);
