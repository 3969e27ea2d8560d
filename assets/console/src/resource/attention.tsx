// How a form reacts to invalid fields: it counts them and focuses the first one.

import { Text } from "@mantine/core";
import { type RefObject, useEffect } from "react";
import { useTexts } from "../core/texts";

/** Shows the number of invalid fields, beside the save button. */
export function Attention({ errors }: { errors: object }) {
  const { common } = useTexts();
  const count = Object.values(errors).filter(Boolean).length;
  return (
    <Text size="sm" c="var(--mantine-color-error)" role="status">
      {count > 0 && common.attention(count)}
    </Text>
  );
}

const focusable = "input:not([disabled]), textarea, [contenteditable=true], button:not([disabled]), [tabindex='0']";

/** Returns the focusable field nearest to an error message. */
function fieldOf(message: Element, within: Element): HTMLElement | null {
  for (let part: Element | null = message; part && part !== within; part = part.parentElement) {
    const field = part.querySelector<HTMLElement>(focusable);
    if (field) {
      return field;
    }
  }
  return null;
}

/**
 * Focuses the first invalid field of a form after each failed attempt. `failed` is the time of the
 * last failed attempt, or null if there was none.
 */
export function useFirstProblem(form: RefObject<HTMLElement | null>, failed: number | null): void {
  useEffect(() => {
    if (failed === null) {
      return undefined;
    }
    // Wait a frame, because the field may be on a tab that the same change opens.
    const frame = requestAnimationFrame(() => {
      const first = form.current?.querySelector<HTMLElement>("[aria-invalid=true], .mantine-InputWrapper-error, .mantine-Switch-error");
      const field = first?.matches("[aria-invalid=true]") ? first : first && fieldOf(first, form.current!);
      field?.focus({ preventScroll: true });
      field?.scrollIntoView({ block: "center" });
    });
    return () => cancelAnimationFrame(frame);
  }, [failed]);
}
