// Instructions for a CDN that fetches files directly from a WebDAV server, without load on this server.

import { Button, Group, List, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import type { StorageBackend } from "svc-sdk";
import { CopyButton } from "../../core/copy";
import { useTexts } from "../../core/texts";
import { PasswordField } from "../../fields/password";
import { basicCredentials } from "../../fields/secrets";
import { Facts } from "./layout";

type Origin = NonNullable<StorageBackend["cdn_origin"]>;

export function Guide({ name, origin, username }: { name: string; origin: Origin; username: string }) {
  const { common, settings } = useTexts();
  const { guide } = settings.storage;
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button variant="default" size="compact-sm" onClick={() => setOpen(true)}>
        {guide.open}
      </Button>
      <Modal
        opened={open}
        onClose={() => setOpen(false)}
        title={guide.title(name)}
        size="lg"
        closeButtonProps={{ "aria-label": common.close }}
      >
        <Recipe origin={origin} username={username} />
      </Modal>
    </>
  );
}

function Recipe({ origin, username }: { origin: Origin; username: string }) {
  const { guide } = useTexts().settings.storage;
  // The user name and the password stay in this component: they are neither stored nor sent.
  const [user, setUser] = useState(username);
  const [password, setPassword] = useState("");
  const header = user || password ? basicCredentials(user, password) : "";
  const line = (text: string) => (
    <Group gap="xs">
      <code>{text}</code>
      <CopyButton text={text} />
    </Group>
  );
  return (
    <Stack gap="md">
      <Text size="sm">{guide.text}</Text>
      <Facts
        facts={[
          [guide.origin, line(`${origin.scheme}://${origin.host}`)],
          [guide.hostHeader, line(origin.host)],
          [guide.rewrite, line(`/f/(.*) → ${origin.path_prefix}/f/$1`)],
        ]}
      />
      <Text size="sm">{guide.authorizationHint}</Text>
      <Group grow align="flex-start">
        <TextInput label={guide.user} autoComplete="off" value={user} onChange={({ currentTarget }) => setUser(currentTarget.value)} />
        <PasswordField
          label={guide.password}
          autoComplete="new-password"
          value={password}
          onChange={({ currentTarget }) => setPassword(currentTarget.value)}
        />
      </Group>
      {header && <Facts facts={[[guide.authorization, line(`Authorization: ${header}`)]]} />}
      <List size="sm" spacing={4}>
        <List.Item>{guide.cookies}</List.Item>
        <List.Item>{guide.cache}</List.Item>
        <List.Item>{guide.deletion}</List.Item>
      </List>
    </Stack>
  );
}
