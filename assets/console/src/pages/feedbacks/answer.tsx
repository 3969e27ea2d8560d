// The administrator's part of feedback: the reply to the sender, the status, and an internal note.
// All of them can be changed in the drawer.

import { Button, Group, Kbd, SegmentedControl, Stack, Textarea, Tooltip } from "@mantine/core";
import { IconCheck, IconRotate } from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";
import type { Feedback } from "svc-sdk";
import { useShortcuts } from "../../core/keys";
import { useTexts } from "../../core/texts";
import type { Texts } from "../../texts/en";
import { Reply } from "./reply";

export const states = ["open", "in_progress", "resolved", "closed"] as const;
export type State = (typeof states)[number];

export type Answer = Pick<Feedback, "status" | "result" | "reply">;

export function statusName(texts: Texts, status: string): string {
  return texts.feedbacks.statuses[status as State] ?? status;
}

interface Props {
  feedback: Feedback;
  onChange: (answer: Partial<Answer>, done: string) => void;
  /** Called when the feedback is shown. */
  onRead: (id: string) => void;
}

export function AnswerFields({ feedback, onChange, onRead }: Props) {
  const texts = useTexts();
  const { feedbacks } = texts;
  const { id, status } = feedback;
  useEffect(() => onRead(id), [id, onRead]);
  const place = useRef<HTMLDivElement>(null);
  const waits = status === "open" || status === "in_progress";
  const resolve = () => {
    const next = waits ? "resolved" : "open";
    onChange({ status: next }, feedbacks.statusNow(statusName(texts, next)));
  };
  const within = () => place.current;
  const send = (text: string, resolved: boolean) =>
    onChange({ reply: text || null, ...(resolved && { status: "resolved" }) }, text ? feedbacks.replySent : feedbacks.replyRemoved);
  useShortcuts([{ key: "s", label: waits ? feedbacks.resolve : feedbacks.reopen, run: resolve, within }]);
  return (
    <Stack gap="xs" ref={place}>
      <Reply feedback={feedback} onSend={send} canResolve={waits} within={within} />
      <Group gap="xs">
        <Tooltip label={<Kbd>s</Kbd>}>
          <Button
            flex="none"
            variant={waits ? "filled" : "default"}
            leftSection={waits ? <IconCheck size={16} aria-hidden /> : <IconRotate size={16} aria-hidden />}
            onClick={resolve}
          >
            {waits ? feedbacks.resolve : feedbacks.reopen}
          </Button>
        </Tooltip>
        <SegmentedControl
          flex="1 1 320px"
          size="xs"
          aria-label={feedbacks.status}
          value={status}
          data={states.map((value) => ({ value, label: feedbacks.statuses[value] }))}
          onChange={(next) => onChange({ status: next }, feedbacks.statusNow(statusName(texts, next)))}
        />
      </Group>
      <SavedText
        label={feedbacks.result}
        description={feedbacks.resultHint}
        saved={feedback.result ?? ""}
        onSave={(text) => onChange({ result: text || null }, feedbacks.resultSaved)}
      />
    </Stack>
  );
}

/** A text that is saved when the user leaves the field or presses Ctrl Enter. */
function SavedText({
  label,
  description,
  saved,
  onSave,
}: {
  label: string;
  description: string;
  saved: string;
  onSave: (text: string) => void;
}) {
  const [typed, setTyped] = useState<string | null>(null);
  const save = () => {
    setTyped(null);
    if (typed !== null && typed !== saved) {
      onSave(typed);
    }
  };
  // Save the text when the user moves on to the next feedback, so that it is not lost.
  const latest = useRef(save);
  latest.current = save;
  useEffect(() => () => latest.current(), []);
  const dirty = typed !== null && typed !== saved;
  useEffect(() => {
    if (dirty) {
      const ask = (event: BeforeUnloadEvent) => event.preventDefault();
      window.addEventListener("beforeunload", ask);
      return () => window.removeEventListener("beforeunload", ask);
    }
    return undefined;
  }, [dirty]);
  return (
    <Textarea
      label={label}
      description={description}
      autosize
      minRows={2}
      maxRows={8}
      maxLength={4096}
      value={typed ?? saved}
      onChange={({ currentTarget }) => setTyped(currentTarget.value)}
      onBlur={save}
      onKeyDown={(event) => {
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
          event.preventDefault();
          save();
          // Return the focus to the drawer, so that its keys work again.
          event.currentTarget.closest<HTMLElement>("[role=dialog]")?.focus();
        }
      }}
    />
  );
}
