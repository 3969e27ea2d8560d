import { lazy, Suspense } from "react";
import classes from "./fields.module.css";

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

/**
 * A field for text that is edited as code. While the editor is being loaded, the field shows the
 * plain text at the same height.
 */
export function Editor(props: EditorProps) {
  return (
    <Suspense
      fallback={
        <div className={classes.unedited} data-language={props.language} aria-hidden>
          {/* Add a line break, because the last one in a text has no height of its own. */}
          {props.value ? `${props.value}\n` : props.placeholder}
        </div>
      }
    >
      <CodeMirror {...props} />
    </Suspense>
  );
}
