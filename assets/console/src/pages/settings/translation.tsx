// The settings of the translation service, and the instructions for its model.

import { Alert, Badge, Button, Switch, Text, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import type { TranslationConfig } from "svc-sdk";
import { clientOf } from "../../core/client";
import { Failure } from "../../core/failure";
import { useFormat } from "../../core/format";
import { useTexts } from "../../core/texts";
import { SecretField } from "../../fields/secret";
import { Segments } from "../../fields/segments";
import { TemplateField } from "../../fields/template";
import { ConfirmedButton, type SettingsForm, SettingsFormOf } from "./form";
import { Facts, Section, SettingsLayout } from "./layout";
import { requestAddress } from "./requestaddress";
import classes from "./settings.module.css";

interface Values {
  enabled: boolean;
  provider: string;
  base_url: string;
  api_key: string | null;
  model: string;
  custom_prompt: boolean;
  system_prompt: string;
}

const form: SettingsForm<TranslationConfig, Values> = {
  name: "translation",
  load: (admin, signal) => admin.getTranslationConfig({ signal }),
  from: (view) => ({
    enabled: view.enabled,
    provider: view.provider,
    base_url: view.base_url ?? "",
    api_key: null,
    model: view.model ?? "",
    custom_prompt: view.custom_prompt,
    system_prompt: view.system_prompt ?? "",
  }),
  save: (admin, { api_key, ...values }) => admin.updateTranslationConfig({ ...values, ...(api_key !== null && { api_key }) }),
};

export default function TranslationPage() {
  const { settings } = useTexts();
  const { translation } = settings;
  const format = useFormat();
  return (
    <SettingsLayout operations={["getTranslationConfig", "updateTranslationConfig", "clearTranslationConfig", "testTranslation"]}>
      <SettingsFormOf
        form={form}
        actions={({ view, dirty, take }) => (
          <>
            <TranslationTest dirty={dirty} />
            <ConfirmedButton
              label={settings.clearAll}
              title={translation.clearTitle}
              text={translation.clearText}
              disabled={view.updated_at === null}
              run={async () => take(await clientOf("").admin.clearTranslationConfig())}
            />
          </>
        )}
      >
        {({ view, inputs }) => {
          const { values } = inputs;
          const final = requestAddress(values.provider, values.base_url);
          const state = view.configured ? (view.enabled ? settings.on : settings.off) : settings.notReady;
          return (
            <>
              <Section
                title={translation.service}
                description={translation.description}
                aside={<Badge color={view.configured && view.enabled ? "green" : "gray"}>{state}</Badge>}
              >
                <Switch
                  label={translation.enabled}
                  checked={values.enabled}
                  onChange={({ currentTarget }) => inputs.set("enabled", currentTarget.checked)}
                />
                <Segments
                  label={translation.protocol}
                  value={values.provider}
                  onChange={(provider) => inputs.set("provider", provider)}
                  choices={[
                    { value: "openai", label: translation.openai },
                    { value: "anthropic", label: translation.anthropic },
                  ]}
                />
                <TextInput
                  label={translation.address}
                  description={translation.addressHint}
                  type="url"
                  maxLength={512}
                  value={values.base_url}
                  error={inputs.bind("base_url").error}
                  onChange={({ currentTarget }) => inputs.set("base_url", currentTarget.value)}
                />
                <Facts facts={[[translation.final, final ? <code key="final">{final}</code> : translation.finalNone]]} />
                <TextInput
                  label={translation.model}
                  maxLength={128}
                  maw={400}
                  value={values.model}
                  error={inputs.bind("model").error}
                  onChange={({ currentTarget }) => inputs.set("model", currentTarget.value)}
                />
                <SecretField
                  label={translation.key}
                  description={
                    view.api_key_fingerprint
                      ? settings.fingerprint(view.api_key_fingerprint, format.time(view.api_key_updated_at ?? 0))
                      : translation.keyHint
                  }
                  mask={view.has_api_key ? "•".repeat(16) : null}
                  {...inputs.bind("api_key")}
                />
              </Section>
              <Section
                title={translation.prompt}
                aside={
                  values.custom_prompt && (
                    <Button variant="default" size="compact-sm" onClick={() => inputs.set("system_prompt", view.builtin_system_prompt)}>
                      {settings.codehostApp.restore}
                    </Button>
                  )
                }
              >
                <Switch
                  label={translation.custom}
                  checked={values.custom_prompt}
                  onChange={({ currentTarget }) => inputs.set("custom_prompt", currentTarget.checked)}
                />
                {values.custom_prompt ? (
                  <TemplateField
                    label={translation.promptText}
                    variables={view.prompt_variables}
                    lines
                    maxLength={8192}
                    {...inputs.bind("system_prompt")}
                  />
                ) : (
                  // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
                  <section className={classes["builtin"]} tabIndex={0} aria-label={settings.builtin}>
                    {view.builtin_system_prompt}
                  </section>
                )}
              </Section>
            </>
          );
        }}
      </SettingsFormOf>
    </SettingsLayout>
  );
}

function TranslationTest({ dirty }: { dirty: boolean }) {
  const { settings } = useTexts();
  const format = useFormat();
  const test = useMutation({ mutationFn: () => clientOf("").admin.testTranslation() });
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
      {test.data && (
        <Alert role="status" w="100%" color={test.data.ok ? "green" : "red"} title={test.data.ok ? settings.worked : settings.failed}>
          <Facts
            facts={[
              ...(test.data.error ? [[settings.state, test.data.error] as [string, string]] : []),
              ...(test.data.sample ? [[settings.translation.sample, test.data.sample] as [string, string]] : []),
              ...(test.data.request_url ? [[settings.translation.final, test.data.request_url] as [string, string]] : []),
            ]}
          />
          <Text size="xs" mt={4}>
            {settings.took(`${format.number(test.data.latency_ms)} ms`)}
          </Text>
        </Alert>
      )}
    </>
  );
}
