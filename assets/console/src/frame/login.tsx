// The login page. If the user is already logged in, it shows the requested page instead.

import { Box, Button, Group, Paper, Stack, Text, TextInput, Title } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useAddress } from "../core/address";
import { logIn, messagesOf } from "../core/client";
import { useSession } from "../core/session";
import { useTexts } from "../core/texts";
import { PasswordField } from "../fields/password";
import { LostBanner } from "./lost";
import { Mark } from "./mark";
import { safePath } from "./path";
import { Preferences } from "./preferences";

export default function LoginPage() {
  const { frame, common } = useTexts();
  const [address] = useAddress();
  const router = useRouter();
  const session = useSession();
  const [username, setUsername] = useState("");
  const [password, setPassword] = useState("");
  const login = useMutation({ mutationFn: () => logIn(username, password) });
  const next = safePath(address["returnTo"], location.origin);
  useEffect(() => {
    if (session) {
      // The router only knows the pages of the console.
      if (/^\/admin(\/|\?|#|$)/.test(next)) {
        void router.navigate({ href: next, replace: true });
      } else {
        location.replace(next);
      }
    }
  }, [session, next, router]);
  useEffect(() => {
    document.title = `${frame.logIn} · ${common.product}`;
  }, [frame, common]);
  if (session) {
    return null;
  }
  return (
    <Box component="main" maw={400} mx="auto" px="md" pt={{ base: 32, sm: 96 }} pb={32}>
      <LostBanner />
      <Group justify="space-between" mb="md">
        <Mark />
        <Preferences loggedIn={false} />
      </Group>
      <Paper withBorder p="lg">
        <form
          onSubmit={(event) => {
            event.preventDefault();
            login.mutate();
          }}
        >
          <Stack gap="md">
            <Title order={1} size="h3">
              {frame.logInTo}
            </Title>
            <TextInput
              label={frame.username}
              autoComplete="username"
              autoCapitalize="none"
              spellCheck={false}
              autoFocus
              required
              withAsterisk={false}
              value={username}
              onChange={(event) => setUsername(event.currentTarget.value)}
            />
            <PasswordField
              label={frame.password}
              autoComplete="current-password"
              required
              withAsterisk={false}
              value={password}
              onChange={(event) => setPassword(event.currentTarget.value)}
            />
            {login.error && (
              <Text role="alert" size="sm" c="var(--mantine-color-error)">
                {messagesOf(login.error).join("; ")}
              </Text>
            )}
            <Button type="submit" loading={login.isPending}>
              {frame.logIn}
            </Button>
          </Stack>
        </form>
      </Paper>
      <Text size="xs" c="dimmed" mt="md">
        {frame.firstLogin}
      </Text>
    </Box>
  );
}
