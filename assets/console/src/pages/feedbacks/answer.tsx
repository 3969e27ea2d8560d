import { SegmentedControl, Stack, Textarea } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import type { Feedback } from "svc-sdk";
import { useTexts } from "../../core/texts";
import type { Texts } from "../../texts/en";

export const states = ["open", "in_progress", "resolved", "closed"] as const;
export type State = (typeof states)[number];

type Answer = Pick<Feedback, "status" | "result">;

export function statusName(texts: Texts, status: string): string {
  return texts.feedbacks.statuses[status as State] ?? status;
}

/** Status and result, which can be changed while reading. */
export function AnswerFields({ feedback, onChange }: { feedback: Feedback; onChange: (answer: Partial<Answer>, done: string) => void }) {
  const texts = useTexts();
  const { feedbacks } = texts;
  const saved = feedback.result ?? "";
  const [typed, setTyped] = useState<string | null>(null);
  const save = () => {
    setTyped(null);
    if (typed !== null && typed !== saved) {
      onChange({ result: typed || null }, feedbacks.resultSaved);
    }
  };
  // Text must not be lost when the user moves on to the next feedback.
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
    <Stack gap="xs">
      <SegmentedControl
        fullWidth
        aria-label={feedbacks.status}
        value={feedback.status}
        data={states.map((value) => ({ value, label: feedbacks.statuses[value] }))}
        onChange={(status) => onChange({ status }, feedbacks.statusNow(statusName(texts, status)))}
      />
      <Textarea
        label={feedbacks.result}
        description={feedbacks.resultHint}
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
          }
        }}
      />
    </Stack>
  );
}
