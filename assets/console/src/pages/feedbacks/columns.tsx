// The fields of feedback, in the table and in the drawer. In the table, the text takes most of the
// width. Beside it are rating, status, sender, version, platform and age, some of them in two
// lines.

import { Text } from "@mantine/core";
import { useMemo } from "react";
import type { Feedback } from "svc-sdk";
import { useFormat } from "../../core/format";
import { useTexts } from "../../core/texts";
import { Tone, type ToneName } from "../../core/tone";
import { useUnsent } from "../../core/unsent";
import type { Column } from "../../resource/resource";
import { appVersionColumn, SentLines, SentText, sentColumns } from "../sent";
import { type State, statusName } from "./answer";
import classes from "./feedbacks.module.css";
import type { Forwarding } from "./forwarding";
import { Forward, Issue } from "./issue";

const tones: Record<State, ToneName> = { open: "info", in_progress: "warning", resolved: "good", closed: "neutral" };

export function useFeedbackColumns(project: string, forwarding: Forwarding, read: ReadonlySet<string>): Column<Feedback>[] {
  const texts = useTexts();
  const format = useFormat();
  return useMemo(() => {
    const { feedbacks, sent } = texts;
    const columns = sentColumns<Feedback>(texts, format);
    const issue = (feedback: Feedback) =>
      feedback.codehost_issue_url ? <Issue feedback={feedback} /> : forwarding.pending === feedback.id && feedbacks.forwarding;
    const lines = (id: "result" | "reply", title: string): Column<Feedback> => ({
      id,
      title,
      width: 160,
      hidden: true,
      render: ({ [id]: text }) => text && <SentText text={text} />,
      detail: ({ [id]: text }) => text && <SentLines text={text} />,
    });
    return [
      {
        ...columns.content,
        render: (feedback) => <Content feedback={feedback} unread={feedback.status === "open" && !read.has(feedback.id)} />,
        text: ({ content }) => content,
      },
      {
        id: "rating",
        title: feedbacks.rating,
        width: 96,
        phone: true,
        sort: "rating",
        render: ({ rating }) => rating && <Stars rating={rating} label={feedbacks.outOf(rating)} />,
        text: ({ rating }) => (rating === null ? "" : String(rating)),
      },
      {
        id: "status",
        title: feedbacks.status,
        width: 104,
        phone: true,
        render: (feedback) => (
          <>
            <Tone tone={tones[feedback.status as State]}>{statusName(texts, feedback.status)}</Tone>
            {feedback.is_hidden && <Tone>{sent.hidden}</Tone>}
            <Draft feedback={feedback} />
            {issue(feedback) && <span className={classes["two"]}>{issue(feedback)}</span>}
          </>
        ),
        text: ({ status }) => statusName(texts, status),
      },
      {
        id: "user_id",
        spare: true,
        title: feedbacks.user,
        width: 140,
        render: ({ user_id, contact }) => (
          <>
            <span className={classes["two"]}>{user_id && <SentText text={user_id} />}</span>
            {contact && (
              <Text component="span" size="xs" c="dimmed" className={classes["two"]}>
                <SentText text={contact} />
              </Text>
            )}
          </>
        ),
        detail: ({ user_id }) => user_id && <SentText text={user_id} />,
        text: ({ user_id }) => user_id ?? "",
      },
      {
        id: "contact",
        title: feedbacks.contact,
        width: 160,
        hidden: true,
        render: ({ contact }) => contact && <SentText text={contact} />,
      },
      appVersionColumn<Feedback>(sent.version),
      { ...columns.platform, spare: true },
      {
        ...columns.time,
        width: 134,
        sort: "created_at",
        render: ({ created_at }) => format.ago(created_at),
        short: ({ created_at }) => format.hourOrDate(created_at),
      },
      lines("reply", feedbacks.reply),
      lines("result", feedbacks.result),
      {
        id: "codehost_issue_number",
        title: feedbacks.issue,
        width: 104,
        hidden: true,
        render: issue,
        detail: (feedback) =>
          feedback.codehost_issue_url ? (
            <Issue feedback={feedback} />
          ) : (
            !feedback.forwarded_to_codehost && <Forward feedback={feedback} forwarding={forwarding} project={project} />
          ),
        text: ({ codehost_issue_url }) => codehost_issue_url ?? "",
      },
      {
        ...columns.is_hidden,
        width: 80,
        render: ({ is_hidden }) => is_hidden && <Tone>{sent.hidden}</Tone>,
        detail: columns.is_hidden.render,
      },
      columns.ip,
      columns.country,
      columns.region,
      columns.city,
      columns.user_agent,
      columns.custom_data,
      columns.id,
    ];
  }, [texts, format, project, forwarding, read]);
}

/** Marks feedback with a reply that was written but not sent. */
function Draft({ feedback: { id, reply } }: { feedback: Feedback }) {
  const { feedbacks } = useTexts();
  const [draft] = useUnsent(id);
  return draft !== null && draft !== (reply ?? "") && <Tone>{feedbacks.unsent}</Tone>;
}

function Content({ feedback: { content }, unread }: { feedback: Feedback; unread: boolean }) {
  const { feedbacks } = useTexts();
  if (!content.trim()) {
    return null;
  }
  return unread ? (
    <>
      <span className={classes["unread"]} role="img" aria-label={feedbacks.unread} />
      <SentText text={content} />
    </>
  ) : (
    <span className={classes["read"]}>
      <SentText text={content} />
    </span>
  );
}

function Stars({ rating, label }: { rating: number; label: string }) {
  return (
    <span role="img" aria-label={label}>
      {"★".repeat(rating)}
      <Text component="span" c="dimmed" inherit>
        {"☆".repeat(5 - rating)}
      </Text>
    </span>
  );
}
