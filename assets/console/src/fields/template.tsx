// A field for a text with variables, such as {{ content }}. A click on a variable inserts it at the
// cursor.

import { Button, Group, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { useRef } from "react";
import { useTexts } from "../core/texts";
import type { FieldProps } from "./field";
import classes from "./fields.module.css";

export interface TemplateProps extends FieldProps<string> {
  variables: readonly string[];
  /** Whether the text has several lines. */
  lines?: boolean;
  maxLength?: number;
  placeholder?: string;
}

export function TemplateField({ variables, lines = false, value, onChange, ...input }: TemplateProps) {
  const { template } = useTexts().fields;
  const element = useRef<HTMLInputElement & HTMLTextAreaElement>(null);
  const put = (name: string) => {
    const written = `{{ ${name} }}`;
    const { selectionStart, selectionEnd } = element.current ?? {};
    const from = selectionStart ?? value.length;
    const to = selectionEnd ?? from;
    onChange(value.slice(0, from) + written + value.slice(to));
    requestAnimationFrame(() => {
      element.current?.focus();
      element.current?.setSelectionRange(from + written.length, from + written.length);
    });
  };
  const common = {
    ...input,
    ref: element,
    value,
    onChange: (event: { currentTarget: { value: string } }) => onChange(event.currentTarget.value),
  };
  return (
    <Stack gap={4}>
      {lines ? (
        <Textarea {...common} autosize minRows={6} maxRows={24} classNames={{ input: classes["mono"] ?? "" }} />
      ) : (
        <TextInput {...common} classNames={{ input: classes["mono"] ?? "" }} />
      )}
      <Group gap={4} role="group" aria-label={template.variables(input.label)}>
        <Text size="xs" c="dimmed">
          {template.insert}
        </Text>
        {variables.map((name) => (
          <Button
            key={name}
            size="compact-xs"
            variant="default"
            disabled={input.disabled ?? false}
            className={classes["mono"] ?? ""}
            onClick={() => put(name)}
          >
            {name}
          </Button>
        ))}
      </Group>
    </Stack>
  );
}
