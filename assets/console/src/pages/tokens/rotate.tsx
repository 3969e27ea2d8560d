// Rotates an API key: it gets a new text, and the former one stays valid for a while.

import { Modal, Text } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useAddress } from "../../core/address";
import { clientOf } from "../../core/client";
import { Failure } from "../../core/failure";
import { useTexts } from "../../core/texts";
import { listKey } from "../../resource/list";
import { Rotation } from "../../resource/rotation";

/** The dialog that rotates an API key. */
export function RotateDialog() {
  const { common, tokens } = useTexts();
  const [address, change] = useAddress();
  const queries = useQueryClient();
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
        <Rotation
          key={id}
          texts={tokens}
          run={async (minutes) => {
            const rotated = await clientOf("").admin.rotateApiKey(key.id, { grace_period_minutes: minutes });
            void queries.invalidateQueries({ queryKey: listKey("tokens", "") });
            return { secret: rotated.token, until: rotated.previous_key_expires_at };
          }}
          onClose={close}
        />
      ) : keys.error ? (
        <Failure error={keys.error} retry={() => void keys.refetch()} />
      ) : (
        <Text c="dimmed">{keys.data ? common.recordGone : common.loading}</Text>
      )}
    </Modal>
  );
}
