// What a form says and does when it was not saved because of its fields.

import { Text } from "@mantine/core";
import { type RefObject, useEffect } from "react";
import { useTexts } from "../app/texts";

/** Says how many fields are wrong, beside the button that saves. */
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

/** The field that a message stands at: the nearest around it that can have the focus. */
function fieldOf(message: Element, within: Element): HTMLElement | null {
  for (let part: Element | null = message; part && part !== within; part = part.parentElement) {
    const field = part.querySelector<HTMLElement>(focusable);
    if (field) {
      return field;
    }
  }
  return null;
}

/** Gives the focus to the first wrong field of a form, each time that `failed` changes to another moment; null is none. */
export function useFirstProblem(form: RefObject<HTMLElement | null>, failed: number | null): void {
  useEffect(() => {
    if (failed === null) {
      return undefined;
    }
    // The field may be in a tab that is opened by the same change.
    const frame = requestAnimationFrame(() => {
      const first = form.current?.querySelector<HTMLElement>("[aria-invalid=true], .mantine-InputWrapper-error, .mantine-Switch-error");
      const field = first?.matches("[aria-invalid=true]") ? first : first && fieldOf(first, form.current!);
      field?.focus({ preventScroll: true });
      field?.scrollIntoView({ block: "center" });
    });
    return () => cancelAnimationFrame(frame);
  }, [failed]);
}
