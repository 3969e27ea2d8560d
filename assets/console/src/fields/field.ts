import type { ReactNode } from "react";

/** Properties of all fields. `getInputProps` of a form returns value, change handler and error. */
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
