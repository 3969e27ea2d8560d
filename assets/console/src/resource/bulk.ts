// Changes of several records in one request.

import { useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { type Admin, clientOf } from "../core/client";
import { noticeDone, noticeFailure } from "../core/notice";
import { useProjectKey } from "../core/project";
import { useTexts } from "../core/texts";

/**
 * Returns the function that changes several records of the resource `name` in one request. It
 * returns whether that succeeded. A failed request changes nothing, and the server's message is
 * shown.
 */
export function useBulk(name: string): (send: (admin: Admin) => Promise<unknown>, done: string) => Promise<boolean> {
  const texts = useTexts();
  const queries = useQueryClient();
  const [project] = useProjectKey();
  return useCallback(
    async (send, done) => {
      try {
        await send(clientOf(project).admin);
        noticeDone(texts, done);
        return true;
      } catch (error) {
        noticeFailure(texts, error);
        return false;
      } finally {
        void queries.invalidateQueries({ queryKey: [name, project] });
      }
    },
    [texts, queries, name, project],
  );
}
