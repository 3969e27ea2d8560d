// The form of a project.

import { Button, Divider, Group, NumberInput, Select, SimpleGrid, Stack, Switch, Text, TextInput } from "@mantine/core";
import { IconBrandGit } from "@tabler/icons-react";
import { useMutation, useQuery } from "@tanstack/react-query";
import type { Project } from "svc-sdk";
import { clientOf, messagesOf } from "../../core/client";
import { keyOf } from "../../core/projectkey";
import { useTexts } from "../../core/texts";
import { LanguageTabs } from "../../fields/languages";
import { MarkdownField } from "../../fields/markdown";
import { RangeField } from "../../fields/range";
import { TimeField } from "../../fields/time";
import type { Inputs } from "../../resource/resource";
import { RangeEffect } from "../../resource/usage";
import { Aliases } from "./aliases";
import { blank, type Draft, fillFrom } from "./draft";
import { Languages } from "./languages";

export function ProjectForm({ inputs: { values, errors, bind, set }, record }: { inputs: Inputs<Draft>; record: Project | null }) {
  const { projects } = useTexts();
  const { columns, form } = projects;
  const repository = useMutation({
    mutationFn: () => clientOf("").admin.previewCodehostRepo({ repo_url: values.repo_url.trim() }),
    onSuccess: (found) => {
      for (const [field, value] of Object.entries(fillFrom(values, found))) {
        set(field as keyof Draft, value as never);
      }
    },
  });
  const storage = useQuery({ queryKey: ["storage"], queryFn: ({ signal }) => clientOf("").admin.getStorage({ signal }) });
  const setName = (name: string) => {
    // Derive the key of a new project from its name until the user enters another key.
    if (!record && values.project_key === keyOf(values.name)) {
      set("project_key", keyOf(name));
    }
    set("name", name);
  };
  const address = (field: "author_homepage_url" | "icon_url" | "website_url" | "docs_url", label: string) => (
    <TextInput label={label} type="url" placeholder="https://" maxLength={field === "icon_url" ? 1024 : 512} {...bind(field)} />
  );
  const retention = (field: "stats_retention_days" | "event_retention_days", label: string) => (
    <NumberInput label={label} description={form.retention} min={1} max={365} allowDecimal={false} {...bind(field)} />
  );
  const longRetention = (field: "log_retention_days" | "feedback_retention_days", label: string) => (
    <NumberInput label={label} description={form.longRetention} min={1} max={3650} allowDecimal={false} {...bind(field)} />
  );
  return (
    <Stack gap="md">
      <Stack gap={4}>
        <Group gap="xs" align="flex-end">
          <TextInput
            label={columns.repository}
            description={form.repositoryHint}
            flex={1}
            miw={200}
            maxLength={512}
            placeholder="https://github.com/owner/name"
            {...bind("repo_url")}
          />
          <Button
            variant="default"
            leftSection={<IconBrandGit size={16} aria-hidden />}
            loading={repository.isPending}
            disabled={!values.repo_url.trim()}
            onClick={() => repository.mutate()}
          >
            {form.fetch}
          </Button>
        </Group>
        <Text size="xs" role="status" c={repository.error ? "var(--mantine-color-error)" : "dimmed"}>
          {repository.error ? messagesOf(repository.error).join("; ") : repository.data ? form.fetched : ""}
        </Text>
      </Stack>
      <LanguageTabs
        project={record?.project_key ?? ""}
        kind="project"
        base={{ name: values.name, description: values.description }}
        errors={errors}
        blank={blank}
        value={values.translations}
        onChange={(translations) => set("translations", translations)}
      >
        {(locale) => {
          if (locale === null) {
            return (
              <Stack gap="md">
                <TextInput
                  label={columns.name}
                  required
                  data-autofocus
                  maxLength={128}
                  dir="auto"
                  {...bind("name")}
                  onChange={({ currentTarget }) => setName(currentTarget.value)}
                />
                <MarkdownField label={columns.description} {...bind("description")} />
              </Stack>
            );
          }
          const translation = { ...blank, ...values.translations[locale] };
          const change = (part: Partial<typeof blank>) =>
            set("translations", { ...values.translations, [locale]: { ...translation, ...part } });
          return (
            <Stack gap="md">
              <TextInput
                label={columns.name}
                maxLength={128}
                dir="auto"
                placeholder={values.name}
                value={translation.name}
                onChange={({ currentTarget }) => change({ name: currentTarget.value })}
              />
              <MarkdownField
                label={columns.description}
                value={translation.description}
                onChange={(description) => change({ description })}
              />
            </Stack>
          );
        }}
      </LanguageTabs>
      <TextInput
        label={columns.key}
        description={record ? form.renameHint : form.keyHint}
        required
        maxLength={64}
        autoComplete="off"
        spellCheck={false}
        {...bind("project_key")}
      />
      <Divider label={form.addresses} labelPosition="left" />
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        {address("website_url", columns.website)}
        {address("docs_url", columns.docs)}
        <TextInput label={columns.author} maxLength={128} dir="auto" {...bind("author")} />
        {address("author_homepage_url", columns.authorUrl)}
        {address("icon_url", columns.icon)}
        <TimeField label={columns.published} {...bind("published_at")} />
      </SimpleGrid>
      <Divider label={form.updates} labelPosition="left" />
      <RangeField
        label={columns.range}
        description={form.rangeHint}
        min={bind("optional_update_min_comparable_version")}
        max={bind("optional_update_max_comparable_version")}
      />
      {record && (
        <RangeEffect
          project={record.project_key}
          min={values.optional_update_min_comparable_version}
          max={values.optional_update_max_comparable_version}
        />
      )}
      <Divider label={form.data} labelPosition="left" />
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        {retention("stats_retention_days", columns.statsRetention)}
        {retention("event_retention_days", columns.eventRetention)}
        {longRetention("log_retention_days", columns.logRetention)}
        {longRetention("feedback_retention_days", columns.feedbackRetention)}
      </SimpleGrid>
      <Switch
        label={columns.collection}
        description={form.collectionHint}
        checked={values.event_collection_enabled}
        onChange={({ currentTarget }) => set("event_collection_enabled", currentTarget.checked)}
      />
      <Divider label={form.files} labelPosition="left" />
      <Select
        label={columns.storage}
        description={form.storageHint}
        allowDeselect={false}
        data={[
          { value: "", label: form.storageDefault },
          ...(storage.data?.backends ?? []).map(({ id, name }) => ({ value: id, label: name })),
        ]}
        value={values.storage_backend_id}
        error={bind("storage_backend_id").error}
        onChange={(id) => set("storage_backend_id", id ?? "")}
      />
      <Switch
        label={columns.mirror}
        description={form.mirrorHint}
        checked={values.mirror_codehost_assets}
        onChange={({ currentTarget }) => set("mirror_codehost_assets", currentTarget.checked)}
      />
      {record && (
        <>
          <Languages project={record.project_key} />
          <Aliases project={record.project_key} />
        </>
      )}
    </Stack>
  );
}
