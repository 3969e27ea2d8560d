// The tab for the code host's app, which creates issues from feedback and starts workflows from
// comments.

import {
  ActionIcon,
  Alert,
  Anchor,
  Button,
  Chip,
  Fieldset,
  Group,
  Input,
  Paper,
  Radio,
  SimpleGrid,
  Stack,
  Switch,
  Text,
  TextInput,
} from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useId } from "react";
import type { CodehostIntegration } from "svc-sdk";
import { clientOf } from "../../core/client";
import { Failure } from "../../core/failure";
import { PageLink } from "../../core/go";
import { useTexts } from "../../core/texts";
import classes from "../../fields/fields.module.css";
import { Rendered } from "../../fields/markdown";
import { TagsField } from "../../fields/tags";
import { TemplateField } from "../../fields/template";
import { fill } from "../../fields/templates";
import { type Association, associations, type CommandDraft, type Draft, offered, sample } from "./integration";

type Form = UseFormReturnType<Draft>;

/** Explains why a feature is not active although it is enabled. */
function Inactive({ saved, active, form }: { saved: boolean; active: boolean; form: Form }) {
  const { inactive } = useTexts().codehost;
  if (active) {
    return null;
  }
  const reason = !form.values.repo_full_name.trim() ? inactive.repository : saved ? inactive.app : inactive.unsaved;
  return (
    <Alert color="yellow" title={inactive.title} py="xs">
      {reason}{" "}
      {reason === inactive.app && (
        <Anchor
          size="sm"
          className="lone"
          underline="always"
          renderRoot={(props) => <PageLink to="/admin/settings/codehost-app" {...props} />}
        >
          {inactive.settings}
        </Anchor>
      )}
    </Alert>
  );
}

export function Forwarding({ project, form, saved }: { project: string; form: Form; saved: CodehostIntegration }) {
  const { codehost } = useTexts();
  const { source } = codehost;
  const { values } = form;
  const bind = form.getInputProps;
  const app = useQuery({
    queryKey: ["codehost-app"],
    queryFn: ({ signal }) => clientOf("").admin.getCodehostAppConfig({ signal }),
    enabled: values.feedback_issue_enabled,
  });
  return (
    <Stack gap="sm">
      <Switch
        label={codehost.forwarding}
        description={codehost.forwardingHint}
        {...form.getInputProps("feedback_issue_enabled", { type: "checkbox" })}
      />
      {values.feedback_issue_enabled && (
        <Stack gap="md" pl={{ base: 0, xs: "xl" }}>
          <Inactive saved={saved.feedback_issue_enabled} active={saved.feedback_issue_active} form={form} />
          <Radio.Group label={source.label} {...bind("feedback_issue_template_source")}>
            <Group gap="md" mt={8}>
              {(["inherit", "custom", "repo"] as const).map((choice) => (
                <Radio key={choice} value={choice} label={source[choice]} />
              ))}
            </Group>
          </Radio.Group>
          {values.feedback_issue_template_source === "custom" && (
            <>
              <TemplateField
                label={source.title}
                description={source.builtin}
                placeholder={app.data?.builtin_feedback_issue_title_template ?? ""}
                maxLength={256}
                variables={app.data?.feedback_issue_template_variables ?? []}
                {...texts(bind("feedback_issue_title_template"))}
              />
              <TemplateField
                label={source.body}
                description={source.builtin}
                lines
                placeholder={app.data?.builtin_feedback_issue_body_template ?? ""}
                maxLength={8192}
                variables={app.data?.feedback_issue_template_variables ?? []}
                {...texts(bind("feedback_issue_body_template"))}
              />
              <Preview
                title={values.feedback_issue_title_template || app.data?.builtin_feedback_issue_title_template || ""}
                body={values.feedback_issue_body_template || app.data?.builtin_feedback_issue_body_template || ""}
              />
            </>
          )}
          {values.feedback_issue_template_source === "repo" && <RepositoryTemplate project={project} form={form} />}
          <TagsField label={source.labels} description={source.labelsHint} max={8} {...tags(bind("feedback_issue_labels"))} />
        </Stack>
      )}
    </Stack>
  );
}

function RepositoryTemplate({ project, form }: { project: string; form: Form }) {
  const { source } = useTexts().codehost;
  const bind = form.getInputProps;
  const read = useMutation({
    mutationFn: () => clientOf(project).admin.getCodehostIntegrationRepoTemplate({ refresh: "true" }),
  });
  const template = read.data;
  return (
    <Stack gap="sm">
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <TextInput
          label={source.path}
          description={"\u00a0"}
          placeholder="docs/feedback.md"
          maxLength={256}
          {...bind("feedback_issue_template_repo_path")}
        />
        <TextInput label={source.ref} description={source.refHint} maxLength={128} {...bind("feedback_issue_template_repo_ref")} />
      </SimpleGrid>
      <Group gap="sm">
        <Button size="xs" variant="default" loading={read.isPending} onClick={() => read.mutate()}>
          {source.fetch}
        </Button>
        <Text size="xs" c="dimmed">
          {source.fetchHint}
        </Text>
      </Group>
      {read.error && <Failure error={read.error} />}
      {template?.error && (
        <Alert color="red" role="alert" py="xs">
          {template.error}
        </Alert>
      )}
      {template && !template.error && <Preview title={template.title_template ?? ""} body={template.body_template ?? ""} />}
    </Stack>
  );
}

function Preview({ title, body }: { title: string; body: string }) {
  const { source } = useTexts().codehost;
  return (
    <Paper withBorder p="sm" component="section" aria-label={source.preview}>
      <Text size="xs" c="dimmed" mb="xs">
        {source.preview}
      </Text>
      <Text fw={600} mb="xs">
        {fill(title, sample)}
      </Text>
      <Rendered markdown={fill(body, sample)} />
    </Paper>
  );
}

export function Commands({ form, saved }: { form: Form; saved: CodehostIntegration }) {
  const { codehost } = useTexts();
  const { allowed } = codehost;
  const { values } = form;
  const id = useId();
  const shown = associations.filter((name) => offered.includes(name) || values.command_allowed_associations.includes(name));
  return (
    <Stack gap="sm">
      <Switch
        label={codehost.commands}
        description={codehost.commandsHint}
        {...form.getInputProps("comment_commands_enabled", { type: "checkbox" })}
      />
      {values.comment_commands_enabled && (
        <Stack gap="md" pl={{ base: 0, xs: "xl" }}>
          <Inactive saved={saved.comment_commands_enabled} active={saved.comment_commands_active} form={form} />
          <Input.Wrapper labelElement="div" label={allowed.label} labelProps={{ id }} error={form.errors["command_allowed_associations"]}>
            <Chip.Group
              multiple
              value={values.command_allowed_associations}
              onChange={(names) => form.setFieldValue("command_allowed_associations", names as Association[])}
            >
              <Group gap={8} mt={4} role="group" aria-labelledby={id}>
                {shown.map((name) => (
                  <Chip key={name} value={name} size="xs" variant="light">
                    {allowed.names[name]}
                  </Chip>
                ))}
              </Group>
            </Chip.Group>
          </Input.Wrapper>
          {values.command_allowed_associations.includes("NONE") && (
            <Alert color="red" role="status" py="xs">
              {allowed.warning}
            </Alert>
          )}
          <TagsField
            label={allowed.users}
            description={allowed.usersHint}
            max={32}
            {...tags(form.getInputProps("command_allowed_users"))}
          />
          <CommandRows
            value={values.commands}
            error={form.errors["commands"]}
            onChange={(commands) => form.setFieldValue("commands", commands)}
          />
        </Stack>
      )}
    </Stack>
  );
}

function CommandRows({
  value,
  onChange,
  error,
}: {
  value: CommandDraft[];
  onChange: (value: CommandDraft[]) => void;
  error: React.ReactNode;
}) {
  const { rows } = useTexts().codehost;
  const change = (index: number, part: Partial<CommandDraft>) =>
    onChange(value.map((command, i) => (i === index ? { ...command, ...part } : command)));
  const placeholders = { name: "build", workflow: "build.yml", ref: "main", input: "args" };
  return (
    <Fieldset legend={rows.label} variant="unstyled" className={classes.group}>
      <Stack gap="xs">
        {value.map((command, i) => (
          <Group key={i} gap="xs" wrap="nowrap" align="flex-end" role="group" aria-label={rows.one(i + 1)}>
            <SimpleGrid cols={{ base: 2, xs: 4 }} spacing="xs" flex={1}>
              {(["name", "workflow", "ref", "input"] as const).map((field) => (
                <TextInput
                  key={field}
                  size="xs"
                  label={rows[field]}
                  placeholder={placeholders[field]}
                  leftSection={field === "name" ? <Text size="xs">/svc-</Text> : undefined}
                  leftSectionWidth={40}
                  maxLength={field === "name" ? 32 : field === "input" ? 64 : 128}
                  value={command[field]}
                  onChange={({ currentTarget }) => change(i, { [field]: currentTarget.value })}
                />
              ))}
            </SimpleGrid>
            <ActionIcon
              variant="subtle"
              color="gray"
              size={32}
              aria-label={rows.remove(i + 1)}
              onClick={() => onChange(value.filter((_, other) => other !== i))}
            >
              <IconTrash size={16} aria-hidden />
            </ActionIcon>
          </Group>
        ))}
        {error && <Input.Error>{error}</Input.Error>}
        <Group>
          <Button
            size="xs"
            variant="default"
            leftSection={<IconPlus size={16} aria-hidden />}
            disabled={value.length >= 16}
            onClick={() => onChange([...value, { name: "", workflow: "", ref: "", input: "" }])}
          >
            {rows.add}
          </Button>
        </Group>
      </Stack>
    </Fieldset>
  );
}

type Bound<T> = { value?: T; onChange: (value: T) => void; error?: React.ReactNode };

/** Adapts the binding of a form field to inputs that require a value. */
const texts = ({ value = "", onChange, error }: Bound<string>) => ({ value, onChange, error });
const tags = ({ value = [], onChange, error }: Bound<string[]>) => ({ value, onChange, error });
