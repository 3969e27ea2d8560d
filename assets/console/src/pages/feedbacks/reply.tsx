// The reply to the sender of feedback. It is written as a draft, which stays in this browser until
// it is sent. Below it stands what the sender sees now.

import { Button, Group, Input, Kbd, Text, Textarea, Tooltip } from "@mantine/core";
import { useMutationState } from "@tanstack/react-query";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import type { Feedback } from "svc-sdk";
import { useFormat } from "../../core/format";
import { modKey, useShortcuts } from "../../core/keys";
import { useTexts } from "../../core/texts";
import { keepUnsent, unsent, useUnsent } from "../../core/unsent";
import classes from "./feedbacks.module.css";

interface Props {
  feedback: Feedback;
  /** Sends the text; "" removes the reply. */
  onSend: (text: string, resolved: boolean) => void;
  /** Whether the feedback can be resolved together with the reply. */
  canResolve: boolean;
  within: () => HTMLElement | null;
}

export function Reply({ feedback, onSend, canResolve, within }: Props) {
  const { common, feedbacks } = useTexts();
  const format = useFormat();
  const { id } = feedback;
  const sent = feedback.reply ?? "";
  const [draft, keep] = useUnsent(id);
  const [editing, edit] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const pending = useSending(id);
  // A text that was sent is deleted only after the server has confirmed it, see settleDraft.
  const writing = sent === "" || editing || (draft !== null && draft !== sent);
  const text = draft ?? sent;
  const changed = text.trim() !== sent.trim();

  useEffect(() => {
    if (editing) {
      field.current?.focus();
    }
  }, [editing]);
  useShortcuts([
    {
      key: "r",
      label: feedbacks.reply,
      run: () => (writing ? field.current?.focus() : edit(true)),
      within,
    },
  ]);

  // The field and its buttons disappear. The focus goes to the drawer, so that its keys work.
  const finish = () => {
    edit(false);
    within()?.closest<HTMLElement>("[role=dialog]")?.focus();
  };
  const send = (resolved: boolean) => {
    if (changed) {
      onSend(text.trim() && text, resolved);
      finish();
    }
  };
  const discard = () => {
    keep(null);
    finish();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      send(event.shiftKey && canResolve);
    }
  };
  const ago = pending || !feedback.replied_at ? undefined : format.ago(feedback.replied_at);

  if (!writing) {
    return (
      <Input.Wrapper label={feedbacks.replyLabel} labelElement="div" className={classes["reply"] ?? ""}>
        <Text size="sm" className={`lines ${classes["sent"]}`} dir="auto">
          {sent}
        </Text>
        <Group gap="xs" mt={4}>
          <Text size="xs" c="dimmed" {...(feedback.replied_at && { title: format.time(feedback.replied_at) })}>
            {ago ? feedbacks.sentAgo(ago) : feedbacks.sending}
          </Text>
          <Button size="compact-xs" variant="subtle" onClick={() => edit(true)}>
            {feedbacks.editReply}
          </Button>
        </Group>
      </Input.Wrapper>
    );
  }
  return (
    <div className={classes["reply"]}>
      <Textarea
        ref={field}
        label={feedbacks.replyLabel}
        description={sent ? feedbacks.stillSees(ago ?? "") : changed ? feedbacks.draft : feedbacks.replyHint}
        autosize
        minRows={2}
        maxRows={8}
        maxLength={4096}
        value={text}
        onChange={({ currentTarget: { value } }) => keep(value === "" && sent === "" ? null : value)}
        onKeyDown={onKeyDown}
      />
      <Group gap="xs" mt="xs">
        <Tooltip label={<Kbd>{modKey} ↵</Kbd>}>
          <Button size="xs" disabled={!changed} onClick={() => send(false)}>
            {sent && !text.trim() ? feedbacks.removeReply : feedbacks.send}
          </Button>
        </Tooltip>
        {canResolve && (
          <Tooltip label={<Kbd>{modKey} ⇧ ↵</Kbd>}>
            <Button size="xs" variant="default" disabled={!changed || !text.trim()} onClick={() => send(true)}>
              {feedbacks.sendAndResolve}
            </Button>
          </Tooltip>
        )}
        {(changed || editing) && (
          <Button size="xs" variant="subtle" onClick={discard}>
            {changed ? feedbacks.discard : common.cancel}
          </Button>
        )}
      </Group>
    </div>
  );
}

/** Returns whether a reply to this feedback is being sent. */
function useSending(id: string): boolean {
  const sending = useMutationState({
    filters: { mutationKey: ["feedbacks", "change"], status: "pending" },
    select: ({ state }) => {
      const { record, patch } = state.variables as { record: Feedback; patch: Partial<Feedback> };
      return record.id === id && "reply" in patch;
    },
  });
  return sending.includes(true);
}

/**
 * Updates the draft after the server has stored a reply. The sent draft is deleted. If the reply was
 * taken back with "undo", it becomes the draft again.
 */
export function settleDraft({ id, reply: former }: Feedback, { reply }: Feedback): void {
  const draft = unsent(id);
  if (draft === null) {
    keepUnsent(id, former !== reply ? former : null);
  } else if (draft.trim() === (reply ?? "").trim()) {
    keepUnsent(id, null);
  }
}
