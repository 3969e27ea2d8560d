// Immediate actions: each shows a notice with "undo", or the error.

import { useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { noticeDone, noticeFailure } from "../core/notice";
import { useTexts } from "../core/texts";

/**
 * What does something to records of a resource and asks for its lists again. `done` is what the
 * notice says; `undo` stands in it as a button. The result is null when it failed.
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
