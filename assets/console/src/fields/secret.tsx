// A field for a secret, which can be set but never read. The value null keeps the stored secret, a
// blank text removes it, and any other text replaces it.

import { Alert, Button, Group, PasswordInput, Stack, Textarea } from "@mantine/core";
import { useState } from "react";
import { CopyButton } from "../core/copy";
import { useTexts } from "../core/texts";
import type { FieldProps } from "./field";
import classes from "./fields.module.css";
import { randomSecret } from "./secrets";

export interface SecretProps extends FieldProps<string | null> {
  /** A placeholder that stands for the stored secret; null if there is none. */
  mask: string | null;
  /** Whether a random secret can be generated. */
  random?: boolean;
  /** Whether the secret has several lines, like a key file. */
  lines?: boolean;
  /** Whether the stored secret can be removed; true by default. */
  clearable?: boolean;
  placeholder?: string;
}

export function SecretField({
  value,
  onChange,
  mask,
  random = false,
  lines = false,
  clearable = true,
  placeholder,
  label,
  ...input
}: SecretProps) {
  const { secret } = useTexts().fields;
  const [visible, setVisible] = useState(false);
  if (value === "" && mask !== null) {
    return (
      <Alert color="yellow" title={label} py="xs">
        <Group justify="space-between" gap="xs">
          <span>{secret.cleared}</span>
          <Button size="compact-sm" variant="default" onClick={() => onChange(null)}>
            {secret.undo}
          </Button>
        </Group>
      </Alert>
    );
  }
  const common = {
    ...input,
    label,
    placeholder: mask ?? placeholder ?? "",
    autoComplete: "new-password",
    spellCheck: false,
    value: value ?? "",
    onChange: (event: { currentTarget: { value: string } }) => onChange(event.currentTarget.value || null),
  };
  return (
    <Stack gap={4}>
      {lines ? (
        <Textarea {...common} autosize minRows={3} maxRows={8} classNames={{ input: classes["mono"] ?? "" }} />
      ) : (
        <PasswordInput
          {...common}
          visible={visible}
          onVisibilityChange={setVisible}
          visibilityToggleButtonProps={{ "aria-label": visible ? secret.hide : secret.show, tabIndex: 0, "aria-hidden": false }}
          classNames={{ innerInput: classes["mono"] ?? "" }}
        />
      )}
      <Group gap="xs">
        {random && (
          <Button
            size="compact-sm"
            variant="default"
            onClick={() => {
              onChange(randomSecret());
              setVisible(true);
            }}
          >
            {secret.random}
          </Button>
        )}
        {random && value && <CopyButton text={value} label={secret.copy} />}
        {value && mask !== null && (
          <Button size="compact-sm" variant="subtle" onClick={() => onChange(null)}>
            {secret.keep}
          </Button>
        )}
        {!value && clearable && mask !== null && (
          <Button size="compact-sm" variant="subtle" color="red" onClick={() => onChange("")}>
            {secret.clear}
          </Button>
        )}
      </Group>
    </Stack>
  );
}
