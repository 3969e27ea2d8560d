// The app at the code host: identity, webhook, features and the template of issues.

import { Alert, Badge, Button, Checkbox, Group, Stack, Switch, Text, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import type { CodehostApp, CodehostAppTest } from "svc-sdk";
import { clientOf } from "../../core/client";
import { CopyButton } from "../../core/copy";
import { Failure } from "../../core/failure";
import { useFormat } from "../../core/format";
import { useTexts } from "../../core/texts";
import { Rendered } from "../../fields/markdown";
import { SecretField } from "../../fields/secret";
import { TemplateField } from "../../fields/template";
import { fill } from "../../fields/templates";
import type { Inputs } from "../../resource/resource";
import { ConfirmedButton, type SettingsForm, SettingsFormOf } from "./form";
import { Facts, Section, SettingsLayout } from "./layout";
import classes from "./settings.module.css";

interface Values {
  app_id: string;
  private_key: string | null;
  webhook_secret: string | null;
  enabled_features: CodehostApp["enabled_features"];
  feedback_issue_custom_template: boolean;
  feedback_issue_title_template: string;
  feedback_issue_body_template: string;
}

const features = ["feedback_issue", "comment_commands"] as const;

const form: SettingsForm<CodehostApp, Values> = {
  name: "codehost-app",
  load: (admin, signal) => admin.getCodehostAppConfig({ signal }),
  from: (view) => ({
    app_id: view.app_id ?? "",
    private_key: null,
    webhook_secret: null,
    enabled_features: view.enabled_features,
    feedback_issue_custom_template: view.feedback_issue_custom_template,
    feedback_issue_title_template: view.feedback_issue_title_template ?? "",
    feedback_issue_body_template: view.feedback_issue_body_template ?? "",
  }),
  save: (admin, { private_key, webhook_secret, ...values }) =>
    admin.updateCodehostAppConfig({
      ...values,
      ...(private_key !== null && { private_key }),
      ...(webhook_secret !== null && { webhook_secret }),
    }),
};

export default function CodehostAppPage() {
  const { settings } = useTexts();
  const { codehostApp } = settings;
  const format = useFormat();
  return (
    <SettingsLayout operations={["getCodehostApp", "updateCodehostApp", "resetCodehostApp", "testCodehostApp"]}>
      <SettingsFormOf
        form={form}
        actions={({ take, view }) => (
          <ConfirmedButton
            label={settings.clearAll}
            title={codehostApp.clearTitle}
            text={codehostApp.clearText}
            disabled={view.updated_at === null}
            run={async () => take(await clientOf("").admin.clearCodehostAppConfig())}
          />
        )}
      >
        {({ view, inputs, dirty }) => {
          const address = `${location.origin}${view.webhook_payload_path}`;
          return (
            <>
              <Section
                title={codehostApp.app}
                description={codehostApp.appDescription}
                aside={<Badge color={view.configured ? "green" : "gray"}>{view.configured ? settings.ready : settings.notReady}</Badge>}
              >
                <TextInput label={codehostApp.appId} maxLength={32} maw={400} inputMode="numeric" {...event(inputs.bind("app_id"))} />
                <SecretField
                  label={codehostApp.privateKey}
                  description={
                    view.private_key_fingerprint
                      ? settings.fingerprint(view.private_key_fingerprint, format.time(view.private_key_updated_at ?? 0))
                      : codehostApp.privateKeyHint
                  }
                  mask={view.has_private_key ? "•".repeat(16) : null}
                  placeholder="-----BEGIN RSA PRIVATE KEY-----"
                  lines
                  {...inputs.bind("private_key")}
                />
                <AppTest dirty={dirty} configured={view.configured} />
              </Section>
              <Section title={codehostApp.webhook} description={codehostApp.webhookDescription}>
                <Facts
                  facts={[
                    [
                      codehostApp.address,
                      <Group key="address" gap="xs">
                        <code>{address}</code>
                        <CopyButton text={address} />
                      </Group>,
                    ],
                  ]}
                />
                <SecretField
                  label={codehostApp.secret}
                  mask={view.webhook_secret_masked}
                  {...(view.webhook_secret_updated_at && {
                    description: `${settings.savedAt}: ${format.time(view.webhook_secret_updated_at)}`,
                  })}
                  random
                  {...inputs.bind("webhook_secret")}
                />
              </Section>
              <Section title={codehostApp.features} description={codehostApp.featuresDescription}>
                <Checkbox.Group {...inputs.bind("enabled_features")}>
                  <Stack gap="sm">
                    <Checkbox value={features[0]} label={codehostApp.feedbackIssue} />
                    <Checkbox value={features[1]} label={codehostApp.commentCommands} />
                  </Stack>
                </Checkbox.Group>
                <Text size="sm" component="div">
                  {codehostApp.permissions}
                  <ul className={classes["list"]}>
                    {inputs.values.enabled_features.includes("feedback_issue") && <li>{codehostApp.feedbackIssueNeeds}</li>}
                    {inputs.values.enabled_features.includes("comment_commands") && <li>{codehostApp.commentCommandsNeeds}</li>}
                    <li>{codehostApp.always}</li>
                  </ul>
                </Text>
              </Section>
              <Template view={view} inputs={inputs} />
            </>
          );
        }}
      </SettingsFormOf>
    </SettingsLayout>
  );
}

/** Adapts a form field to Mantine inputs, which pass events instead of texts. */
function event({ value, onChange, error }: ReturnType<Inputs<Values>["bind"]>) {
  return { value, error, onChange: ({ currentTarget }: { currentTarget: { value: string } }) => onChange(currentTarget.value) };
}

function Template({ view, inputs }: { view: CodehostApp; inputs: Inputs<Values> }) {
  const { codehostApp, builtin } = useTexts().settings;
  const { values } = inputs;
  const custom = values.feedback_issue_custom_template;
  const head = [...codehostApp.sample.content].slice(0, 60).join("");
  const sample: Record<string, string> = {
    project_key: "aurora",
    project_name: "Aurora",
    feedback_id: "k3v9x1",
    content: codehostApp.sample.content,
    content_head: head === codehostApp.sample.content ? head : `${head}…`,
    rating: "2/5",
    contact: codehostApp.sample.contact,
    user_id: "user-42",
    platform: "macos",
    platform_version: codehostApp.sample.version,
    created_at: "2026-05-04T09:30:00Z",
  };
  const title = (custom && values.feedback_issue_title_template.trim()) || view.builtin_feedback_issue_title_template;
  const body = (custom && values.feedback_issue_body_template.trim()) || view.builtin_feedback_issue_body_template;
  return (
    <Section
      title={codehostApp.template}
      description={codehostApp.templateDescription}
      aside={
        custom && (
          <Button
            variant="default"
            size="compact-sm"
            onClick={() => {
              inputs.set("feedback_issue_title_template", view.builtin_feedback_issue_title_template);
              inputs.set("feedback_issue_body_template", view.builtin_feedback_issue_body_template);
            }}
          >
            {codehostApp.restore}
          </Button>
        )
      }
    >
      <Switch
        label={codehostApp.custom}
        checked={custom}
        onChange={({ currentTarget }) => inputs.set("feedback_issue_custom_template", currentTarget.checked)}
      />
      {custom && (
        <>
          <TemplateField
            label={codehostApp.title}
            variables={view.feedback_issue_template_variables}
            maxLength={256}
            placeholder={view.builtin_feedback_issue_title_template}
            {...inputs.bind("feedback_issue_title_template")}
          />
          <TemplateField
            label={codehostApp.body}
            description={codehostApp.bodyHint}
            variables={view.feedback_issue_template_variables}
            lines
            maxLength={8192}
            placeholder={builtin}
            {...inputs.bind("feedback_issue_body_template")}
          />
        </>
      )}
      <Stack gap="xs" component="section" aria-label={codehostApp.preview}>
        <Text size="xs" c="dimmed">
          {codehostApp.preview}
        </Text>
        <Text fw={600}>{fill(title, sample)}</Text>
        <Rendered markdown={fill(body, sample)} />
      </Stack>
    </Section>
  );
}

function AppTest({ dirty, configured }: { dirty: boolean; configured: boolean }) {
  const { settings } = useTexts();
  const test = useMutation({ mutationFn: () => clientOf("").admin.testCodehostApp() });
  return (
    <Stack gap="xs" align="flex-start">
      <Button variant="default" loading={test.isPending} disabled={dirty || !configured} onClick={() => test.mutate()}>
        {settings.test}
      </Button>
      {dirty && configured && (
        <Text size="xs" c="dimmed">
          {settings.testSaved}
        </Text>
      )}
      {test.error && <Failure error={test.error} />}
      {test.data && <TestResult result={test.data} />}
    </Stack>
  );
}

function TestResult({ result }: { result: CodehostAppTest }) {
  const { settings } = useTexts();
  const { codehostApp } = settings;
  const format = useFormat();
  return (
    <Alert role="status" color={result.ok ? "green" : "red"} title={result.ok ? settings.worked : settings.failed}>
      <Stack gap={4}>
        {result.error && <Text size="sm">{result.error}</Text>}
        {result.name && (
          <Text size="sm">
            {codehostApp.name}: {result.name}
          </Text>
        )}
        {result.missing_permissions.length > 0 && (
          <Text size="sm">
            {codehostApp.missingPermissions}: {format.list(result.missing_permissions)}
          </Text>
        )}
        {result.missing_events.length > 0 && (
          <Text size="sm">
            {codehostApp.missingEvents}: {format.list(result.missing_events)}
          </Text>
        )}
        <Text size="xs">{settings.took(`${format.number(result.latency_ms)} ms`)}</Text>
      </Stack>
    </Alert>
  );
}
