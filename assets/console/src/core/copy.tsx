// Copying to the clipboard, also where pages may not write to it themselves.

import { ActionIcon, Button, Tooltip } from "@mantine/core";
import { useTimeout } from "@mantine/hooks";
import { IconCheck, IconCopy } from "@tabler/icons-react";
import { useState } from "react";
import { useTexts } from "./texts";

/** Copies a text; whether that worked. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Pages without TLS have no clipboard of their own: a selection does.
    const area = document.createElement("textarea");
    area.value = text;
    area.className = "offscreen";
    const before = document.activeElement;
    // A dialog keeps the focus inside of it.
    (before?.closest("[role=dialog]") ?? document.body).append(area);
    area.select();
    const copied = document.execCommand("copy");
    area.remove();
    (before as HTMLElement | null)?.focus();
    return copied;
  }
}

/** Whether a text was just copied, and what copies it. */
function useCopy(text: string): [boolean, () => void] {
  const [copied, setCopied] = useState(false);
  const { start } = useTimeout(() => setCopied(false), 1500);
  const copy = async () => {
    setCopied(await copyText(text));
    start();
  };
  return [copied, () => void copy()];
}

/** A button that copies a text and says so. */
export function CopyButton({ text, label }: { text: string; label?: string | undefined }) {
  const { common } = useTexts();
  const [copied, copy] = useCopy(text);
  return (
    <Button
      variant="default"
      size="compact-sm"
      leftSection={copied ? <IconCheck size={14} aria-hidden /> : <IconCopy size={14} aria-hidden />}
      onClick={copy}
    >
      {copied ? common.copied : (label ?? common.copy)}
    </Button>
  );
}

/** A small one for beside a value. */
export function CopyIcon({ text, label }: { text: string; label?: string | undefined }) {
  const { common } = useTexts();
  const [copied, copy] = useCopy(text);
  const name = copied ? common.copied : (label ?? common.copy);
  return (
    <Tooltip label={name}>
      <ActionIcon variant="subtle" color="gray" aria-label={name} onClick={copy}>
        {copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
      </ActionIcon>
    </Tooltip>
  );
}
