// The dialog that sends a test event over a hook.

import { Alert, Button, Group, Modal, Skeleton, Stack, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import type { Hook, HookTest } from "svc-sdk";
import { Failure } from "../../core/failure";
import { useFormat } from "../../core/format";
import { sentence } from "../../core/sentence";
import { useTexts } from "../../core/texts";
import { hookCalls } from "./calls";
import styles from "./hooks.module.css";

export function TestDialog({ hook: { id, name }, project, onClose }: { hook: Hook; project: string; onClose: () => void }) {
  const { common, hooks } = useTexts();
  const queries = useQueryClient();
  const test = useMutation({
    mutationFn: () => hookCalls(project).test(id),
    onSettled: () => void queries.invalidateQueries({ queryKey: ["hooks"] }),
  });
  const { mutate } = test;
  useEffect(() => mutate(), [mutate]);
  return (
    <Modal opened onClose={onClose} title={hooks.test.title(name)} closeButtonProps={{ "aria-label": common.close }}>
      <Stack gap="md">
        <div className={styles.result} role="status">
          {test.data && !test.isPending ? (
            <Result result={test.data} />
          ) : test.error ? (
            <Failure error={test.error} />
          ) : (
            <Skeleton height="100%" role="img" aria-label={hooks.test.running} />
          )}
        </div>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" loading={test.isPending} onClick={() => mutate()}>
            {hooks.test.again}
          </Button>
          <Button data-autofocus onClick={onClose}>
            {common.close}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

function Result({ result: { ok, status, latency_ms: latency, response, error } }: { result: HookTest }) {
  const { test } = useTexts().hooks;
  const format = useFormat();
  const time = `${format.number(latency)} ms`;
  return (
    <Stack gap="xs">
      <Alert color={ok ? "green" : "red"} py="xs">
        <Text size="sm">{ok ? test.accepted(String(status), time) : status ? test.refused(String(status), time) : test.silent(time)}</Text>
        {error && (
          <Text size="sm" className="lines">
            {sentence(error)}
          </Text>
        )}
      </Alert>
      {response !== null && <Answer text={response} />}
    </Stack>
  );
}

/** Shows the beginning of an answer, which may contain anything. */
export function Answer({ text }: { text: string }) {
  const { hooks } = useTexts();
  return (
    <div>
      <Text size="xs" c="dimmed" mb={4}>
        {hooks.answer}
      </Text>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard */}
      <pre className={styles.answer} tabIndex={0}>
        {text || hooks.emptyAnswer}
      </pre>
    </div>
  );
}
