import { Input } from "@mantine/core";
import { useId } from "react";
import { useTexts } from "../core/texts";
import { Editor } from "./editor";
import type { FieldProps } from "./field";
import { parseObject } from "./object";

/** A field for a JSON object, as text. A blank text means none. `parseObject` parses the text. */
export function JsonField({ value, onChange, error, label, description, required = false, disabled = false }: FieldProps<string>) {
  const { fields } = useTexts();
  const id = useId();
  const parsed = parseObject(value);
  const wrong = error ?? ("error" in parsed ? fields.json[parsed.error] : undefined);
  return (
    <Input.Wrapper
      labelElement="div"
      label={label}
      required={required}
      description={description ?? fields.json.description}
      descriptionProps={{ mb: 4 }}
      error={wrong}
      errorProps={{ id }}
    >
      <Editor
        language="json"
        value={value}
        onChange={onChange}
        label={label}
        describedBy={wrong ? id : undefined}
        invalid={Boolean(wrong)}
        required={required}
        disabled={disabled}
        placeholder="{}"
      />
    </Input.Wrapper>
  );
}
