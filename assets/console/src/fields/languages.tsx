import { Button, Group, Modal, Stack, Tabs, Text } from "@mantine/core";
import { IconLanguage } from "@tabler/icons-react";
import { useMutation, useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";
import type { Language } from "svc-sdk";
import { clientOf, messagesOf } from "../core/client";
import { useLanguage, useTexts } from "../core/texts";
import type { Translation } from "./translations";

/** Returns the languages into which the texts of a project can be translated. */
export function useLanguages(project: string) {
  return useQuery({
    queryKey: ["languages", project],
    queryFn: async ({ signal }) => (await clientOf(project).admin.listProjectLocales({ signal })).data,
    enabled: project !== "",
    staleTime: 60_000,
  });
}

/**
 * Returns a function for the name of a language. The name is the label of the language or, if it
 * has none, the browser's name for its tag.
 */
export function useLanguageName(): (language: Pick<Language, "locale" | "label">) => string {
  const { language } = useLanguage();
  return ({ locale, label }) => {
    if (label) {
      return label;
    }
    try {
      return new Intl.DisplayNames(language, { type: "language", fallback: "code" }).of(locale.replaceAll("_", "-")) ?? locale;
    } catch {
      return locale;
    }
  };
}

interface Props<T extends Translation> {
  project: string;
  kind: "version" | "announcement" | "project";
  /** The default texts that can be translated, by field. */
  base: Record<string, string>;
  /** Errors of the form, by the name of the field. */
  errors: Partial<Record<string, ReactNode>>;
  value: Record<string, T>;
  onChange(value: Record<string, T>): void;
  /** The values with which a new language begins. */
  blank: T;
  /** Renders the inputs for the default texts, if `locale` is null, or for one language. */
  children(locale: string | null): ReactNode;
}

/**
 * Tabs for the texts of a record: one for the default texts, and one for each registered language.
 * A button translates the texts with the translation service.
 */
export function LanguageTabs<T extends Translation>({ project, kind, base, errors, value, onChange, blank, children }: Props<T>) {
  const { fields } = useTexts();
  const { data: languages = [] } = useLanguages(project);
  const name = useLanguageName();
  const [tab, show] = useState<string | null>("default");
  useEffect(() => {
    if (Object.keys(base).some((field) => errors[field])) {
      show("default");
    }
  }, [errors]);
  if (languages.length === 0) {
    return children(null);
  }
  const filled = (locale: string) => Object.values(value[locale] ?? {}).some((text) => text !== "" && text !== false);
  return (
    <Tabs value={tab} onChange={show} keepMounted={false}>
      <Tabs.List aria-label={fields.languages.label} mb="sm">
        <Tabs.Tab value="default">{fields.languages.default}</Tabs.Tab>
        {languages.map((language) => (
          <Tabs.Tab key={language.locale} value={`in-${language.locale}`} rightSection={filled(language.locale) ? "•" : undefined}>
            {name(language)}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value="default">{children(null)}</Tabs.Panel>
      {languages.map(({ locale }) => (
        <Tabs.Panel key={locale} value={`in-${locale}`}>
          <Stack gap="sm">
            <Translate
              project={project}
              kind={kind}
              locale={locale}
              base={base}
              taken={Object.keys(base).some((field) => value[locale]?.[field])}
              onTranslated={(texts) => onChange({ ...value, [locale]: { ...blank, ...value[locale], ...texts } })}
            />
            {children(locale)}
          </Stack>
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

interface TranslateProps {
  project: string;
  kind: Props<Translation>["kind"];
  locale: string;
  base: Record<string, string>;
  /** Whether the language already has texts, which the translation would overwrite. */
  taken: boolean;
  onTranslated(texts: Record<string, string>): void;
}

function Translate({ project, kind, locale, base, taken, onTranslated }: TranslateProps) {
  const { fields, common } = useTexts();
  const [asking, ask] = useState(false);
  const { data: settings } = useQuery({
    queryKey: ["translation"],
    queryFn: ({ signal }) => clientOf("").admin.getTranslationConfig({ signal }),
    staleTime: 60_000,
  });
  const given = Object.fromEntries(Object.entries(base).filter(([, text]) => text.trim()));
  const translation = useMutation({
    mutationFn: () => clientOf(project).admin.translate({ kind, target_locale: locale, fields: given }),
    onSuccess: (result) => onTranslated(result.fields as Record<string, string>),
  });
  if (!settings?.enabled || !settings.configured) {
    return (
      <Text size="xs" c="dimmed">
        {fields.languages.fallback}
      </Text>
    );
  }
  return (
    <>
      <Group justify="space-between" wrap="nowrap" gap="xs">
        <Text size="xs" c={translation.error ? "var(--mantine-color-error)" : "dimmed"} role={translation.error ? "alert" : undefined}>
          {translation.error ? messagesOf(translation.error).join("; ") : fields.languages.fallback}
        </Text>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconLanguage size={16} />}
          loading={translation.isPending}
          disabled={Object.keys(given).length === 0}
          onClick={() => (taken ? ask(true) : translation.mutate())}
        >
          {fields.languages.translate}
        </Button>
      </Group>
      <Modal
        opened={asking}
        onClose={() => ask(false)}
        title={fields.languages.overwriteTitle}
        centered
        closeButtonProps={{ "aria-label": common.close }}
      >
        <Text size="sm">{fields.languages.overwriteText}</Text>
        <Group justify="flex-end" mt="md">
          <Button variant="default" data-autofocus onClick={() => ask(false)}>
            {common.cancel}
          </Button>
          <Button
            onClick={() => {
              ask(false);
              translation.mutate();
            }}
          >
            {fields.languages.overwrite}
          </Button>
        </Group>
      </Modal>
    </>
  );
}
