// A confirmation before an action that is hard to undo.

import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { Failure } from "./failure";
import { useTexts } from "./texts";

interface Props {
  title: string;
  text: string;
  /** The label of the confirming button. */
  label: string;
  run(): Promise<unknown>;
  onClose(): void;
}

/** Asks for confirmation, runs the action, and shows an error if it fails. Closes on success. */
export function Confirm({ title, text, label, run, onClose }: Props) {
  const { common } = useTexts();
  const work = useMutation({ mutationFn: run, onSuccess: onClose });
  return (
    <Modal opened onClose={onClose} title={title} size="sm" closeButtonProps={{ "aria-label": common.close }}>
      <Stack gap="sm">
        <Text size="sm">{text}</Text>
        {work.error && <Failure error={work.error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" data-autofocus onClick={onClose}>
            {common.cancel}
          </Button>
          <Button color="red" loading={work.isPending} onClick={() => work.mutate()}>
            {label}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
