import type { ReactNode } from "react";

/**
 * The properties that all fields have in common. `getInputProps` of a form returns the value, the
 * change handler and the error.
 */
export interface FieldProps<T> {
  value: T;
  onChange(value: T): void;
  error?: ReactNode;
  label: string;
  description?: ReactNode;
  required?: boolean;
  disabled?: boolean;
}

/** The result of `getInputProps` for a text. */
export type TextProps = Pick<FieldProps<string>, "value" | "onChange" | "error">;
