// A text that is typed in a field and kept elsewhere, such as in the address.

import { useDebouncedCallback } from "@mantine/hooks";
import { useEffect, useRef, useState } from "react";

interface Draft {
  value: string;
  onChange(text: string): void;
  onBlur(): void;
}

interface Options {
  /** Milliseconds after the last key until the text is taken over. */
  pause?: number;
  /** What is kept of a typed text. */
  read?: (typed: string) => string;
}

const all = (typed: string) => typed;

/** Has a typed text taken over when typing pauses, or at once when the field is left. */
export function useDraft(value: string, commit: (text: string) => void, { pause = 500, read = all }: Options = {}): Draft {
  const [draft, setDraft] = useState(value);
  // The texts committed last that have not come back as the value yet, preceded by the last value that did.
  const sent = useRef([value]);
  const later = useDebouncedCallback((typed: string) => {
    const text = read(typed);
    if (text !== sent.current.at(-1)) {
      sent.current.push(text);
      commit(text);
    }
  }, pause);
  // A text typed here must not come back to the field, because it would undo keys typed since. A value set elsewhere
  // does.
  useEffect(() => {
    const at = sent.current.indexOf(value);
    if (at >= 0) {
      sent.current = sent.current.slice(at);
      return;
    }
    sent.current = [value];
    later.cancel();
    setDraft(value);
  }, [value, later]);
  return {
    value: draft,
    onChange(text) {
      setDraft(text);
      later(text);
    },
    onBlur: () => later.flush(),
  };
}
