// Replies to the feedback that the app has sent.

import type { CallOptions } from "./bind.js";
import { SvcApiError } from "./errors.js";
import type { Fixed, Settings } from "./http.js";
import { assertOpen, send } from "./http.js";
import { checkOptions } from "./options.js";
import type { Sent } from "./queue-state.js";
import type { FeedbackReply } from "./schema.js";

/** Asks for the reply to each feedback, and returns those that exist. */
export async function feedbackReplies(
  fixed: Fixed,
  settings: Settings,
  kept: () => Sent[],
  options: Pick<CallOptions, "signal"> = {},
): Promise<FeedbackReply[]> {
  checkOptions(options, "signal:object");
  assertOpen(fixed);
  const replies: FeedbackReply[] = [];
  for (const { id, token: replyToken } of kept()) {
    const request = { method: "GET", path: "/public/{k}/feedbacks/{id}/reply", params: [id], replyToken, signal: options.signal };
    try {
      const reply = (await send(fixed, settings, request)) as FeedbackReply;
      if (reply?.reply != null) {
        replies.push(reply);
      }
    } catch (error) {
      // Deleted feedback has no reply.
      if (!(error instanceof SvcApiError) || error.status !== 404) {
        throw error;
      }
    }
  }
  return replies;
}
