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

/** A text that is edited as code; until the editor is loaded, the text stands there as high as in it. */
export function Editor(props: EditorProps) {
  return (
    <Suspense
      fallback={
        <div className={classes.unedited} data-language={props.language} aria-hidden>
          {/* A line break at the end has no height of its own. */}
          {props.value ? `${props.value}\n` : props.placeholder}
        </div>
      }
    >
      <CodeMirror {...props} />
    </Suspense>
  );
}
