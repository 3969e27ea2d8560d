// Remembers which feedback was opened in this browser. Feedback counts as unread if it has no reply
// and was not opened.

import { useCallback, useMemo } from "react";
import { useRemembered } from "../../core/storage";

/** The maximum number of IDs that are remembered. */
const most = 500;

/** Returns the IDs of opened feedback, and the function that adds one. */
export function useRead(project: string): [ReadonlySet<string>, (id: string) => void] {
  const [text, remember] = useRemembered(`feedbacks.read.${project}`);
  const read = useMemo(() => new Set(text?.split(" ")), [text]);
  const note = useCallback(
    (id: string) => {
      if (!read.has(id)) {
        remember([...read, id].filter(Boolean).slice(-most).join(" "));
      }
    },
    [read, remember],
  );
  return [read, note];
}
