// The settings of a project's integration with its repository. They are on two tabs, which are
// saved together.

import { Anchor, Button, Group, Stack, Tabs, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { CodehostIntegration, Webhook } from "svc-sdk";
import { choiceParam, useParams } from "../../core/address";
import { clientOf } from "../../core/client";
import { Failure } from "../../core/failure";
import { PageLink } from "../../core/go";
import { noticeDone } from "../../core/notice";
import { useProjectKey, useProjects } from "../../core/project";
import { useTexts } from "../../core/texts";
import { UnsavedGuard } from "../../core/unsaved";
import { SecretField } from "../../fields/secret";
import { maskOf } from "../../fields/secrets";
import { errorsOf } from "../../resource/form";
import { PageHead } from "../../resource/head";
import { Commands, Forwarding } from "./codehostapp";
import { check, type Draft, draftOf, fieldsOf } from "./integration";
import { WebhookTab } from "./webhook";

const operations = [
  "getCodehostIntegration",
  "updateCodehostIntegration",
  "getCodehostRepoTemplate",
  "getWebhook",
  "setWebhookSecret",
  "clearWebhook",
];

export default function CodehostPage() {
  const { codehost } = useTexts();
  const [project] = useProjectKey();
  const { data: projects } = useProjects();
  const { data, error, refetch } = useQuery({
    queryKey: ["codehost", project],
    queryFn: async ({ signal }) => {
      const { admin } = clientOf(project);
      const [integration, webhook] = await Promise.all([admin.getCodehostIntegration({ signal }), admin.getCodehostWebhook({ signal })]);
      return { integration, webhook };
    },
    enabled: project !== "",
  });
  const record = projects?.find(({ project_key }) => project_key === project);
  return (
    <Stack gap="md" maw={840}>
      <PageHead
        title={codehost.title}
        about={
          <>
            <Anchor size="sm" className="lone" underline="always" renderRoot={(props) => <PageLink to="/admin/projects" {...props} />}>
              {codehost.back}
            </Anchor>{" "}
            › <bdi>{record?.name}</bdi>
          </>
        }
        operations={operations}
      />
      {error && <Failure error={error} retry={() => void refetch()} />}
      {data && projects && <Integration key={project} project={project} initial={draftOf(data.integration, record)} {...data} />}
    </Stack>
  );
}

const params = { tab: choiceParam(["app", "webhook"]) };

function Integration({
  project,
  initial,
  integration,
  webhook,
}: {
  project: string;
  initial: Draft;
  integration: CodehostIntegration;
  webhook: Webhook;
}) {
  const texts = useTexts();
  const { codehost, common } = texts;
  const [{ tab }, change] = useParams(params);
  const queries = useQueryClient();
  const form = useForm<Draft>({ mode: "controlled", initialValues: initial });
  const save = useMutation({
    mutationFn: async (draft: Draft) => {
      const { admin } = clientOf(project);
      const integration = await admin.updateCodehostIntegration(fieldsOf(draft));
      if (draft.secret !== null) {
        await (draft.secret ? admin.setCodehostWebhookSecret({ secret: draft.secret.trim() }) : admin.clearCodehostWebhookSecret());
      }
      return integration;
    },
    onSuccess: async (saved) => {
      await queries.invalidateQueries({ queryKey: ["codehost", project] });
      const draft = draftOf(saved, undefined);
      form.setInitialValues(draft);
      form.setValues(draft);
      noticeDone(texts, common.saved);
    },
    onError: (error) => form.setErrors(errorsOf(error, Object.keys(form.values)).fields),
  });
  const rest = save.error ? errorsOf(save.error, Object.keys(form.values)).rest : [];
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        const problems = check(form.values, texts);
        form.setErrors(problems);
        if (Object.keys(problems).length === 0) {
          save.mutate(form.values);
        } else {
          change({ tab: Object.keys(problems).every((field) => field === "secret") ? "webhook" : "app" }, { replace: true });
        }
      }}
    >
      <Tabs value={tab} onChange={(next) => change({ tab: next === "webhook" ? "webhook" : "app" })} keepMounted={false}>
        <Tabs.List>
          <Tabs.Tab value="app">{codehost.tabs.app}</Tabs.Tab>
          <Tabs.Tab value="webhook">{codehost.tabs.webhook}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="app" pt="md">
          <Stack gap="lg">
            <TextInput
              label={codehost.repository}
              description={codehost.repositoryHint}
              placeholder="owner/name"
              maxLength={140}
              maw={420}
              {...form.getInputProps("repo_full_name")}
            />
            <Forwarding project={project} form={form} saved={integration} />
            <Commands form={form} saved={integration} />
          </Stack>
        </Tabs.Panel>
        <Tabs.Panel value="webhook" pt="md">
          <WebhookTab
            project={project}
            saved={webhook}
            secret={
              <SecretField
                label={codehost.webhook.secret}
                description={codehost.webhook.secretHint}
                random
                mask={maskOf(webhook.secret_length, webhook.secret_hint)}
                value={form.values.secret}
                error={form.errors["secret"]}
                onChange={(secret) => form.setFieldValue("secret", secret)}
              />
            }
          />
        </Tabs.Panel>
      </Tabs>
      <UnsavedGuard unsaved={form.isDirty()} />
      <Stack gap="sm" mt="lg">
        {save.error && rest.length > 0 && <Failure error={save.error} />}
        <Group gap="sm">
          <Button type="submit" loading={save.isPending}>
            {common.save}
          </Button>
          <Text size="xs" c="dimmed">
            {codehost.saveBoth}
          </Text>
        </Group>
      </Stack>
    </form>
  );
}
