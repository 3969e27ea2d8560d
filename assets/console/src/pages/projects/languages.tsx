// The languages of a project. Changes are saved immediately, not when the form around them is
// saved.

import { ActionIcon, Button, Divider, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { IconEdit, IconPlus, IconTrash } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Language } from "svc-sdk";
import { clientOf } from "../../core/client";
import { Confirm } from "../../core/confirm";
import { Failure } from "../../core/failure";
import { useTexts } from "../../core/texts";
import { useLanguageName, useLanguages } from "../../fields/languages";
import { TagsField } from "../../fields/tags";

export function Languages({ project }: { project: string }) {
  const { languages: texts } = useTexts().projects;
  const { data, error, refetch } = useLanguages(project);
  const changed = useChanged();
  const name = useLanguageName();
  const [edited, edit] = useState<Language | "new" | null>(null);
  const [leaving, leave] = useState<Language | null>(null);
  return (
    <Stack gap="xs" component="section" aria-label={texts.title}>
      <Divider label={texts.title} labelPosition="left" />
      <Text size="xs" c="dimmed">
        {data?.length === 0 ? texts.none : texts.text}
      </Text>
      {error && <Failure error={error} retry={() => void refetch()} />}
      {data?.map((language) => (
        <Group key={language.locale} gap="xs" justify="space-between" wrap="nowrap">
          <Text size="sm">
            {name(language)}{" "}
            <Text span size="xs" c="dimmed">
              {[language.locale, ...language.aliases].join(", ")}
            </Text>
          </Text>
          <Group gap={4} wrap="nowrap">
            <ActionIcon variant="subtle" color="gray" aria-label={texts.edit(name(language))} onClick={() => edit(language)}>
              <IconEdit size={16} aria-hidden />
            </ActionIcon>
            <ActionIcon variant="subtle" color="gray" aria-label={texts.remove(name(language))} onClick={() => leave(language)}>
              <IconTrash size={16} aria-hidden />
            </ActionIcon>
          </Group>
        </Group>
      ))}
      <Group>
        <Button size="xs" variant="default" leftSection={<IconPlus size={16} aria-hidden />} onClick={() => edit("new")}>
          {texts.add}
        </Button>
      </Group>
      {edited && (
        <Editor
          project={project}
          language={edited === "new" ? null : edited}
          onClose={() => edit(null)}
          onSaved={async () => {
            await changed();
            edit(null);
          }}
        />
      )}
      {leaving && (
        <Confirm
          title={texts.remove(name(leaving))}
          text={texts.removeText}
          label={texts.unregister}
          run={async () => {
            await clientOf(project).admin.deleteProjectLocale(leaving.locale);
            await changed();
          }}
          onClose={() => leave(null)}
        />
      )}
    </Stack>
  );
}

/** Returns the function that refreshes all data with translations. */
function useChanged(): () => Promise<unknown> {
  const queries = useQueryClient();
  return () =>
    Promise.all(["languages", "projects", "versions", "announcements"].map((name) => queries.invalidateQueries({ queryKey: [name] })));
}

function Editor({
  project,
  language,
  onClose,
  onSaved,
}: {
  project: string;
  language: Language | null;
  onClose: () => void;
  onSaved: () => Promise<void>;
}) {
  const { common, projects } = useTexts();
  const { languages: texts } = projects;
  const name = useLanguageName();
  const form = useForm({
    mode: "controlled",
    initialValues: { locale: language?.locale ?? "", aliases: language?.aliases ?? [], label: language?.label ?? "" },
  });
  const save = useMutation({
    mutationFn: async () => {
      const { admin } = clientOf(project);
      const fields = { ...form.values, locale: form.values.locale.trim(), label: form.values.label.trim() || null };
      await (language ? admin.updateProjectLocale(language.locale, fields) : admin.createProjectLocale(fields as never));
    },
    onSuccess: onSaved,
  });
  return (
    <Modal
      opened
      onClose={onClose}
      size="sm"
      title={language ? texts.edit(name(language)) : texts.add}
      closeButtonProps={{ "aria-label": common.close }}
    >
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          // React passes the event on to the form around this one, which it would also submit.
          event.stopPropagation();
          save.mutate();
        }}
      >
        <Stack gap="md">
          <TextInput
            data-autofocus
            required
            label={texts.tag}
            description={texts.tagHint}
            maxLength={35}
            autoComplete="off"
            {...form.getInputProps("locale")}
          />
          <TagsField label={texts.synonyms} description={texts.synonymsHint} max={16} {...tagsOf(form.getInputProps("aliases"))} />
          <TextInput label={texts.label} description={texts.labelHint} maxLength={64} dir="auto" {...form.getInputProps("label")} />
          {save.error && <Failure error={save.error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {common.cancel}
            </Button>
            <Button type="submit" loading={save.isPending} disabled={!form.values.locale.trim()}>
              {common.save}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

const tagsOf = ({ value, onChange, error }: { value?: string[]; onChange: (tags: string[]) => void; error?: string }) => ({
  value: value ?? [],
  onChange,
  error,
});
