import { Alert, Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { CopyButton } from "../../core/copy";
import { useTexts } from "../../core/texts";

/** Shows the text of an API key. The text is shown only once. */
export function ShownKey({ token, former, onDone }: { token: string; former?: string; onDone: () => void }) {
  const { tokens } = useTexts();
  return (
    <Stack gap="md">
      <Alert color="yellow" title={tokens.shown.title} icon={<IconAlertTriangle aria-hidden />}>
        {tokens.shown.text}
      </Alert>
      <Group gap="xs" align="flex-end" wrap="nowrap">
        <TextInput
          data-autofocus
          label={tokens.shown.key}
          value={token}
          readOnly
          flex={1}
          onFocus={({ currentTarget }) => currentTarget.select()}
        />
        <CopyButton text={token} size="sm" />
      </Group>
      {former && <Text size="sm">{former}</Text>}
      <Group justify="flex-end">
        <Button onClick={onDone}>{tokens.shown.done}</Button>
      </Group>
    </Stack>
  );
}
