// The form of an announcement.

import { SimpleGrid, Stack, Switch, TextInput } from "@mantine/core";
import type { Announcement } from "svc-sdk";
import { useTexts } from "../../core/texts";
import { LanguageTabs } from "../../fields/languages";
import { MarkdownField } from "../../fields/markdown";
import { PlatformsField } from "../../fields/platforms";
import { RangeField } from "../../fields/range";
import { TimeField } from "../../fields/time";
import type { Inputs } from "../../resource/resource";
import { blank, type Draft } from "./draft";

export function AnnouncementForm({
  inputs: { values, errors, bind, set },
  record,
  project,
}: {
  inputs: Inputs<Draft>;
  record: Announcement | null;
  project: string;
}) {
  const { announcements } = useTexts();
  const { columns, form } = announcements;
  return (
    <Stack gap="md">
      <LanguageTabs
        project={project}
        kind="announcement"
        base={{ title: values.title, content: values.content }}
        errors={errors}
        blank={blank}
        value={values.translations}
        onChange={(translations) => set("translations", translations)}
      >
        {(locale) => {
          if (locale === null) {
            return (
              <Stack gap="md">
                <TextInput label={columns.title} required data-autofocus maxLength={128} dir="auto" {...bind("title")} />
                <MarkdownField label={columns.content} {...bind("content")} />
              </Stack>
            );
          }
          const translation = { ...blank, ...values.translations[locale] };
          const change = (part: Partial<typeof blank>) =>
            set("translations", { ...values.translations, [locale]: { ...translation, ...part } });
          return (
            <Stack gap="md">
              <TextInput
                label={columns.title}
                maxLength={128}
                dir="auto"
                placeholder={values.title}
                value={translation.title}
                onChange={({ currentTarget }) => change({ title: currentTarget.value })}
              />
              <MarkdownField label={columns.content} value={translation.content} onChange={(content) => change({ content })} />
              <Switch
                label={form.hiddenIn}
                description={form.hiddenInHint}
                checked={translation.is_hidden}
                onChange={({ currentTarget }) => change({ is_hidden: currentTarget.checked })}
              />
            </Stack>
          );
        }}
      </LanguageTabs>
      <RangeField
        label={columns.range}
        description={form.range}
        min={bind("min_comparable_version")}
        max={bind("max_comparable_version")}
      />
      <PlatformsField label={columns.platforms} {...bind("platforms")} />
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm" style={{ alignItems: "end" }}>
        <TimeField
          label={columns.published}
          {...bind("published_at")}
          {...(!record && values.published_at === null && { description: form.now })}
        />
        <TimeField
          label={columns.expires}
          {...bind("expires_at")}
          {...(values.expires_at === null && { description: form.neverExpires })}
        />
      </SimpleGrid>
      <TextInput label={columns.author} maxLength={64} dir="auto" {...bind("author")} />
      {(["pinned", "hidden"] as const).map((flag) => (
        <Switch
          key={flag}
          label={columns[flag]}
          description={form[flag]}
          error={bind(`is_${flag}`).error}
          checked={values[`is_${flag}`]}
          onChange={({ currentTarget }) => set(`is_${flag}`, currentTarget.checked)}
        />
      ))}
    </Stack>
  );
}
