// The tab for the release webhook: the values to enter at the code host, the secret, and the last
// delivery.

import { Alert, Code, Group, List, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Webhook, WebhookDelivery } from "svc-sdk";
import { clientOf } from "../../core/client";
import { CopyIcon } from "../../core/copy";
import { useFormat } from "../../core/format";
import { useTexts } from "../../core/texts";
import { Tone, type ToneName } from "../../core/tone";

/** Milliseconds between two requests for the last delivery, while the user is waiting for it. */
const every = 2000;

export function WebhookTab({ project, saved, secret }: { project: string; saved: Webhook; secret: ReactNode }) {
  const { codehost } = useTexts();
  const { data: webhook } = useQuery({
    queryKey: ["codehost", project, "webhook"],
    queryFn: ({ signal }) => clientOf(project).admin.getCodehostWebhook({ signal }),
    initialData: saved,
    refetchInterval: saved.enabled && every,
  });
  const { webhook: texts } = codehost;
  const format = useFormat();
  const address = `${location.origin}${webhook.payload_path}`;
  const copied = (label: string, text: string) => (
    <List.Item>
      <Group gap={4}>
        <Text size="sm">{label}</Text>
        <Code className="lines">{text}</Code>
        <CopyIcon text={text} label={label} />
      </Group>
    </List.Item>
  );
  return (
    <Stack gap="md">
      <Text size="sm">{texts.intro}</Text>
      <Alert color={webhook.enabled ? "teal" : "yellow"} py="xs">
        {webhook.enabled ? texts.on(webhook.secret_updated_at ? format.time(webhook.secret_updated_at) : "") : texts.off}
      </Alert>
      <div>
        <Text size="sm" mb={4}>
          {texts.steps}
        </Text>
        <List size="sm" spacing={4}>
          {copied(texts.address, address)}
          {copied(texts.contentType, webhook.content_type)}
          <List.Item>{texts.events}</List.Item>
        </List>
      </div>
      {secret}
      {webhook.enabled ? (
        <LastDelivery delivery={webhook.last_delivery} />
      ) : (
        <Text size="sm" c="dimmed">
          {texts.test}
        </Text>
      )}
    </Stack>
  );
}

const tones: Record<string, ToneName> = { pong: "good", synced: "good", ignored: "info" };

function LastDelivery({ delivery }: { delivery: WebhookDelivery | null }) {
  const { codehost } = useTexts();
  const { last } = codehost.webhook;
  const format = useFormat();
  return (
    <Group gap="xs" role="status">
      {delivery ? (
        <>
          <Tone tone={tones[delivery.status]}>{last.states[delivery.status] ?? delivery.status}</Tone>
          <Text size="sm">
            {last.came(delivery.event, format.time(delivery.received_at))}{" "}
            {delivery.reason && (last.reasons[delivery.reason] ?? delivery.reason)}
          </Text>
        </>
      ) : (
        <Text size="sm" c="dimmed">
          {last.none}
        </Text>
      )}
    </Group>
  );
}
