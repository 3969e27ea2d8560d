// Short notices at the edge of the page: success with "undo", and failures with the server's
// message.

import { Button, Group, Text } from "@mantine/core";
import "@mantine/notifications/styles.layer.css";
import { Notifications, notifications } from "@mantine/notifications";
import type { Texts } from "../texts/en";
import { messagesOf, requestIdOf } from "./client";
import { copyText } from "./copy";
import styles from "./notices.module.css";

export function Notices() {
  return <Notifications position="bottom-right" layout="stacked" classNames={{ root: styles.notices! }} />;
}

/** ID of the last notice of showDone without "undo". */
let lastDone = "";
/** IDs of the notices with "undo", the last one at the end. */
const undoable: string[] = [];
/** The maximum number of notices with "undo". They lie on top of each other until the pointer or the focus is on them. */
const mostUndoable = 3;

/**
 * Reports that something was done; `undo` reverts it. The notice replaces the previous one without
 * "undo", which would otherwise wait behind it and close late.
 */
export function showDone(texts: Texts, message: string, undo?: () => void): void {
  notifications.hide(lastDone);
  const id = notifications.show({
    autoClose: undo ? 8_000 : 4_000,
    closeButtonProps: { "aria-label": texts.common.close },
    message: (
      <Group justify="space-between" wrap="nowrap">
        <Text size="sm">{message}</Text>
        {undo && (
          <Button
            size="compact-sm"
            variant="light"
            onClick={() => {
              notifications.hide(id);
              undo();
            }}
          >
            {texts.common.undo}
          </Button>
        )}
      </Group>
    ),
  });
  if (undo) {
    undoable.push(id);
    for (const old of undoable.splice(0, undoable.length - mostUndoable)) {
      notifications.hide(old);
    }
  } else {
    lastDone = id;
  }
}

/** Reports that something failed. */
export function showFailure(texts: Texts, error: unknown, retry?: () => void): void {
  const request = requestIdOf(error);
  const said = messagesOf(error).join("\n");
  const id = notifications.show({
    color: "red",
    autoClose: false,
    role: "alert",
    title: texts.common.failed,
    closeButtonProps: { "aria-label": texts.common.close },
    message: (
      <>
        <Text size="sm" className="lines">
          {said}
        </Text>
        <Group gap="xs" mt={4}>
          {request && (
            <Button size="compact-xs" variant="default" onClick={() => void copyText(`${said}\n${texts.common.requestId} ${request}`)}>
              {texts.common.copy}
            </Button>
          )}
          {retry && (
            <Button
              size="compact-xs"
              variant="default"
              onClick={() => {
                notifications.hide(id);
                retry();
              }}
            >
              {texts.common.retry}
            </Button>
          )}
        </Group>
      </>
    ),
  });
}
