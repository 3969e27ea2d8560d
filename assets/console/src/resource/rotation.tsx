// Secrets that are shown only once, after they have been created or rotated.

import { Alert, Button, Group, NumberInput, Stack, Text, TextInput } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { CopyButton } from "../core/copy";
import { Failure } from "../core/failure";
import { useFormat } from "../core/format";
import { useTexts } from "../core/texts";

interface ShownTexts {
  title: string;
  text: string;
  /** The label of the secret. */
  key: string;
  done: string;
  /** What follows for the previous secret. */
  former(time: string): string;
  formerEnded: string;
}

/** Shows a secret that cannot be displayed again. */
export function ShownOnce({ texts, secret, former, onDone }: { texts: ShownTexts; secret: string; former?: string; onDone: () => void }) {
  return (
    <Stack gap="md">
      <Alert color="yellow" title={texts.title} icon={<IconAlertTriangle aria-hidden />}>
        {texts.text}
      </Alert>
      <Group gap="xs" align="flex-end" wrap="nowrap">
        <TextInput
          data-autofocus
          label={texts.key}
          value={secret}
          readOnly
          flex={1}
          onFocus={({ currentTarget }) => currentTarget.select()}
        />
        <CopyButton text={secret} size="sm" />
      </Group>
      {former && <Text size="sm">{former}</Text>}
      <Group justify="flex-end">
        <Button onClick={onDone}>{texts.done}</Button>
      </Group>
    </Stack>
  );
}

export interface RotationTexts {
  shown: ShownTexts;
  rotate: string;
  rotateText: string;
  grace: string;
  graceHint: string;
  graceWrong: string;
}

const longestGrace = 10_080;

/**
 * Asks how long the previous secret stays valid, rotates the secret, and shows the new one. `run`
 * takes minutes, and `until` is in Unix seconds.
 */
export function Rotation({
  texts,
  run,
  onClose,
}: {
  texts: RotationTexts;
  run: (minutes: number) => Promise<{ secret: string; until: number | null }>;
  onClose: () => void;
}) {
  const { common } = useTexts();
  const format = useFormat();
  const [minutes, setMinutes] = useState<number | string>(60);
  const rotate = useMutation({ mutationFn: () => run(Number(minutes)) });
  const wrong = minutes === "" || !Number.isInteger(Number(minutes)) || Number(minutes) < 0 || Number(minutes) > longestGrace;
  if (rotate.data) {
    const { secret, until } = rotate.data;
    return (
      <ShownOnce
        texts={texts.shown}
        secret={secret}
        former={until === null ? texts.shown.formerEnded : texts.shown.former(format.time(until))}
        onDone={onClose}
      />
    );
  }
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (!wrong) {
          rotate.mutate();
        }
      }}
    >
      <Stack gap="md">
        <Text size="sm">{texts.rotateText}</Text>
        <NumberInput
          label={texts.grace}
          description={texts.graceHint}
          min={0}
          max={longestGrace}
          allowDecimal={false}
          clampBehavior="none"
          data-autofocus
          value={minutes}
          onChange={setMinutes}
          error={wrong && texts.graceWrong}
        />
        {rotate.error && <Failure error={rotate.error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
          <Button type="submit" loading={rotate.isPending} disabled={wrong}>
            {texts.rotate}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
