// The settings for purging copies of files at a CDN.

import { Alert, Badge, Button, Input, SegmentedControl, Stack, Switch, Text, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import type { CdnConfig } from "svc-sdk";
import { clientOf } from "../../core/client";
import { Failure } from "../../core/failure";
import { useFormat } from "../../core/format";
import { useTexts } from "../../core/texts";
import { SecretField } from "../../fields/secret";
import { ConfirmedButton, type SettingsForm, SettingsFormOf } from "./form";
import { Section } from "./layout";

interface Values {
  provider: string;
  enabled: boolean;
  access_key_id: string;
  access_key_secret: string | null;
}

const form: SettingsForm<CdnConfig, Values> = {
  name: "cdn",
  load: (admin, signal) => admin.getCdnConfig({ signal }),
  from: ({ provider, enabled, access_key_id }) => ({ provider, enabled, access_key_id: access_key_id ?? "", access_key_secret: null }),
  save: (admin, { access_key_secret, ...values }) =>
    admin.updateCdnConfig({ ...values, ...(access_key_secret !== null && { access_key_secret }) }),
};

export function CdnSection() {
  const { settings } = useTexts();
  const { cdn } = settings.storage;
  return (
    <Section title={cdn.title} description={cdn.description}>
      <SettingsFormOf
        form={form}
        actions={({ view, dirty, take }) => (
          <>
            <CdnTest dirty={dirty} />
            <ConfirmedButton
              label={settings.clearAll}
              title={cdn.clearTitle}
              text={cdn.clearText}
              disabled={view.updated_at === null}
              run={async () => take(await clientOf("").admin.clearCdnConfig())}
            />
          </>
        )}
      >
        {({ view, inputs }) => {
          const { values } = inputs;
          const provider = values.provider === "cloudflare" ? "cloudflare" : "aliyun";
          const same = values.provider === view.provider;
          const why = !view.dist_base_url ? cdn.noAddress : !view.configured ? cdn.noCredentials : !view.enabled ? settings.off : null;
          return (
            <>
              <div>
                <Badge color={why ? "gray" : "green"}>{why ? (view.configured ? settings.ready : settings.notReady) : cdn.effective}</Badge>
                {why && (
                  <Text size="sm" c="dimmed" mt={4}>
                    {why}
                  </Text>
                )}
              </div>
              <Switch
                label={cdn.enabled}
                checked={values.enabled}
                onChange={({ currentTarget }) => inputs.set("enabled", currentTarget.checked)}
              />
              <Stack gap={4} align="flex-start">
                <Input.Label labelElement="div" id="provider">
                  {cdn.provider}
                </Input.Label>
                <SegmentedControl
                  aria-labelledby="provider"
                  value={provider}
                  onChange={(next) => {
                    inputs.set("provider", next);
                    inputs.set("access_key_id", next === view.provider ? (view.access_key_id ?? "") : "");
                    inputs.set("access_key_secret", null);
                  }}
                  data={[
                    { value: "aliyun", label: cdn.providers.aliyun },
                    { value: "cloudflare", label: cdn.providers.cloudflare },
                  ]}
                />
                <Text size="xs" c="dimmed">
                  {cdn.providerHint} {cdn.permissions[provider]}
                </Text>
              </Stack>
              <TextInput
                label={cdn.id[provider]}
                maxLength={128}
                maw={400}
                autoComplete="off"
                value={values.access_key_id}
                error={inputs.bind("access_key_id").error}
                onChange={({ currentTarget }) => inputs.set("access_key_id", currentTarget.value)}
              />
              <SecretField
                label={cdn.secret[provider]}
                mask={same && view.has_access_key_secret ? "•".repeat(16) : null}
                {...inputs.bind("access_key_secret")}
              />
            </>
          );
        }}
      </SettingsFormOf>
    </Section>
  );
}

function CdnTest({ dirty }: { dirty: boolean }) {
  const { settings } = useTexts();
  const format = useFormat();
  const test = useMutation({ mutationFn: () => clientOf("").admin.testCdnConfig() });
  const { data } = test;
  return (
    <>
      <Button variant="default" loading={test.isPending} disabled={dirty} onClick={() => test.mutate()}>
        {settings.test}
      </Button>
      {dirty && (
        <Text size="xs" c="dimmed">
          {settings.testSaved}
        </Text>
      )}
      {test.error && <Failure error={test.error} />}
      {data && (
        <Alert role="status" w="100%" color={data.ok ? "green" : "red"} title={data.ok ? settings.worked : settings.failed}>
          {data.error && <Text size="sm">{data.error}</Text>}
          {data.url_remain !== null && data.url_quota !== null && (
            <Text size="sm">{settings.storage.cdn.remain(format.number(data.url_remain), format.number(data.url_quota))}</Text>
          )}
          <Text size="xs">{settings.took(`${format.number(data.latency_ms)} ms`)}</Text>
        </Alert>
      )}
    </>
  );
}
