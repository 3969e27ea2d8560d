// The form of a version.

import { Alert, Button, Group, Input, Popover, SegmentedControl, Select, SimpleGrid, Stack, Switch, Text, TextInput } from "@mantine/core";
import { IconBrandGit } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import type { CodehostReleasePreview, Version } from "svc-sdk";
import { messagesOf } from "../../core/client";
import { lazily } from "../../core/part";
import { useAdmin } from "../../core/project";
import { loadTexts, useTexts } from "../../core/texts";
import { deriveComparable } from "../../fields/comparable";
import { draftsOf, linksOf } from "../../fields/downloads";
import { JsonField } from "../../fields/json";
import { LanguageTabs } from "../../fields/languages";
import { LinksField } from "../../fields/links";
import { MarkdownField } from "../../fields/markdown";
import { PlatformsField } from "../../fields/platforms";
import { TimeField } from "../../fields/time";
import { VersionField } from "../../fields/version";
import { useChannels } from "../../resource/distribution";
import type { Inputs } from "../../resource/resource";
import { DeprecationEffect } from "../../resource/usage";
import { blank, type Draft, deprecationProblem, isOffered, releaseInto, type Stable, successorOf } from "./draft";

const PlanField = lazily(async () => {
  const [{ PlanField }] = await Promise.all([import("../../fields/planfield"), loadTexts("rollouts")]);
  return PlanField;
});

interface Props {
  inputs: Inputs<Draft>;
  record: Version | null;
  project: string;
  stable: Stable;
  /** Whether the project has a repository with releases. */
  repository: boolean;
}

export function VersionForm({ inputs, record, project, stable, repository }: Props) {
  const texts = useTexts();
  const { versions, fields } = texts;
  const { values, bind, set } = inputs;
  const setVersion = (version: string) => {
    const { comparable_version: comparable } = values;
    // Derive the comparable version from the display version until the user enters another one.
    if (comparable === "" || comparable === deriveComparable(values.version)) {
      set("comparable_version", deriveComparable(version) ?? (comparable && ""));
    }
    set("version", version);
  };
  const latest = values.is_latest;
  const channels = useChannels(project);
  return (
    <Stack gap="md">
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <Group gap="xs" align="flex-end" wrap="nowrap">
          <TextInput
            label={versions.columns.version}
            required
            data-autofocus
            flex={1}
            maxLength={64}
            autoComplete="off"
            spellCheck={false}
            {...bind("version")}
            onChange={({ currentTarget }) => setVersion(currentTarget.value)}
          />
          {repository && <FetchRelease onFetched={(release) => fill(inputs, releaseInto(values, release))} />}
        </Group>
        <VersionField label={versions.columns.comparable} required from={values.version} {...bind("comparable_version")} />
      </SimpleGrid>
      <LanguageTabs
        project={project}
        kind="version"
        base={{ title: values.title, content: values.content }}
        errors={inputs.errors}
        blank={blank}
        value={values.translations}
        onChange={(translations) => set("translations", translations)}
      >
        {(locale) => {
          const translation = locale === null ? values : { ...blank, ...values.translations[locale] };
          const change = (part: Partial<typeof blank>) =>
            locale === null
              ? Object.entries(part).map(([field, text]) => set(field as "title" | "content", text))
              : set("translations", { ...values.translations, [locale]: { ...blank, ...values.translations[locale], ...part } });
          return (
            <Stack gap="md">
              <TextInput
                label={versions.columns.title}
                maxLength={128}
                dir="auto"
                value={translation.title}
                error={locale === null ? bind("title").error : undefined}
                onChange={({ currentTarget }) => change({ title: currentTarget.value })}
              />
              <MarkdownField
                label={versions.columns.content}
                value={translation.content}
                error={locale === null ? bind("content").error : undefined}
                onChange={(content) => change({ content })}
              />
            </Stack>
          );
        }}
      </LanguageTabs>
      <LinksField label={versions.form.links} {...bind("download_links")} />
      <NoFile inputs={inputs} record={record} stable={stable} />
      <TextInput
        label={versions.columns.url}
        description={versions.form.urlHint}
        maxLength={2048}
        placeholder={values.download_links[0]?.url ?? "https://"}
        {...bind("download_url")}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
        <PlatformsField label={versions.columns.platforms} {...bind("platforms")} />
        <TimeField
          label={versions.columns.published}
          {...bind("published_at")}
          {...(!record && values.published_at === null && { description: versions.form.now })}
        />
      </SimpleGrid>
      <Input.Wrapper labelElement="div" label={versions.columns.flags}>
        <Stack gap="sm" mt={8}>
          {record ? (
            <Switch
              label={versions.flags.latest}
              description={versions.form.latest}
              error={bind("is_latest").error}
              checked={latest ?? false}
              onChange={({ currentTarget }) => set("is_latest", currentTarget.checked)}
            />
          ) : (
            <Input.Wrapper
              labelElement="div"
              label={versions.flags.latest}
              labelProps={{ fw: 400 }}
              description={latest === null ? versions.form.latestAuto : versions.form.latest}
              error={bind("is_latest").error}
            >
              <SegmentedControl
                size="xs"
                mt={4}
                aria-label={versions.flags.latest}
                value={String(latest)}
                onChange={(value) => set("is_latest", value === "null" ? null : value === "true")}
                data={[
                  { value: "null", label: versions.form.auto },
                  { value: "true", label: texts.common.yes },
                  { value: "false", label: texts.common.no },
                ]}
              />
            </Input.Wrapper>
          )}
          {(["preview", "milestone", "deprecated"] as const).map((flag) => (
            <Switch
              key={flag}
              label={versions.flags[flag]}
              description={versions.form[flag]}
              error={bind(`is_${flag}`).error}
              checked={values[`is_${flag}`]}
              onChange={({ currentTarget }) => {
                set(`is_${flag}`, currentTarget.checked);
                if (flag === "preview") {
                  set("channel", "");
                }
              }}
            />
          ))}
          <Deprecation {...{ values, record, stable, project }} />
        </Stack>
      </Input.Wrapper>
      <Select
        label={versions.columns.channel}
        description={versions.form.channel}
        placeholder={versions.form.auto}
        clearable
        data={channels}
        value={values.channel || null}
        error={bind("channel").error}
        onChange={(channel) => {
          set("channel", channel ?? "");
          if (channel) {
            set("is_preview", channel !== "stable");
          }
        }}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
        {(["semver", "sparkle"] as const).map((name) => (
          <TextInput
            key={name}
            label={versions.form.native[name]}
            description={versions.form.nativeHints[name]}
            placeholder={versions.form.auto}
            maxLength={64}
            autoComplete="off"
            spellCheck={false}
            value={values.native_versions[name]}
            error={errorOf(bind("native_versions").error, name)}
            onChange={({ currentTarget }) => set("native_versions", { ...values.native_versions, [name]: currentTarget.value })}
          />
        ))}
      </SimpleGrid>
      {!record && (
        <Input.Wrapper labelElement="div" label={versions.form.reach} description={versions.form.reaches[values.reach]}>
          <div>
            <SegmentedControl
              size="xs"
              mt={4}
              aria-label={versions.form.reach}
              value={values.reach}
              onChange={(reach) => set("reach", reach as Draft["reach"])}
              data={(["auto", "all", "steps"] as const).map((value) => ({ value, label: versions.form.reachNames[value] }))}
            />
          </div>
        </Input.Wrapper>
      )}
      {!record && values.reach === "steps" && (
        <PlanField label={versions.form.steps} value={values.plan} onChange={(plan) => set("plan", plan)} error={bind("plan").error} />
      )}
      <JsonField label={versions.columns.custom} description={fields.json.description} {...bind("custom_data")} />
    </Stack>
  );
}

/** Returns the error of both native versions for the one that it names. */
const errorOf = (error: ReactNode, name: "semver" | "sparkle") => (String(error ?? "").includes(`.${name} `) ? error : undefined);

/** Warns that the version has no downloads, and offers to copy the files of the previous version. */
function NoFile({ inputs: { values, set }, record, stable }: { inputs: Inputs<Draft>; record: Version | null; stable: Stable }) {
  const { form } = useTexts().versions;
  if (!isOffered(values, record, stable) || values.download_url.trim() || linksOf(values.download_links).length > 0) {
    return null;
  }
  const former = stable.find(({ id, download_links }) => id !== record?.id && download_links.length > 0);
  return (
    <Alert color="yellow" role="status" p="xs">
      <Group justify="space-between" gap="xs">
        <Text size="sm">{form.noFile(values.version.trim())}</Text>
        {former && (
          <Button size="compact-sm" variant="default" onClick={() => set("download_links", draftsOf(former.download_links))}>
            {form.keepLinks(former.version)}
          </Button>
        )}
      </Group>
    </Alert>
  );
}

function fill(inputs: Inputs<Draft>, draft: Draft): void {
  for (const [field, value] of Object.entries(draft)) {
    inputs.set(field as keyof Draft, value as never);
  }
}

/** Explains the consequences of deprecating this version, or why that is impossible. */
function Deprecation({ values, record, stable, project }: { values: Draft } & Pick<Props, "record" | "stable" | "project">) {
  const texts = useTexts();
  if (!values.is_deprecated || record?.is_deprecated) {
    return null;
  }
  const problem = deprecationProblem(values, record, stable, texts);
  const successor = successorOf(values.comparable_version, record?.id, stable);
  return (
    <Alert color={problem ? "red" : "blue"} role="status" p="xs">
      {problem ?? texts.versions.form.mustUpdate(successor?.version ?? "")}{" "}
      {!problem && record && <DeprecationEffect project={project} id={record.id} />}
    </Alert>
  );
}

function FetchRelease({ onFetched }: { onFetched: (release: CodehostReleasePreview) => void }) {
  const { form } = useTexts().versions;
  const admin = useAdmin();
  const [opened, show] = useState(false);
  const [tag, setTag] = useState("");
  const fetched = useMutation({
    mutationFn: () => admin.previewCodehostRelease(tag.trim() ? { tag: tag.trim() } : {}),
    onSuccess: (release) => {
      onFetched(release);
      show(false);
    },
  });
  return (
    <Popover opened={opened} onChange={show} trapFocus position="bottom-end" width={300}>
      <Popover.Target>
        <Button variant="default" leftSection={<IconBrandGit size={16} aria-hidden />} onClick={() => show(!opened)}>
          {form.fetch}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={form.fetch}>
        <Stack gap="xs">
          <TextInput
            label={form.tag}
            description={form.tagHint}
            maxLength={128}
            value={tag}
            error={fetched.error ? messagesOf(fetched.error).join("; ") : undefined}
            onChange={({ currentTarget }) => setTag(currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === "Enter") {
                // Do not submit the form around this one.
                event.preventDefault();
                fetched.mutate();
              }
            }}
          />
          <Button size="xs" loading={fetched.isPending} onClick={() => fetched.mutate()}>
            {form.fetch}
          </Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
