import { PasswordInput, type PasswordInputProps } from "@mantine/core";
import { useState } from "react";
import { useTexts } from "../core/texts";

/** A password field with a button that shows the password. */
export function PasswordField(props: PasswordInputProps) {
  const { secret } = useTexts().fields;
  const [visible, setVisible] = useState(false);
  return (
    <PasswordInput
      aria-invalid={Boolean(props.error)}
      visible={visible}
      onVisibilityChange={setVisible}
      visibilityToggleButtonProps={{ "aria-label": visible ? secret.hide : secret.show }}
      {...props}
    />
  );
}
