// The editor for Markdown and JSON. It is a separate module, because it is large: it is only loaded
// when such a field is shown for the first time.

import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json, jsonParseLinter } from "@codemirror/lang-json";
import { markdown, markdownLanguage } from "@codemirror/lang-markdown";
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from "@codemirror/language";
import { linter } from "@codemirror/lint";
import { Compartment, EditorState, type Extension } from "@codemirror/state";
import { drawSelection, EditorView, highlightSpecialChars, keymap, placeholder } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { useEffect, useLayoutEffect, useRef } from "react";
import type { EditorProps } from "./editor";
import classes from "./fields.module.css";

const highlight = HighlightStyle.define([
  { tag: [tags.heading, tags.strong], fontWeight: "600" },
  { tag: tags.emphasis, fontStyle: "italic" },
  { tag: tags.strikethrough, textDecoration: "line-through" },
  { tag: [tags.link, tags.url, tags.propertyName], color: "var(--mantine-primary-color-light-color)" },
  { tag: [tags.monospace, tags.string], color: "light-dark(var(--mantine-color-teal-9), var(--mantine-color-teal-3))" },
  { tag: [tags.number, tags.bool, tags.null], color: "light-dark(var(--mantine-color-grape-9), var(--mantine-color-grape-3))" },
  { tag: [tags.processingInstruction, tags.quote, tags.punctuation], color: "var(--mantine-color-dimmed)" },
]);

const languages: Record<EditorProps["language"], Extension> = {
  markdown: [markdown({ base: markdownLanguage }), EditorView.lineWrapping],
  json: [json(), linter((view) => (view.state.doc.length ? jsonParseLinter()(view) : [])), bracketMatching(), indentOnInput()],
};

const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? "";

// When a user types over styled text, Chrome adds a style attribute, which the
// Content-Security-Policy refuses. So insert the text here instead.
const typing = EditorView.domEventHandlers({
  beforeinput(event, view) {
    if (event.inputType !== "insertText" || event.isComposing || event.data === null || view.state.selection.main.empty) {
      return false;
    }
    event.preventDefault();
    view.dispatch(view.state.replaceSelection(event.data), { userEvent: "input.type", scrollIntoView: true });
    return true;
  },
});

const common: Extension = [
  typing,
  EditorView.cspNonce.of(nonce),
  history(),
  drawSelection(),
  highlightSpecialChars(),
  syntaxHighlighting(highlight),
  // Tab moves to the next field, so that keyboard users are not trapped.
  keymap.of([...defaultKeymap, ...historyKeymap]),
  EditorState.tabSize.of(2),
];

/** Returns the attributes that give screen readers the name and the description of the text. */
function attributes({ label, describedBy, invalid, required }: EditorProps): Extension {
  return EditorView.contentAttributes.of({
    tabindex: "0",
    "aria-label": label,
    "aria-invalid": String(invalid),
    "aria-required": String(required),
    ...(describedBy ? { "aria-describedby": describedBy } : {}),
  });
}

export default function CodeMirror(props: EditorProps) {
  const parent = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const described = useRef(new Compartment());
  const latest = useRef(props);
  latest.current = props;

  // A layout effect runs before the page is painted, so that the place of the editor is never
  // empty.
  useLayoutEffect(() => {
    const editor = new EditorView({
      parent: parent.current!,
      state: EditorState.create({
        doc: props.value,
        extensions: [
          common,
          languages[props.language],
          described.current.of(attributes(props)),
          EditorState.readOnly.of(props.disabled),
          props.placeholder ? placeholder(props.placeholder) : [],
          EditorView.updateListener.of((update) => update.docChanged && latest.current.onChange(update.state.doc.toString())),
        ],
      }),
    });
    view.current = editor;
    return () => editor.destroy();
  }, [props.language, props.disabled]);

  useEffect(() => {
    const editor = view.current;
    if (editor && editor.state.doc.toString() !== props.value) {
      editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: props.value } });
    }
  }, [props.value]);

  useEffect(() => {
    view.current?.dispatch({ effects: described.current.reconfigure(attributes(props)) });
  }, [props.label, props.describedBy, props.invalid, props.required]);

  return (
    <div ref={parent} className={classes.editor} data-invalid={props.invalid || undefined} data-disabled={props.disabled || undefined} />
  );
}
