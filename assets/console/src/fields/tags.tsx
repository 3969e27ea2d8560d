import { TagsInput } from "@mantine/core";
import type { FieldProps } from "./field";

const separators = /[,，、]/;

/** A field for short texts. A comma or Enter completes a text. */
export function TagsField({ max, onChange, ...props }: FieldProps<string[]> & { max?: number; placeholder?: string }) {
  // A user can enter several texts at once, for example from the clipboard.
  const split = (texts: string[]) =>
    onChange([...new Set(texts.flatMap((text) => text.split(separators)).map((text) => text.trim()))].filter(Boolean).slice(0, max));
  return <TagsInput splitChars={[",", "，", "、"]} acceptValueOnBlur {...(max ? { maxTags: max } : {})} {...props} onChange={split} />;
}
