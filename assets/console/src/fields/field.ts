import type { ReactNode } from "react";

/** What every field takes. `getInputProps` of a form gives value, change and error. */
export interface FieldProps<T> {
  value: T;
  onChange(value: T): void;
  error?: ReactNode;
  label: string;
  description?: ReactNode;
  required?: boolean;
  disabled?: boolean;
}

/** What `getInputProps` of a form gives for a text. */
export type TextProps = Pick<FieldProps<string>, "value" | "onChange" | "error">;
