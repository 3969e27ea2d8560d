// The terms documents. The page shows the published text, a form that fills in the built-in text,
// and an editor for another text.

import { Alert, Anchor, Badge, Button, Group, Modal, SimpleGrid, Skeleton, Stack, Switch, Tabs, Text, TextInput } from "@mantine/core";
import { IconAlertTriangle, IconExternalLink } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import type { TermsDocument } from "svc-sdk";
import { useAddress } from "../../core/address";
import { clientOf } from "../../core/client";
import { Failure } from "../../core/failure";
import { useFormat } from "../../core/format";
import { noticeDone } from "../../core/notice";
import { useLanguage } from "../../core/texts";
import { UnsavedGuard } from "../../core/unsaved";
import { MarkdownField, Rendered } from "../../fields/markdown";
import { fill, hasVariables } from "../../fields/templates";
import { Attention, useFirstProblem } from "../../resource/attention";
import { ConfirmedButton } from "./form";
import { Facts, Section, SettingsLayout } from "./layout";

interface Draft {
  custom: boolean;
  content: string;
}

function draftOf({ custom, custom_content }: TermsDocument): Draft {
  return { custom, content: custom_content ?? "" };
}

export default function TermsPage() {
  const { texts, language } = useLanguage();
  const { terms } = texts.settings;
  const [address, change] = useAddress();
  const documents = useQuery({
    queryKey: ["terms", language],
    queryFn: ({ signal }) => clientOf("").admin.listTermsDocuments({ locale: language }, { signal }),
  });
  // Keep unsaved text while the user looks at another document.
  const [drafts, setDrafts] = useState<Record<string, Draft>>({});
  const [answers, setAnswers] = useState<Record<string, string>>({});
  const all = documents.data?.data ?? [];
  const shown = all.find(({ slug }) => slug === address["document"]) ?? all[0];
  const unsaved = all.some((document) => {
    const draft = drafts[document.slug];
    return draft !== undefined && JSON.stringify(draft) !== JSON.stringify(draftOf(document));
  });
  return (
    <SettingsLayout operations={["listTermsDocuments", "updateTermsDocument", "resetTermsDocument"]}>
      {documents.error && !documents.data && <Failure error={documents.error} retry={() => void documents.refetch()} />}
      {documents.isPending && <Skeleton height={320} role="status" aria-label={texts.common.loading} />}
      {shown && (
        <Tabs
          value={shown.slug}
          onChange={(slug) => change({ document: slug === all[0]?.slug ? undefined : (slug ?? undefined) })}
          keepMounted={false}
        >
          <Tabs.List mb="md" aria-label={terms.documents}>
            {all.map(({ slug, title }) => (
              <Tabs.Tab key={slug} value={slug}>
                {title}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {all.map((document) => (
            <Tabs.Panel key={document.slug} value={document.slug}>
              <Document
                document={document}
                draft={drafts[document.slug] ?? draftOf(document)}
                onDraft={(draft) => setDrafts((before) => ({ ...before, [document.slug]: draft }))}
                answers={answers}
                onAnswer={(key, text) => setAnswers((before) => ({ ...before, [key]: text }))}
              />
            </Tabs.Panel>
          ))}
        </Tabs>
      )}
      <UnsavedGuard unsaved={unsaved} />
    </SettingsLayout>
  );
}

function Document({
  document,
  draft,
  onDraft,
  answers,
  onAnswer,
}: {
  document: TermsDocument;
  draft: Draft;
  onDraft: (draft: Draft) => void;
  answers: Record<string, string>;
  onAnswer: (key: string, text: string) => void;
}) {
  const { texts, language } = useLanguage();
  const { common, settings } = texts;
  const { terms } = settings;
  const format = useFormat();
  const queries = useQueryClient();
  const [asked, setAsked] = useState(false);
  const [builtin, setBuiltin] = useState(false);
  const [generated, setGenerated] = useState(false);
  // Time of the last attempt to save that failed because values were missing; null if there was
  // none.
  const [refused, setRefused] = useState<number | null>(null);
  const filling = useRef<HTMLFormElement>(null);
  useFirstProblem(filling, refused);
  const answer = (key: string) => (answers[key] ?? "").trim();
  const blanks = document.placeholders.filter(({ key, required }) => required && !answer(key));
  const { slug } = document;
  const take = (next: TermsDocument) => {
    onDraft(draftOf(next));
    setGenerated(false);
    void queries.invalidateQueries({ queryKey: ["terms"] });
  };
  const save = useMutation({
    mutationFn: () => clientOf("").admin.updateTermsDocument(slug, draft),
    onSuccess: (next) => {
      setAsked(false);
      take(next);
      noticeDone(texts, common.saved);
    },
  });
  const unfilled = hasVariables(draft.content);
  const dirty = JSON.stringify(draft) !== JSON.stringify(draftOf(document));
  const effective = document.custom && document.custom_content ? terms.custom : document.custom_content ? terms.draftOff : terms.builtin;
  useEffect(() => {
    setGenerated(false);
    setRefused(null);
  }, [slug]);
  return (
    <Stack gap="md">
      <Section
        title={terms.effective}
        description={document.summary}
        aside={<Badge color={document.custom ? undefined : "gray"}>{effective}</Badge>}
      >
        <Facts
          facts={[
            [
              terms.page,
              <Anchor key="page" href={`/terms/${slug}`} target="_blank" rel="noopener" className="lone">
                /terms/{slug} <IconExternalLink size={14} aria-hidden />
              </Anchor>,
            ],
            ...(document.custom_updated_at ? [[terms.changed, format.time(document.custom_updated_at)] as [string, string]] : []),
          ]}
        />
        {hasVariables(document.content) && (
          <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />}>
            {terms.unfilled}
          </Alert>
        )}
        <div>
          <Button variant="default" onClick={() => setBuiltin(true)}>
            {terms.viewBuiltin}
          </Button>
        </div>
      </Section>
      <Section title={terms.fill} description={terms.fillDescription}>
        <form
          ref={filling}
          onSubmit={(event) => {
            event.preventDefault();
            setGenerated(blanks.length === 0);
            setRefused(blanks.length === 0 ? null : event.timeStamp);
            if (blanks.length === 0) {
              // An optional placeholder without a value is replaced by a dash.
              const given = document.placeholders.map(({ key }) => [key, answer(key) || "–"]);
              onDraft({ custom: true, content: fill(document.builtin_content, Object.fromEntries(given)) });
            }
          }}
        >
          <Stack gap="md">
            <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
              {document.placeholders.map(({ key, label, hint, example, required }) => (
                <TextInput
                  key={key}
                  label={label}
                  description={hint}
                  inputWrapperOrder={["label", "input", "description", "error"]}
                  placeholder={example}
                  withAsterisk={required}
                  error={refused !== null && required && !answer(key) && terms.required}
                  value={answers[key] ?? ""}
                  onChange={({ currentTarget }) => onAnswer(key, currentTarget.value)}
                />
              ))}
            </SimpleGrid>
            <Group gap="xs">
              <Button type="submit" variant="default">
                {terms.generate}
              </Button>
              <Text size="sm" role="status">
                {generated && terms.generated}
              </Text>
              {refused !== null && <Attention errors={blanks} />}
            </Group>
          </Stack>
        </form>
      </Section>
      <Section title={terms.editor}>
        <Switch
          label={terms.useCustom}
          checked={draft.custom}
          onChange={({ currentTarget }) => onDraft({ ...draft, custom: currentTarget.checked })}
        />
        <MarkdownField label={terms.text} value={draft.content} onChange={(content) => onDraft({ ...draft, content })} />
        {save.error && <Failure error={save.error} />}
        <Group gap="xs">
          <Button loading={save.isPending} disabled={!dirty} onClick={() => (unfilled && draft.custom ? setAsked(true) : save.mutate())}>
            {common.save}
          </Button>
          {dirty && (
            <Button variant="default" onClick={() => onDraft(draftOf(document))}>
              {common.reset}
            </Button>
          )}
          <ConfirmedButton
            label={terms.restore}
            title={terms.restoreTitle}
            text={terms.restoreText}
            disabled={!document.custom && document.custom_content === null}
            run={async () => take(await clientOf("").admin.resetTermsDocument(slug, { locale: language }))}
          />
        </Group>
      </Section>
      <Modal
        opened={asked}
        onClose={() => setAsked(false)}
        title={terms.stillUnfilled}
        size="sm"
        closeButtonProps={{ "aria-label": common.close }}
      >
        <Text size="sm">{terms.stillUnfilledText}</Text>
        <Group justify="flex-end" gap="xs" mt="md">
          <Button variant="default" data-autofocus onClick={() => setAsked(false)}>
            {common.cancel}
          </Button>
          <Button loading={save.isPending} onClick={() => save.mutate()}>
            {terms.saveAnyway}
          </Button>
        </Group>
      </Modal>
      <Modal
        opened={builtin}
        onClose={() => setBuiltin(false)}
        title={terms.builtin}
        size="xl"
        closeButtonProps={{ "aria-label": common.close }}
      >
        <Rendered markdown={document.builtin_content} />
      </Modal>
    </Stack>
  );
}
