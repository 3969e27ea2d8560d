// Rotates an API key: it gets a new text, and the former one stays valid for a while.

import { Button, Group, Modal, NumberInput, Stack, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useAddress } from "../../core/address";
import { clientOf } from "../../core/client";
import { Failure } from "../../core/failure";
import { useFormat } from "../../core/format";
import { useTexts } from "../../core/texts";
import { listKey } from "../../resource/list";
import { ShownKey } from "./shown";

/** The dialog that rotates an API key. */
export function RotateDialog() {
  const { common, tokens } = useTexts();
  const [address, change] = useAddress();
  const id = address["rotate"];
  const keys = useQuery({
    queryKey: ["tokens", "", "rotate"],
    queryFn: ({ signal }) => clientOf("").admin.listApiKeys({ signal }),
    enabled: id !== undefined,
  });
  const key = keys.data?.data.find((other) => other.id === id);
  const close = () => change({ rotate: undefined });
  return (
    <Modal
      opened={id !== undefined}
      onClose={close}
      title={key ? tokens.rotateTitle(key.name) : tokens.rotate}
      closeButtonProps={{ "aria-label": common.close }}
    >
      {key ? (
        <Rotate key={id} id={key.id} onClose={close} />
      ) : keys.error ? (
        <Failure error={keys.error} retry={() => void keys.refetch()} />
      ) : (
        <Text c="dimmed">{keys.data ? common.recordGone : common.loading}</Text>
      )}
    </Modal>
  );
}

const longestGrace = 10_080;

function Rotate({ id, onClose }: { id: string; onClose: () => void }) {
  const { common, tokens } = useTexts();
  const format = useFormat();
  const queries = useQueryClient();
  const [minutes, setMinutes] = useState<number | string>(60);
  const rotate = useMutation({
    mutationFn: () => clientOf("").admin.rotateApiKey(id, { grace_period_minutes: Number(minutes) }),
    onSuccess: () => void queries.invalidateQueries({ queryKey: listKey("tokens", "") }),
  });
  const wrong = minutes === "" || !Number.isInteger(Number(minutes)) || Number(minutes) < 0 || Number(minutes) > longestGrace;
  if (rotate.data) {
    const until = rotate.data.previous_key_expires_at;
    return (
      <ShownKey
        token={rotate.data.token}
        former={until === null ? tokens.shown.formerEnded : tokens.shown.former(format.time(until))}
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
        <Text size="sm">{tokens.rotateText}</Text>
        <NumberInput
          label={tokens.grace}
          description={tokens.graceHint}
          min={0}
          max={longestGrace}
          allowDecimal={false}
          clampBehavior="none"
          data-autofocus
          value={minutes}
          onChange={setMinutes}
          error={wrong && tokens.graceWrong}
        />
        {rotate.error && <Failure error={rotate.error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
          <Button type="submit" loading={rotate.isPending} disabled={wrong}>
            {tokens.rotate}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
