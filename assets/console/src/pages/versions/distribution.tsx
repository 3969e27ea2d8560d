// The distribution settings of a project: channels, the rollout with which new versions begin, health
// rules, and the keys that sign its downloads.

import { ActionIcon, Button, Group, Input, NumberInput, Paper, Select, Stack, Switch, Text, TextInput } from "@mantine/core";
import { IconArrowLeft, IconPlus, IconTrash } from "@tabler/icons-react";
import { type ReactNode, useMemo } from "react";
import type { Distribution } from "svc-sdk";
import { clientOf } from "../../core/client";
import { PageLink } from "../../core/go";
import { useProjectKey } from "../../core/project";
import { useTexts } from "../../core/texts";
import type { FieldProps } from "../../fields/field";
import { newPlan, type Plan, planOf, rolloutFields } from "../../fields/plan";
import { PlanField } from "../../fields/planfield";
import { TagsField } from "../../fields/tags";
import { distributionKey, useDistribution } from "../../resource/distribution";
import { PageHead } from "../../resource/head";
import { type SettingsForm, SettingsFormOf } from "../settings/form";
import { Section } from "../settings/layout";
import { TrustKeys } from "./trustkeys";
import styles from "./versions.module.css";

interface Rule {
  name: string;
  metric: string;
  event: string;
  tolerance: number | string;
  min_failures: number | string;
  action: string;
}

interface Values {
  channels: { name: string; includes: string[] }[];
  rollout_default: Plan | null;
  false_alarm: number | string;
  rules: Rule[];
  enforce: boolean;
}

function valuesOf({ channels, rollout_default: plan, health, signature_policy: policy }: Distribution): Values {
  return {
    channels: channels.map(({ name, includes }) => ({ name, includes })),
    rollout_default: plan && planOf(plan),
    false_alarm: health.false_alarm * 100,
    rules: health.rules.map(({ event, ...rule }) => ({ ...rule, event: event ?? "" })),
    enforce: policy === "enforce",
  };
}

const formOf = (project: string): SettingsForm<Distribution, Values> => ({
  name: distributionKey(project),
  load: (_, signal) => clientOf(project).admin.getDistribution({ signal }),
  from: valuesOf,
  save: (_, values) =>
    clientOf(project).admin.updateDistribution({
      channels: values.channels,
      rollout_default: values.rollout_default && rolloutFields(values.rollout_default),
      health: {
        false_alarm: Number(values.false_alarm) / 100,
        rules: values.rules.map((rule) => ({
          ...rule,
          event: rule.metric === "event" ? rule.event : null,
          tolerance: Number(rule.tolerance),
          min_failures: Number(rule.min_failures),
        })),
      },
      signature_policy: values.enforce ? "enforce" : "off",
    }),
});

export default function DistributionPage() {
  const { distribution: texts, rollouts, versions } = useTexts();
  const [project] = useProjectKey();
  const form = useMemo(() => formOf(project), [project]);
  const { isPending } = useDistribution(project);
  return (
    <Stack gap="md">
      <PageHead
        title={texts.title}
        tools={
          <Button
            variant="default"
            leftSection={<IconArrowLeft size={16} aria-hidden />}
            renderRoot={(props) => <PageLink to="/admin/versions" search={{ project }} {...props} />}
          >
            {versions.title}
          </Button>
        }
        operations={["getDistribution", "updateDistribution", "listTrustKeys", "createTrustKey", "updateTrustKey"]}
      />
      {project && (
        <SettingsFormOf key={project} form={form}>
          {({ inputs }) => (
            <>
              <Section title={texts.channels} description={texts.channelsHint}>
                <Channels label={texts.channels} {...inputs.bind("channels")} />
              </Section>
              <Section title={texts.start} description={texts.startHint}>
                <Switch
                  label={texts.steps}
                  checked={inputs.values.rollout_default !== null}
                  onChange={({ currentTarget }) => inputs.set("rollout_default", currentTarget.checked ? newPlan() : null)}
                />
                {inputs.values.rollout_default && <PlanField label={rollouts.plan.steps} {...inputs.bind("rollout_default")} />}
              </Section>
              <Section title={texts.health} description={rollouts.health.definition}>
                <NumberInput
                  label={texts.falseAlarm}
                  description={texts.falseAlarmHint}
                  min={0.01}
                  max={20}
                  decimalScale={2}
                  suffix=" %"
                  hideControls
                  maw={320}
                  {...inputs.bind("false_alarm")}
                />
                <Rules label={texts.rules} {...inputs.bind("rules")} />
              </Section>
              <Section title={texts.policy}>
                <Switch
                  label={texts.enforce}
                  description={texts.enforceHint}
                  checked={inputs.values.enforce}
                  onChange={({ currentTarget }) => inputs.set("enforce", currentTarget.checked)}
                />
              </Section>
            </>
          )}
        </SettingsFormOf>
      )}
      {/* The keys come after the form, which would push them down. */}
      {!isPending && <TrustKeys project={project} />}
    </Stack>
  );
}

function Channels({ value, onChange, error }: FieldProps<Values["channels"]>) {
  const { distribution: texts } = useTexts();
  const set = (at: number, part: Partial<Values["channels"][number]>) =>
    onChange(value.map((one, i) => (i === at ? { ...one, ...part } : one)));
  return (
    <Stack gap="xs">
      {value.map((channel, at) => (
        <Group key={at} gap="xs" align="flex-start" wrap="nowrap" role="group" aria-label={texts.channel(at + 1)}>
          <div className={styles.channel}>
            <TextInput
              label={texts.name}
              maxLength={16}
              autoComplete="off"
              spellCheck={false}
              value={channel.name}
              onChange={({ currentTarget }) => set(at, { name: currentTarget.value })}
            />
            <TagsField label={texts.includes} max={8} value={channel.includes} onChange={(includes) => set(at, { includes })} />
          </div>
          <div className={styles.besideInput}>
            <Remove label={texts.remove(channel.name)} onClick={() => onChange(value.filter((_, other) => other !== at))} />
          </div>
        </Group>
      ))}
      <Problem error={error} />
      <Group>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconPlus size={16} />}
          disabled={value.length >= 8}
          onClick={() => onChange([...value, { name: "", includes: [] }])}
        >
          {texts.addChannel}
        </Button>
      </Group>
    </Stack>
  );
}

function Rules({ value, onChange, error }: FieldProps<Rule[]>) {
  const { distribution: texts, rollouts } = useTexts();
  const set = (at: number, part: Partial<Rule>) => onChange(value.map((one, i) => (i === at ? { ...one, ...part } : one)));
  return (
    <Stack gap="sm">
      {value.map((rule, at) => (
        <Paper key={at} withBorder p="sm" role="group" aria-label={rule.name || texts.rule(at + 1)}>
          <Group justify="space-between" gap="xs" wrap="nowrap">
            <Text size="sm" fw={600} truncate>
              {rule.name || texts.rule(at + 1)}
            </Text>
            <Remove label={texts.remove(rule.name)} onClick={() => onChange(value.filter((_, other) => other !== at))} />
          </Group>
          <div className={styles.rule}>
            <TextInput
              label={texts.name}
              maxLength={64}
              value={rule.name}
              onChange={({ currentTarget }) => set(at, { name: currentTarget.value })}
            />
            <Select
              label={texts.metric}
              allowDeselect={false}
              data={[
                { value: "error_logs", label: rollouts.health.metrics["error_logs"]! },
                { value: "event", label: texts.event },
              ]}
              value={rule.metric}
              onChange={(metric) => set(at, { metric: metric ?? "error_logs" })}
            />
            {rule.metric === "event" && (
              <TextInput
                flex="1 1 160px"
                label={texts.eventName}
                maxLength={64}
                value={rule.event}
                onChange={({ currentTarget }) => set(at, { event: currentTarget.value })}
              />
            )}
            <NumberInput
              label={texts.tolerance}
              min={1}
              max={10}
              decimalScale={2}
              hideControls
              value={rule.tolerance}
              onChange={(tolerance) => set(at, { tolerance })}
            />
            <NumberInput
              label={texts.least}
              min={1}
              max={10_000}
              allowDecimal={false}
              hideControls
              value={rule.min_failures}
              onChange={(min_failures) => set(at, { min_failures })}
            />
            <Select
              label={texts.action}
              allowDeselect={false}
              data={[
                { value: "hold", label: texts.hold },
                { value: "notify", label: texts.notify },
              ]}
              value={rule.action}
              onChange={(action) => set(at, { action: action ?? "hold" })}
            />
          </div>
        </Paper>
      ))}
      <Problem error={error} />
      <Group>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconPlus size={16} />}
          disabled={value.length >= 8}
          onClick={() =>
            onChange([...value, { name: "", metric: "error_logs", event: "", tolerance: 1.5, min_failures: 5, action: "hold" }])
          }
        >
          {texts.addRule}
        </Button>
      </Group>
    </Stack>
  );
}

function Remove({ label, onClick }: { label: string; onClick(): void }) {
  return (
    <ActionIcon variant="subtle" color="gray" size={36} aria-label={label} onClick={onClick}>
      <IconTrash size={16} />
    </ActionIcon>
  );
}

const Problem = ({ error }: { error: ReactNode }) => error && <Input.Error>{error}</Input.Error>;
