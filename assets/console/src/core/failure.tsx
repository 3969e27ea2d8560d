// Shown in place of something that could not be loaded.

import { Alert, Button, Group, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { messagesOf, requestIdOf } from "./client";
import { CopyButton } from "./copy";
import { useTexts } from "./texts";

export function Failure({ error, retry }: { error: unknown; retry?: (() => void) | undefined }) {
  const { common } = useTexts();
  const request = requestIdOf(error);
  const said = messagesOf(error).join("\n");
  return (
    <Alert color="red" role="alert" icon={<IconAlertTriangle aria-hidden />} title={common.failed}>
      <Text size="sm" className="lines">
        {said}
      </Text>
      {request && (
        <Text size="xs" mt={4}>
          {common.requestId} <code>{request}</code>
        </Text>
      )}
      <Group gap="xs" mt="xs">
        {retry && (
          <Button variant="default" size="compact-sm" onClick={retry}>
            {common.retry}
          </Button>
        )}
        <CopyButton text={request ? `${said}\n${common.requestId} ${request}` : said} />
      </Group>
    </Alert>
  );
}
