// Forwards feedback as an issue to the project's repository, if the project is configured for it.

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import type { CodehostIntegration, Feedback } from "svc-sdk";
import { clientOf, transferClientOf } from "../../core/client";
import { noticeDone, noticeFailure } from "../../core/notice";
import { useTexts } from "../../core/texts";

/** The reason why feedback cannot be forwarded: either the setting of the project, or the app of the instance. */
export type Obstacle = "off" | "app";

export interface Forwarding {
  /** Whether it is known if there is an obstacle. */
  known: boolean;
  obstacle: Obstacle | null;
  /** Id of the feedback that is being forwarded. */
  pending: string | null;
  forward(feedback: Feedback): void;
}

export function useForwarding(project: string): Forwarding {
  const texts = useTexts();
  const queries = useQueryClient();
  const { data } = useQuery({
    queryKey: ["codehost", project, "integration"],
    queryFn: ({ signal }) => clientOf(project).admin.getCodehostIntegration({ signal }),
    enabled: project !== "",
  });
  const { mutate, isPending, variables } = useMutation({
    // Use the transfer client, because the server may wait 20 seconds for the code host.
    mutationFn: ({ id }: Feedback) => transferClientOf(project).admin.forwardFeedback(id),
    onSuccess: ({ codehost_issue_number: number }) => noticeDone(texts, texts.feedbacks.forwarded(number)),
    onError: (error, feedback) => noticeFailure(texts, error, () => mutate(feedback)),
    onSettled: () => queries.invalidateQueries({ queryKey: ["feedbacks", project] }),
  });
  const pending = isPending ? variables.id : null;
  return useMemo(
    () => ({ known: data !== undefined, obstacle: data ? obstacleOf(data) : null, pending, forward: mutate }),
    [data, pending, mutate],
  );
}

export function obstacleOf(integration: CodehostIntegration): Obstacle | null {
  if (integration.feedback_issue_active) {
    return null;
  }
  // Forwarding cannot be enabled without a repository.
  return integration.feedback_issue_enabled ? "app" : "off";
}
