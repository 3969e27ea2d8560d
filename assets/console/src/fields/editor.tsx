import { Skeleton } from "@mantine/core";
import { lazy, Suspense } from "react";

export interface EditorProps {
  language: "markdown" | "json";
  value: string;
  onChange(value: string): void;
  label: string;
  describedBy: string | undefined;
  invalid: boolean;
  required: boolean;
  disabled: boolean;
  placeholder: string | undefined;
}

const CodeMirror = lazy(() => import("./codemirror"));

/** A text that is edited as code, with its space kept while the editor loads. */
export function Editor(props: EditorProps) {
  return (
    <Suspense fallback={<Skeleton h={160} />}>
      <CodeMirror {...props} />
    </Suspense>
  );
}
