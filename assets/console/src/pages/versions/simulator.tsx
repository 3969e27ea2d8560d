// Simulates the update check: shows the response that a client gets, with the reasons. The inputs
// are in the address.

import { Alert, Autocomplete, Button, List, Modal, Select, SimpleGrid, Stack, Switch, Text, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { IconChevronDown, IconChevronRight } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type ReactNode, useCallback, useState } from "react";
import type { UpdateCheckReason, UpdateCheckSimulation } from "svc-sdk";
import { switchParam, textParam, useParams } from "../../core/address";
import { clientOf } from "../../core/client";
import { Failure } from "../../core/failure";
import { PageLink } from "../../core/go";
import { sentence as asSentence } from "../../core/sentence";
import { useTexts } from "../../core/texts";
import { useLanguageName, useLanguages } from "../../fields/languages";
import { platforms, usePlatformName } from "../../fields/platforms";
import { useRangeText } from "../../fields/range";
import { VersionField } from "../../fields/version";
import { useChannels } from "../../resource/distribution";
import styles from "./versions.module.css";

const params = {
  simulate: switchParam,
  sim_version: textParam,
  sim_comparable: textParam,
  sim_preview: switchParam,
  sim_platform: textParam,
  sim_locale: textParam,
  sim_channel: textParam,
  sim_key: textParam,
};

const closed = {
  simulate: false,
  sim_version: "",
  sim_comparable: "",
  sim_preview: false,
  sim_platform: "",
  sim_locale: "",
  sim_channel: "",
  sim_key: "",
};

/** Opens the simulator for a client with the given version. */
export function useSimulator(): (version?: string) => void {
  const [, change] = useParams(params);
  return useCallback((version = "") => change({ ...closed, simulate: true, sim_version: version }), [change]);
}

export function Simulator({ project }: { project: string }) {
  const { common, versions } = useTexts();
  const texts = versions.simulator;
  const [asked, change] = useParams(params);
  const set = (part: Partial<typeof asked>) => change(part, { replace: true });
  const platformName = usePlatformName();
  const languageName = useLanguageName();
  const { data: languages = [] } = useLanguages(project);
  const channels = useChannels(project, asked.simulate);
  const known = useQuery({
    queryKey: ["versions", project, "known"],
    queryFn: ({ signal }) => clientOf(project).admin.listVersions({ limit: 100 }, { signal }),
    enabled: asked.simulate && project !== "",
  });
  return (
    <Modal
      opened={asked.simulate}
      onClose={() => change(closed)}
      title={texts.title}
      size="lg"
      closeButtonProps={{ "aria-label": common.close }}
    >
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          {texts.intro}
        </Text>
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
          <Autocomplete
            data-autofocus
            openOnFocus={false}
            label={texts.current}
            description={texts.currentHint}
            maxLength={64}
            limit={20}
            data={[...new Set(known.data?.data.map(({ version }) => version))]}
            value={asked.sim_version}
            onChange={(version) => set({ sim_version: version })}
          />
          <VersionField
            label={texts.comparable}
            description={texts.comparableHint}
            value={asked.sim_comparable}
            onChange={(version) => set({ sim_comparable: version })}
          />
          <Select
            label={texts.platform}
            clearable
            clearButtonProps={{ "aria-label": common.labelled(common.reset, texts.platform) }}
            data={platforms.map((value) => ({ value, label: platformName(value) }))}
            value={asked.sim_platform || null}
            onChange={(platform) => set({ sim_platform: platform ?? "" })}
          />
          <Select
            label={texts.channel}
            placeholder={asked.sim_preview ? "preview" : "stable"}
            clearable
            clearButtonProps={{ "aria-label": common.labelled(common.reset, texts.channel) }}
            data={channels}
            value={asked.sim_channel || null}
            onChange={(channel) => set({ sim_channel: channel ?? "" })}
          />
          <TextInput
            label={texts.key}
            description={texts.keyHint}
            maxLength={64}
            autoComplete="off"
            spellCheck={false}
            value={asked.sim_key}
            onChange={({ currentTarget }) => set({ sim_key: currentTarget.value })}
          />
          {languages.length > 0 && (
            <Select
              label={texts.language}
              description={texts.languageHint}
              clearable
              clearButtonProps={{ "aria-label": common.labelled(common.reset, texts.language) }}
              data={languages.map((language) => ({ value: language.locale, label: languageName(language) }))}
              value={asked.sim_locale || null}
              onChange={(locale) => set({ sim_locale: locale ?? "" })}
            />
          )}
        </SimpleGrid>
        <Switch
          label={texts.preview}
          checked={asked.sim_preview}
          onChange={({ currentTarget }) => set({ sim_preview: currentTarget.checked })}
        />
        <Answer project={project} asked={asked} />
      </Stack>
    </Modal>
  );
}

function Answer({ project, asked }: { project: string; asked: typeof closed }) {
  const texts = useTexts().versions.simulator;
  const [input] = useDebouncedValue(
    {
      ...(asked.sim_version.trim() && { current_version: asked.sim_version.trim() }),
      ...(asked.sim_comparable.trim() && { current_comparable_version: asked.sim_comparable.trim() }),
      ...(asked.sim_platform && { platform: asked.sim_platform }),
      ...(asked.sim_locale && { locale: asked.sim_locale }),
      ...(asked.sim_channel && { channel: asked.sim_channel }),
      ...(asked.sim_key.trim() && { rollout_key: asked.sim_key.trim() }),
      include_preview: asked.sim_preview,
    },
    250,
  );
  const ready = "current_version" in input || "current_comparable_version" in input;
  const { data, error } = useQuery({
    queryKey: ["versions", project, "simulation", JSON.stringify(input)],
    queryFn: ({ signal }) => clientOf(project).admin.simulateUpdateCheck(input, { signal }),
    enabled: asked.simulate && ready,
    placeholderData: keepPreviousData,
  });
  return (
    <Stack gap="sm" mih={280} aria-live="polite">
      {!ready ? (
        <Text size="sm" c="dimmed">
          {texts.ask}
        </Text>
      ) : error ? (
        <Failure error={error} />
      ) : (
        data && <Explained simulation={data} client={asked.sim_version.trim() || asked.sim_comparable.trim()} />
      )}
    </Stack>
  );
}

/** The rules that can decide about the response, the strongest first. Other rules only add to the response. */
const deciding = [
  "nothing_published",
  "current_version_unknown",
  "latest_version_installed",
  "above_latest_version",
  "current_version_deprecated",
  "outside_optional_update_range",
  "newer_version_available",
] as const;

type Deciding = (typeof deciding)[number];

/**
 * Returns the rule that decided about the response. It is undefined if the server applied a rule
 * that this console does not know.
 */
export function decidingReason(reasons: readonly UpdateCheckReason[]): (UpdateCheckReason & { code: Deciding }) | undefined {
  for (const code of deciding) {
    const reason = reasons.find((one) => one.code === code);
    if (reason) {
      return { ...reason, code };
    }
  }
  return undefined;
}

function Explained({ simulation: { answer, message, reasons }, client }: { simulation: UpdateCheckSimulation; client: string }) {
  const texts = useTexts().versions.simulator;
  const explain = useReason();
  const range = useRangeText();
  const [open, show] = useState(false);
  const { target_version: target, latest_version: latest, latest_preview_version: preview, milestone } = answer ?? {};
  const decided = decidingReason(reasons);
  const why =
    decided && texts.because[decided.code](decided.version ?? "", range(decided.min_comparable_version, decided.max_comparable_version));
  const sentence = !answer
    ? texts.failed(client)
    : answer.required
      ? texts.required(client, target?.version ?? "")
      : answer.should_update
        ? texts.optional(client, target?.version ?? "")
        : texts.none(client);
  return (
    <>
      <Alert color={!answer ? "yellow" : answer.required ? "red" : answer.should_update ? "blue" : "green"} p="sm">
        <Text className={styles.steps}>{texts.sentence(sentence, why ?? "")}</Text>
        {milestone?.target_is_milestone && <Text size="sm">{texts.reasons.milestone_guard(target?.version ?? "")}</Text>}
        {message && <Text size="sm">{asSentence(message)}</Text>}
      </Alert>
      {answer && (
        <SimpleGrid cols={{ base: 2, xs: 4 }} spacing="sm" component="dl" m={0}>
          <Fact title={texts.target}>{target && <VersionLink {...target} />}</Fact>
          <Fact title={texts.latest}>{latest && <VersionLink {...latest} />}</Fact>
          <Fact title={texts.latestPreview}>{preview && <VersionLink {...preview} />}</Fact>
          <Fact title={texts.milestone}>
            {milestone?.target_is_milestone ? texts.milestones.target : milestone?.latest ? texts.milestones.latest : texts.milestones.none}
          </Fact>
        </SimpleGrid>
      )}
      <div>
        <Button
          variant="subtle"
          color="gray"
          size="compact-sm"
          aria-expanded={open}
          leftSection={open ? <IconChevronDown size={14} aria-hidden /> : <IconChevronRight size={14} aria-hidden />}
          onClick={() => show(!open)}
        >
          {texts.why(reasons.length)}
        </Button>
        {open && (
          <List type="ordered" size="sm" spacing={4} mt={4}>
            {reasons.map((reason) => (
              <List.Item key={`${reason.code} ${reason.version_id}`} c={decided && reason.code === decided.code ? undefined : "dimmed"}>
                {explain(reason)}
                {decided && reason.code === decided.code && <strong> {texts.decided}</strong>}
              </List.Item>
            ))}
          </List>
        )}
      </div>
    </>
  );
}

function useReason(): (reason: UpdateCheckReason) => string {
  const { reasons } = useTexts().versions.simulator;
  const range = useRangeText();
  return ({ code, version, min_comparable_version, max_comparable_version }) =>
    reasons[code as keyof typeof reasons]?.(version ?? "", range(min_comparable_version, max_comparable_version)) ?? code;
}

function Fact({ title, children }: { title: string; children: ReactNode }) {
  const { noVersion } = useTexts().versions.simulator;
  return (
    <div>
      <Text component="dt" size="xs" c="dimmed">
        {title}
      </Text>
      <Text component="dd" size="sm" m={0}>
        {children || noVersion}
      </Text>
    </div>
  );
}

function VersionLink({ id, version }: { id: string; version: string }) {
  return (
    <PageLink to="." search={{ open: id }} className="cell-link">
      {version}
    </PageLink>
  );
}
