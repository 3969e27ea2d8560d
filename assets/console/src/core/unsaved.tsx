// Asks before the user leaves a page with unsaved text.

import { Button, Group, Modal, Text } from "@mantine/core";
import { useBlocker } from "@tanstack/react-router";
import { useTexts } from "./texts";

/** Asks before navigation or closing the page while there is unsaved text. */
export function UnsavedGuard({ unsaved }: { unsaved: boolean }) {
  const { common } = useTexts();
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => unsaved && current.pathname !== next.pathname,
    enableBeforeUnload: unsaved,
    withResolver: true,
  });
  return (
    <Modal
      opened={blocker.status === "blocked"}
      onClose={() => blocker.reset?.()}
      title={common.unsaved.title}
      size="sm"
      closeButtonProps={{ "aria-label": common.close }}
    >
      <Text size="sm">{common.unsaved.text}</Text>
      <Group justify="flex-end" gap="xs" mt="md">
        <Button variant="default" data-autofocus onClick={() => blocker.reset?.()}>
          {common.unsaved.keep}
        </Button>
        <Button color="red" onClick={() => blocker.proceed?.()}>
          {common.unsaved.discard}
        </Button>
      </Group>
    </Modal>
  );
}
