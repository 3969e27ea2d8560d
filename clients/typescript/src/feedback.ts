// Replies to the feedback that the app has sent.

import type { Analytics } from "./analytics.js";
import type { CallOptions } from "./bind.js";
import { SvcApiError } from "./errors.js";
import type { Fixed, Settings } from "./http.js";
import { assertOpen, send } from "./http.js";
import { checkOptions } from "./options.js";
import type { FeedbackReply } from "./schema.js";

/** Asks for the reply to each feedback, and returns those that exist. */
export async function feedbackReplies(
  fixed: Fixed,
  settings: Settings,
  { queue }: Analytics,
  options: Pick<CallOptions, "signal"> = {},
): Promise<FeedbackReply[]> {
  checkOptions(options, "signal:object");
  assertOpen(fixed);
  const replies: FeedbackReply[] = [];
  // Another project may be bound between two requests.
  const bound = { ...settings };
  for (const { id, token: replyToken } of queue.active ? queue.sentFeedback : []) {
    const request = { method: "GET", path: "/public/{k}/feedbacks/{id}/reply", params: [id], replyToken, signal: options.signal };
    try {
      const reply = (await send(fixed, bound, request)) as FeedbackReply;
      if (reply?.reply != null) {
        replies.push(reply);
      }
    } catch (error) {
      if (!(error instanceof SvcApiError) || error.status !== 404) {
        throw error;
      }
      // A proxy may answer 404 for a server that is being replaced, but not in JSON.
      if (error.body && typeof error.body === "object" && queue.active) {
        queue.replaceFeedback(id);
      }
    }
  }
  return replies;
}
