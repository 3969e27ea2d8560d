// What an administrator can do with the rollout of a version. Each action opens a dialog, which is in
// the address and says who is affected.

import { Button, Group, Modal, Select, Stack, Text, Textarea } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Rollout, RolloutHealth, Version } from "svc-sdk";
import { choiceParam, useParams } from "../../core/address";
import { type Admin, clientOf } from "../../core/client";
import { Failure } from "../../core/failure";
import { useFormat } from "../../core/format";
import { noticeDone } from "../../core/notice";
import { useTexts } from "../../core/texts";
import { isAbove } from "../../fields/comparable";
import { newPlan, planOf, rises, rolloutFields } from "../../fields/plan";
import { PlanField } from "../../fields/planfield";
import { isOpen, percentOf, seenOn } from "../../resource/rollout";
import { useUsage } from "../../resource/usage";

const deeds = ["pause", "resume", "advance", "complete", "abort", "change", "start", "yank", "back"] as const;

export type Deed = (typeof deeds)[number];

const params = { deed: choiceParam(["", ...deeds]) };

/** Returns the action whose dialog is open, and the function that opens one. */
export const useDeed = () => useParams(params);

/** An action that only needs a reason. */
type Simple = Exclude<Deed, "change" | "start" | "yank" | "back">;

type OfRollout = Exclude<Deed, "yank" | "back">;

/** Returns the actions that are possible for a rollout. */
export function deedsOf({ yanked_at: yanked }: Version, rollout: Rollout | null): OfRollout[] {
  if (yanked !== null) {
    return [];
  }
  if (!rollout) {
    return ["start"];
  }
  const more = rollout.step + 1 < rollout.steps.length;
  // These come first, so that they stay where they are when the others change.
  const always = ["change", "complete", "abort"] as const;
  const possible: Record<string, OfRollout[]> = {
    running: [...always, "pause", ...(more ? (["advance"] as const) : [])],
    paused: [...always, "resume"],
    held: [...always, "resume"],
  };
  return possible[rollout.state] ?? [];
}

interface Props {
  project: string;
  version: Version;
  rollout: Rollout | null;
  health: RolloutHealth | undefined;
}

export function DeedDialog(props: Props) {
  const [{ deed }] = useDeed();
  const { version, rollout } = props;
  if (deed === "yank") {
    return <YankDialog {...props} />;
  }
  if (deed === "back") {
    return version.yanked_at === null ? null : <BackDialog {...props} />;
  }
  if (deed === "change" || deed === "start") {
    return deedsOf(version, rollout).includes(deed) ? <PlanDialog {...props} deed={deed} /> : null;
  }
  return deed !== "" && rollout && deedsOf(version, rollout).includes(deed) ? (
    <RolloutDialog {...props} rollout={rollout} deed={deed} />
  ) : null;
}

/** Runs a change, refreshes what depends on it, closes the dialog, and says what was done. */
function useChange(project: string, run: (admin: Admin) => Promise<unknown>, done: string, undo?: (admin: Admin) => Promise<unknown>) {
  const texts = useTexts();
  const queries = useQueryClient();
  const [, change] = useDeed();
  const { admin } = clientOf(project);
  const refresh = () => queries.invalidateQueries({ queryKey: ["versions"] });
  return useMutation({
    mutationFn: () => run(admin),
    onSuccess: async () => {
      await refresh();
      change({ deed: "" });
      noticeDone(texts, done, undo && (() => void undo(admin).finally(refresh)));
    },
  });
}

function RolloutDialog({ project, version: { id, version }, rollout, health, deed }: Props & { rollout: Rollout; deed: Simple }) {
  const { common, rollouts: texts } = useTexts();
  const format = useFormat();
  const [reason, setReason] = useState("");
  const [missing, setMissing] = useState(false);
  const held = rollout.state === "held" && deed === "resume";
  const body = reason.trim() ? { reason: reason.trim() } : {};
  const calls: Record<typeof deed, (admin: Admin) => Promise<unknown>> = {
    pause: (admin) => admin.pauseRollout(id, body),
    resume: (admin) => admin.resumeRollout(id, body),
    advance: (admin) => admin.advanceRollout(id, body),
    complete: (admin) => admin.completeRollout(id, body),
    abort: (admin) => admin.abortRollout(id, body),
  };
  const undo =
    deed === "pause"
      ? (admin: Admin) => admin.resumeRollout(id)
      : deed === "resume" && !held
        ? (admin: Admin) => admin.pauseRollout(id)
        : undefined;
  const work = useChange(project, calls[deed], texts.done[deed](version), undo);
  const share = percentOf(format, rollout);
  const next = rollout.steps[rollout.step + 1];
  const to = next ? percentOf(format, next) : "";
  const seen = seenOn(health);
  const effect = {
    pause: texts.effects.pause(share, version),
    resume: held ? texts.effects.resumeHeld(share, version) : texts.effects.resume(share, version),
    advance: texts.effects.advance(share, to, version),
    complete: texts.effects.complete(version),
    abort: texts.effects.abort(version),
  }[deed];
  const label = deed === "advance" ? texts.advance(to) : texts[deed];
  return (
    <Dialog
      title={common.labelled(texts.title, version)}
      label={label}
      work={work}
      grave={deed === "abort"}
      submit={() => {
        setMissing(held && !reason.trim());
        if (!held || reason.trim()) {
          work.mutate();
        }
      }}
    >
      <Text size="sm">
        {effect} {seen > 0 && texts.seen(format.number(seen))}
      </Text>
      <Textarea
        label={texts.reason}
        description={texts.reasonHint}
        autosize
        minRows={2}
        maxLength={512}
        required={held}
        data-autofocus={held || undefined}
        value={reason}
        error={missing && texts.reasonNeeded}
        onChange={({ currentTarget }) => setReason(currentTarget.value)}
      />
    </Dialog>
  );
}

/** Begins a rollout, or changes its steps and its cohort. */
function PlanDialog({ project, version: { id, version }, rollout, deed }: Props & { deed: "change" | "start" }) {
  const { common, rollouts: texts } = useTexts();
  const [plan, setPlan] = useState(() => (rollout ? planOf(rollout) : newPlan()));
  const [wrong, setWrong] = useState(false);
  const work = useChange(project, (admin) => admin.setRollout(id, rolloutFields(plan, rollout?.percent)), texts.done[deed](version));
  return (
    <Dialog
      title={common.labelled(texts[deed], version)}
      label={texts[deed]}
      work={work}
      submit={() => {
        setWrong(!rises(plan));
        if (rises(plan)) {
          work.mutate();
        }
      }}
    >
      {deed === "start" && <Text size="sm">{texts.effects.start(version)}</Text>}
      <PlanField label={texts.plan.steps} value={plan} onChange={setPlan} error={wrong && texts.plan.rises} started={deed === "change"} />
    </Dialog>
  );
}

function YankDialog({ project, version, rollout }: Props) {
  const { rollouts } = useTexts();
  const texts = rollouts.yank;
  const format = useFormat();
  const { id, version: name, comparable_version: comparable, is_latest: latest } = version;
  const [reason, setReason] = useState(version.yank_reason ?? "");
  const [to, setTo] = useState<string | null>(null);
  const [missing, setMissing] = useState(false);
  const usage = useUsage(project);
  const known = useQuery({
    queryKey: ["versions", project, "below", id],
    queryFn: ({ signal }) => clientOf(project).admin.listVersions({ limit: 100, is_yanked: "false", is_deprecated: "false" }, { signal }),
  });
  const open = useQuery({
    queryKey: ["versions", project, "rollouts"],
    queryFn: ({ signal }) => clientOf(project).admin.listRollouts({ limit: 100 }, { signal }),
  });
  const incomplete = new Set(open.data?.data.filter(({ state }) => state !== "completed").map(({ version_id: of }) => of));
  const below = (known.data?.data ?? []).filter(
    (one) => isAbove(comparable, one.comparable_version) && !incomplete.has(one.id) && (version.is_preview || !one.is_preview),
  );
  const target = below.find((one) => one.id === to) ?? below[0];
  const checks = usage.data?.data.find((line) => line.id === id)?.checks;
  const work = useChange(project, (admin) => admin.yankVersion(id, { reason: reason.trim(), downgrade_to: to }), texts.yanked(name));
  return (
    <Dialog
      title={texts.title(name)}
      label={texts.open}
      work={work}
      grave
      submit={() => {
        setMissing(!reason.trim());
        if (reason.trim()) {
          work.mutate();
        }
      }}
    >
      <Text size="sm" mih={84}>
        {[
          texts.effect(name),
          ...(checks === undefined ? [] : [texts.checks(format.number(checks))]),
          ...(known.data && open.data ? [target ? texts.downgrade(target.version) : texts.noDowngrade] : []),
          ...(rollout && isOpen(rollout) ? [texts.aborts] : []),
          ...(latest ? [texts.latest] : []),
        ].join(" ")}
      </Text>
      <Textarea
        label={texts.reason}
        description={texts.reasonHint}
        autosize
        minRows={2}
        maxLength={512}
        required
        data-autofocus
        value={reason}
        error={missing && texts.reasonNeeded}
        onChange={({ currentTarget }) => setReason(currentTarget.value)}
      />
      <Select
        label={texts.to}
        clearable
        placeholder={below[0] ? texts.greatest(below[0].version) : "–"}
        data={below.map((one) => ({ value: one.id, label: one.version }))}
        value={to}
        onChange={setTo}
      />
    </Dialog>
  );
}

function BackDialog({ project, version: { id, version, yank_reason: reason }, rollout }: Props) {
  const { rollouts } = useTexts();
  const texts = rollouts.yank;
  const aborted = rollout?.state === "aborted";
  const work = useChange(
    project,
    (admin) => admin.unyankVersion(id),
    aborted ? texts.takenAborted(version) : texts.taken(version),
    (admin) => admin.yankVersion(id, { reason: reason ?? "" }),
  );
  return (
    <Dialog title={texts.yanked(version)} label={texts.back} work={work} submit={() => work.mutate()}>
      <Text size="sm">{aborted ? texts.backAborted(version) : texts.backEffect(version)}</Text>
    </Dialog>
  );
}

interface DialogProps {
  title: string;
  label: string;
  work: { isPending: boolean; error: unknown };
  /** Whether the action cannot be undone. */
  grave?: boolean;
  submit(): void;
  children: React.ReactNode;
}

function Dialog({ title, label, work, grave = false, submit, children }: DialogProps) {
  const { common } = useTexts();
  const [, change] = useDeed();
  const close = () => change({ deed: "" });
  return (
    <Modal opened onClose={close} title={title} closeButtonProps={{ "aria-label": common.close }}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <Stack gap="sm">
          {children}
          {Boolean(work.error) && <Failure error={work.error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close}>
              {common.cancel}
            </Button>
            <Button type="submit" loading={work.isPending} {...(grave && { color: "red" })}>
              {label}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
