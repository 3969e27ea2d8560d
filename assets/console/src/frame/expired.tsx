// The login dialog that is shown over a page when the login has expired. Everything that was typed
// on the page is kept.

import { Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { logIn, messagesOf } from "../core/client";
import { logOut, useExpired, useSession } from "../core/session";
import { useTexts } from "../core/texts";
import { PasswordField } from "../fields/password";

// Prevents a dialog below from handling the Esc key.
const keepKeys = { "data-mantine-stop-propagation": true };

export function ExpiredDialog() {
  const { frame } = useTexts();
  const expired = useExpired();
  const username = useSession()?.username ?? "";
  const [password, setPassword] = useState("");
  const login = useMutation({
    mutationFn: () => logIn(username, password),
    onSuccess: () => setPassword(""),
  });
  return (
    <Modal
      opened={expired}
      onClose={() => undefined}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      title={frame.expired.title}
      zIndex={1000}
      centered
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          login.mutate();
        }}
      >
        <Stack gap="md">
          <Text size="sm">{frame.expired.text}</Text>
          <TextInput label={frame.username} value={username} readOnly autoComplete="username" {...keepKeys} />
          <PasswordField
            label={frame.password}
            autoComplete="current-password"
            data-autofocus
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
            error={login.error && messagesOf(login.error).join("; ")}
            {...keepKeys}
          />
          <Group justify="space-between" gap="xs">
            <Button variant="subtle" onClick={logOut} {...keepKeys}>
              {frame.expired.other}
            </Button>
            <Button type="submit" loading={login.isPending} {...keepKeys}>
              {frame.logIn}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
