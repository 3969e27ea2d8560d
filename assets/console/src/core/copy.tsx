// Copies texts to the clipboard, even on pages that may not write to it directly.

import { ActionIcon, Button, Tooltip } from "@mantine/core";
import { useTimeout } from "@mantine/hooks";
import { IconCheck, IconCopy } from "@tabler/icons-react";
import { useState } from "react";
import { useTexts } from "./texts";

/** Copies a text. The promise resolves to whether that succeeded. */
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
    // Add the element inside of the dialog, because a dialog does not let the focus leave it.
    (before?.closest("[role=dialog]") ?? document.body).append(area);
    area.select();
    const copied = document.execCommand("copy");
    area.remove();
    (before as HTMLElement | null)?.focus();
    return copied;
  }
}

/** Returns whether the text has just been copied, and the function that copies it. */
function useCopy(text: string): [boolean, () => void] {
  const [copied, setCopied] = useState(false);
  const { start } = useTimeout(() => setCopied(false), 1500);
  const copy = async () => {
    setCopied(await copyText(text));
    start();
  };
  return [copied, () => void copy()];
}

/**
 * A button that copies a text and then shows that it has. It is as wide as the longer one of its
 * two labels, so that nothing moves.
 */
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
