// A text that is typed in a field but stored elsewhere, for example in the address.

import { useDebouncedCallback } from "@mantine/hooks";
import { useEffect, useRef, useState } from "react";

export interface Draft {
  value: string;
  onChange(text: string): void;
  onBlur(): void;
}

interface Options {
  /** Milliseconds after the last key until the text is committed. */
  pause?: number;
  /** Converts the typed text to the stored one. */
  read?: (typed: string) => string;
}

const all = (typed: string) => typed;

/**
 * Holds the text that is being typed. It commits the text when typing pauses, or immediately when
 * the field loses the focus.
 */
export function useDraft(value: string, commit: (text: string) => void, { pause = 500, read = all }: Options = {}): Draft {
  const [draft, setDraft] = useState(value);
  // The committed texts that have not come back as `value` yet, the last one at the end.
  const sent = useRef([value]);
  const later = useDebouncedCallback((typed: string) => {
    const text = read(typed);
    if (text !== sent.current.at(-1)) {
      sent.current.push(text);
      commit(text);
    }
  }, pause);
  // If `value` is a text that was committed here, keep the input, which may be newer. Any other
  // text was set elsewhere and replaces the input.
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
