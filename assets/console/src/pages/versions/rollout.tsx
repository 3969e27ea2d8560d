// The rollout of a version: how far it is, its steps, the actions that change it, and its history.

import { Button, Group, Paper, Stack, Table, Text, Title } from "@mantine/core";
import { useState } from "react";
import type { Rollout, RolloutHealth, Version } from "svc-sdk";
import { now } from "../../core/clock";
import { type Format, useFormat } from "../../core/format";
import { Room } from "../../core/room";
import { useTexts } from "../../core/texts";
import { Tone } from "../../core/tone";
import { usePlatformName } from "../../fields/platforms";
import { isOpen, percentOf, rolloutTones, seenOn } from "../../resource/rollout";
import { type Deed, deedsOf, useDeed } from "./deeds";
import styles from "./rollout.module.css";

interface Props {
  version: Version;
  rollout: Rollout | null;
  health: RolloutHealth | undefined;
}

export function RolloutPanel({ version, rollout, health }: Props) {
  const { rollouts: texts } = useTexts();
  const format = useFormat();
  const [, open] = useDeed();
  const { yanked_at: yanked, yank_reason: reason } = version;
  // A rollout that could be changed when it was opened keeps the room of its buttons.
  const [changes] = useState(() => rollout !== null && isOpen(rollout) && yanked === null);
  const label = (deed: Deed) => (deed === "advance" ? texts.advance(nextShare(format, rollout)) : texts[deed as "pause"]);
  return (
    <Paper withBorder p="md" component="section" aria-label={texts.title}>
      <Stack gap="sm">
        <Group justify="space-between" gap="xs">
          <Group gap="xs">
            <Title order={2} fz="md" fw={600}>
              {texts.title}
            </Title>
            {rollout && <Tone tone={rolloutTones[rollout.state]}>{texts.states[rollout.state] ?? rollout.state}</Tone>}
            {yanked !== null && <Tone tone="bad">{texts.yank.mark}</Tone>}
          </Group>
          <Group gap={6} className={styles.actions} data-changes={changes || undefined}>
            {deedsOf(version, rollout).map((deed) => (
              <Button
                key={deed}
                size="xs"
                variant="default"
                {...(deed === "abort" && { c: "var(--mantine-color-error)" })}
                onClick={() => open({ deed })}
              >
                {label(deed)}
              </Button>
            ))}
            {yanked !== null && (
              <Button size="xs" variant="default" onClick={() => open({ deed: "back" })}>
                {texts.yank.back}
              </Button>
            )}
          </Group>
        </Group>
        <Text>
          <Room of={`${texts.paused("100 %", "10.10.10")} ${texts.seen("1,000")}`}>
            {yanked !== null ? (
              texts.yank.since(version.version, format.time(yanked))
            ) : rollout ? (
              <Reach rollout={rollout} health={health} />
            ) : (
              texts.everybody(version.version)
            )}
          </Room>
        </Text>
        {rollout && <Steps rollout={rollout} />}
        {yanked === null ? (
          <Next rollout={rollout} />
        ) : (
          <Text size="sm" c="dimmed" className={styles.reason} title={reason ?? ""}>
            <bdi>{reason}</bdi>
          </Text>
        )}
        {rollout?.cohort && <Cohort cohort={rollout.cohort} />}
      </Stack>
    </Paper>
  );
}

function nextShare(format: Format, rollout: Rollout | null): string {
  const next = rollout?.steps[rollout.step + 1];
  return next ? percentOf(format, next) : "";
}

/** A sentence about who is offered the version, and how many users have it. */
function Reach({ rollout, health }: { rollout: Rollout; health: RolloutHealth | undefined }) {
  const { rollouts: texts } = useTexts();
  const format = useFormat();
  const { state, version, completed_at: completed } = rollout;
  const share = percentOf(format, rollout);
  const sentence =
    state === "running"
      ? texts.running(share, version)
      : state === "paused"
        ? texts.paused(share, version)
        : state === "held"
          ? texts.held(version)
          : state === "completed"
            ? texts.completed(version, format.time(completed ?? 0))
            : texts.aborted(version);
  const seen = seenOn(health);
  // A single text, so that its second sentence does not count as moved when the first one changes.
  return seen > 0 ? `${sentence} ${texts.seen(format.number(seen))}` : sentence;
}

function Steps({ rollout: { steps, step, state } }: { rollout: Rollout }) {
  const { rollouts: texts } = useTexts();
  const format = useFormat();
  const over = state === "completed";
  return (
    <ol className={styles.steps} aria-label={texts.steps}>
      {steps.map((one, at) => {
        const phase = over || at < step ? "done" : at === step ? "current" : "next";
        const last = at === steps.length - 1;
        return (
          <li key={one.percent} className={styles.step} data-phase={phase} aria-current={phase === "current" ? "step" : undefined}>
            <strong>{percentOf(format, one)}</strong>
            <span className="offscreen"> {texts.stateOfStep[phase]}</span>
            {!last && (
              <Text span size="xs" c="dimmed" display="block">
                {one.hold_seconds > 0 ? texts.stays(format.duration(one.hold_seconds)) : texts.stay}
                {one.min_exposure > 0 && <br />}
                {one.min_exposure > 0 && texts.needs(format.number(one.min_exposure))}
              </Text>
            )}
          </li>
        );
      })}
    </ol>
  );
}

/** Says what the rollout waits for. */
function Next({ rollout }: { rollout: Rollout | null }) {
  const { rollouts: texts } = useTexts();
  const format = useFormat();
  const text = () => {
    const { step = 0, steps = [], auto_advance: auto, step_started_at: began = null } = rollout ?? {};
    const [current, next] = [steps[step], steps[step + 1]];
    if (rollout?.state !== "running" || !next) {
      return "";
    }
    if (!auto || began === null || !current) {
      return texts.byHand;
    }
    const due = began + current.hold_seconds;
    return due > now()
      ? texts.nextAt(percentOf(format, next), format.ago(due))
      : texts.nextUsers(percentOf(format, next), format.number(current.min_exposure));
  };
  return (
    <Text size="sm" c="dimmed">
      <Room of={texts.nextUsers("100 %", "1,000")}>{text()}</Room>
    </Text>
  );
}

function Cohort({ cohort }: { cohort: NonNullable<Rollout["cohort"]> }) {
  const { rollouts: texts } = useTexts();
  const format = useFormat();
  const platformName = usePlatformName();
  const { platforms, countries, current_min: min, current_max: max } = cohort;
  const parts = [
    ...(platforms.length > 0 ? [texts.onPlatforms(format.list(platforms.map(platformName)))] : []),
    ...(countries.length > 0 ? [texts.inCountries(format.list(countries.map(format.country)))] : []),
    ...(min ? [texts.fromVersion(min)] : []),
    ...(max ? [texts.toVersion(max)] : []),
  ];
  return (
    <Text size="sm" c="dimmed">
      {texts.only(parts.join(", "))}
    </Text>
  );
}

export function History({ rollout: { history } }: { rollout: Rollout }) {
  const { rollouts: texts } = useTexts();
  const format = useFormat();
  const by = (who: string) =>
    who === "schedule" ? texts.schedule : who.startsWith("rule ") ? texts.byRule(who.slice("rule ".length)) : who;
  return (
    <section aria-label={texts.history}>
      <Title order={2} fz="md" fw={600} mb={6}>
        {texts.history}
      </Title>
      <Table.ScrollContainer
        minWidth={480}
        scrollAreaProps={{ viewportProps: { tabIndex: 0, role: "group", "aria-label": texts.history } }}
      >
        <Table verticalSpacing={6} withTableBorder>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{texts.time}</Table.Th>
              <Table.Th>{texts.action}</Table.Th>
              <Table.Th ta="right">{texts.share}</Table.Th>
              <Table.Th>{texts.by}</Table.Th>
              <Table.Th>{texts.reason}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {history.map(({ at, action, percent, by: who, reason }, index) => (
              <Table.Tr key={`${at} ${history.length - index}`}>
                <Table.Td className={styles.when}>{format.time(at)}</Table.Td>
                <Table.Td>{texts.actions[action] ?? action}</Table.Td>
                <Table.Td ta="right">{percentOf(format, { percent })}</Table.Td>
                <Table.Td>{by(who)}</Table.Td>
                <Table.Td>
                  <bdi>{reason}</bdi>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </section>
  );
}
