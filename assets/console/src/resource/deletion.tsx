// The dialog that confirms a permanent deletion. It names the record, and everything that is
// deleted with it.

import { Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useAddress } from "../core/address";
import { clientOf } from "../core/client";
import { Failure } from "../core/failure";
import { noticeDone } from "../core/notice";
import { useTexts } from "../core/texts";
import { useFocusReturn } from "./focus";
import type { List } from "./list";
import { useRecord } from "./record";
import { type Resource, titleName } from "./resource";

export function DeletionDialog<R extends object, D extends object>({
  resource,
  remove,
  list,
}: {
  resource: Resource<R, D>;
  remove: NonNullable<Resource<R, D>["remove"]>;
  list: List<R>;
}) {
  const [address, change] = useAddress();
  const { record } = useRecord(resource, list, address["delete"]);
  const close = () => change({ delete: undefined });
  return address["delete"] && record ? (
    <Deletion
      key={address["delete"]}
      {...{ resource, remove, list, record, close }}
      onDeleted={() => change({ delete: undefined, open: undefined })}
    />
  ) : null;
}

function Deletion<R extends object, D extends object>({
  resource,
  remove,
  list,
  record,
  close,
  onDeleted,
}: {
  resource: Resource<R, D>;
  remove: NonNullable<Resource<R, D>["remove"]>;
  list: List<R>;
  record: R;
  close: () => void;
  onDeleted: () => void;
}) {
  const texts = useTexts();
  const { common } = texts;
  const queries = useQueryClient();
  useFocusReturn(resource.id(record));
  const [typed, setTyped] = useState("");
  const wanted = remove.type?.(record);
  const run = useMutation({
    mutationFn: () => remove.run(clientOf(list.project).admin, record),
    onSuccess: () => {
      onDeleted();
      void queries.invalidateQueries({ queryKey: [resource.name] });
      noticeDone(texts, common.deleted);
    },
  });
  const label = remove.label ?? common.delete;
  const title = common.actionTitle(label, titleName(resource, record, common));
  return (
    <Modal opened onClose={close} title={title} closeButtonProps={{ "aria-label": common.close }}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          run.mutate();
        }}
      >
        <Stack gap="sm">
          {remove.consequences?.(record)}
          <Text size="sm" fw={500}>
            {common.deletion.final}
          </Text>
          {wanted !== undefined && (
            <TextInput
              data-autofocus
              autoComplete="off"
              label={common.deletion.type(wanted)}
              value={typed}
              onChange={({ currentTarget }) => setTyped(currentTarget.value)}
            />
          )}
          {run.error && <Failure error={run.error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close} data-autofocus={wanted === undefined || undefined}>
              {common.cancel}
            </Button>
            <Button type="submit" color="red" loading={run.isPending} disabled={wanted !== undefined && typed.trim() !== wanted}>
              {label}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
