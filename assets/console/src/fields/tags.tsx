import { TagsInput } from "@mantine/core";
import type { FieldProps } from "./field";

const separators = /[,，、]/;

/** Short texts, each completed with a comma or Enter. */
export function TagsField({ max, onChange, ...props }: FieldProps<string[]> & { max?: number; placeholder?: string }) {
  // Several may arrive at once, for example from the clipboard.
  const split = (texts: string[]) =>
    onChange([...new Set(texts.flatMap((text) => text.split(separators)).map((text) => text.trim()))].filter(Boolean).slice(0, max));
  return <TagsInput splitChars={[",", "，", "、"]} acceptValueOnBlur {...(max ? { maxTags: max } : {})} {...props} onChange={split} />;
}
