// The dialog that deletes logs by time, level and address. It first counts the logs. The user then
// confirms the deletion by typing the count.

import { Button, Group, Modal, Select, SimpleGrid, Stack, Text, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import type { LogPrune } from "svc-sdk";
import { transferClientOf } from "../../core/client";
import { now } from "../../core/clock";
import { Failure } from "../../core/failure";
import { useFormat } from "../../core/format";
import { noticeDone } from "../../core/notice";
import { useTexts } from "../../core/texts";
import { TimeField } from "../../fields/time";
import { useFocusReturn } from "../../resource/focus";

/** The conditions of a count, and the number of logs that matched. */
interface Counted {
  conditions: LogPrune;
  matched: number;
}

export function PruneDialog({ project, onClose }: { project: string; onClose: () => void }) {
  const texts = useTexts();
  const { logs, sent, common } = texts;
  const format = useFormat();
  const queries = useQueryClient();
  useFocusReturn();
  const [end, setEnd] = useState<number | null>(null);
  const [level, setLevel] = useState<string | null>(null);
  const [ip, setIp] = useState("");
  const [typed, setTyped] = useState("");
  const { admin } = transferClientOf(project);
  const none = end === null && level === null && !ip.trim();
  const count = useMutation({
    mutationFn: async (): Promise<Counted> => {
      const conditions: LogPrune = {
        // End the range now, so that logs which arrive after the count are not deleted.
        end_time: end ?? Math.floor(now()) + 1,
        ...(level !== null && { level: Number(level) }),
        ...(ip.trim() && { ip: ip.trim() }),
      };
      const { matched } = await admin.pruneLogs({ ...conditions, dry_run: true });
      return { conditions, matched };
    },
  });
  const prune = useMutation({
    mutationFn: ({ conditions }: Counted) => admin.pruneLogs(conditions),
    onSuccess: ({ deleted }) => {
      noticeDone(texts, logs.prune.deleted(format.number(deleted), deleted));
      onClose();
    },
    // Refresh the lists even after a failure, because the request may have deleted some of the
    // logs.
    onSettled: () => queries.invalidateQueries({ queryKey: ["logs"] }),
  });
  const counted = count.data;
  /** Wraps the setter of a condition, so that a change of the condition discards the count. */
  const changing =
    <T,>(set: (value: T) => void) =>
    (value: T) => {
      set(value);
      setTyped("");
      count.reset();
      prune.reset();
    };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!counted) {
      count.mutate();
    } else if (typed.trim() === String(counted.matched)) {
      prune.mutate(counted);
    }
  };
  return (
    <Modal opened onClose={onClose} title={logs.prune.title} closeButtonProps={{ "aria-label": common.close }}>
      <form onSubmit={submit}>
        <Stack gap="md">
          <Text size="sm" c="dimmed">
            {logs.prune.text}
          </Text>
          <TimeField label={logs.prune.before} value={end} onChange={changing(setEnd)} />
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
            <Select
              label={logs.level}
              placeholder={logs.prune.anyLevel}
              clearable
              clearButtonProps={{ "aria-label": common.labelled(common.reset, logs.level) }}
              data={logs.levels.map((label, value) => ({ value: String(value), label }))}
              value={level}
              onChange={changing(setLevel)}
            />
            <TextInput
              label={sent.ip}
              placeholder={logs.prune.anyIp}
              maxLength={64}
              autoComplete="off"
              spellCheck={false}
              value={ip}
              onChange={({ currentTarget }) => changing(setIp)(currentTarget.value)}
            />
          </SimpleGrid>
          {counted && (
            <Text size="sm" fw={500} role="status">
              {counted.matched === 0
                ? logs.prune.none
                : `${logs.prune.matched(format.number(counted.matched), counted.matched)} ${common.deletion.final}`}
            </Text>
          )}
          {counted && counted.matched > 0 && (
            <TextInput
              autoFocus
              label={common.deletion.type(String(counted.matched))}
              inputMode="numeric"
              autoComplete="off"
              value={typed}
              onChange={({ currentTarget }) => setTyped(currentTarget.value)}
            />
          )}
          {(count.error || prune.error) && <Failure error={count.error ?? prune.error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {common.cancel}
            </Button>
            {counted && counted.matched > 0 ? (
              <Button type="submit" color="red" loading={prune.isPending} disabled={typed.trim() !== String(counted.matched)}>
                {logs.prune.delete(format.number(counted.matched), counted.matched)}
              </Button>
            ) : (
              <Button type="submit" loading={count.isPending} disabled={none || Number.isNaN(end) || counted !== undefined}>
                {logs.prune.count}
              </Button>
            )}
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
