// Actions that take effect immediately. They show a notice with "undo", or an error.

import { useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { noticeDone, noticeFailure } from "../core/notice";
import { useTexts } from "../core/texts";

/**
 * Returns the function that changes records of a resource and then refreshes its lists. `done` is
 * the text of the notice, and `undo` is the function of its button. On failure, the function
 * returns null.
 */
export function useAct(name: string) {
  const texts = useTexts();
  const queries = useQueryClient();
  return useCallback(
    async function act<T>(
      work: () => Promise<T>,
      done: string | ((result: T) => string),
      undo?: () => Promise<unknown>,
    ): Promise<T | null> {
      try {
        const result = await work();
        noticeDone(texts, typeof done === "string" ? done : done(result), undo && (() => void act(undo, texts.common.undone)));
        return result;
      } catch (error) {
        noticeFailure(texts, error, () => void act(work, done, undo));
        return null;
      } finally {
        void queries.invalidateQueries({ queryKey: [name] });
      }
    },
    [name, texts, queries],
  );
}
