// Copying to the clipboard, even if pages may not write to it directly.

import { ActionIcon, Button, Tooltip } from "@mantine/core";
import { useTimeout } from "@mantine/hooks";
import { IconCheck, IconCopy } from "@tabler/icons-react";
import { useState } from "react";
import { useTexts } from "./texts";

/** Copies a text; resolves to whether that worked. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Pages without TLS have no clipboard API; copy a selection instead.
    const area = document.createElement("textarea");
    area.value = text;
    area.className = "offscreen";
    const before = document.activeElement;
    // A dialog keeps the focus inside.
    (before?.closest("[role=dialog]") ?? document.body).append(area);
    area.select();
    const copied = document.execCommand("copy");
    area.remove();
    (before as HTMLElement | null)?.focus();
    return copied;
  }
}

/** Whether a text has just been copied, and the function that copies it. */
function useCopy(text: string): [boolean, () => void] {
  const [copied, setCopied] = useState(false);
  const { start } = useTimeout(() => setCopied(false), 1500);
  const copy = async () => {
    setCopied(await copyText(text));
    start();
  };
  return [copied, () => void copy()];
}

/** A button that copies a text and confirms it. Its width is that of the longer of both labels. */
export function CopyButton({ text, label, size = "compact-sm" }: { text: string; label?: string; size?: "compact-sm" | "sm" }) {
  const { common } = useTexts();
  const [copied, copy] = useCopy(text);
  const name = label ?? common.copy;
  return (
    <Button
      variant="default"
      size={size}
      flex="none"
      leftSection={copied ? <IconCheck size={14} aria-hidden /> : <IconCopy size={14} aria-hidden />}
      onClick={copy}
    >
      <span className="either">
        <span data-unseen={copied || undefined} aria-hidden={copied}>
          {name}
        </span>
        <span data-unseen={!copied || undefined} aria-hidden={!copied}>
          {common.copied}
        </span>
      </span>
    </Button>
  );
}

/** A small copy button beside a value. */
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
