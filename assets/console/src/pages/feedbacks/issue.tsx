// The issue at the code host that was created from feedback, or the ways to create one.

import { Anchor, Button, Group } from "@mantine/core";
import type { Feedback } from "svc-sdk";
import { PageLink } from "../../core/go";
import { useTexts } from "../../core/texts";
import { WebLink } from "../../core/weblink";
import type { Texts } from "../../texts/en";
import type { Forwarding } from "./forwarding";

export function Issue({ feedback: { codehost_issue_number, codehost_issue_url } }: { feedback: Feedback }) {
  const { feedbacks } = useTexts();
  return (
    codehost_issue_url && (
      <WebLink address={codehost_issue_url}>
        {codehost_issue_number ? feedbacks.issueNumber(codehost_issue_number) : feedbacks.issue}
      </WebLink>
    )
  );
}

export const integration = "/admin/projects/codehost";

/** A button that forwards feedback as an issue, or the reason why that is impossible. */
export function Forward({ feedback, forwarding, project }: { feedback: Feedback; forwarding: Forwarding; project: string }) {
  const { codehost, feedbacks } = useTexts();
  if (!forwarding.known) {
    return "–";
  }
  if (!forwarding.obstacle) {
    return (
      <Button size="compact-sm" variant="default" loading={forwarding.pending === feedback.id} onClick={() => forwarding.forward(feedback)}>
        {feedbacks.forward}
      </Button>
    );
  }
  return (
    <Group gap={4}>
      <span>{feedbacks.notForwardable[forwarding.obstacle]}</span>
      <Anchor
        inherit
        className="lone"
        underline="always"
        renderRoot={(props) => <PageLink to={integration} search={{ project }} {...props} />}
      >
        {codehost.title}
      </Anchor>
    </Group>
  );
}

/** Returns the address at which the code host shows the form for a new issue, filled in with the feedback. */
export function newIssue(repository: string, { content, platform, platform_version }: Feedback, feedbacks: Texts["feedbacks"]): string {
  const address = new URL(`${repository.replace(/\/+$/, "").replace(/\.git$/, "")}/issues/new`);
  address.searchParams.set("title", feedbacks.issueTitle(content.trim().split("\n", 1)[0]?.slice(0, 100) ?? ""));
  const quoted = content.replace(/^/gm, "> ");
  address.searchParams.set("body", [quoted, [platform, platform_version].filter(Boolean).join(" ")].filter(Boolean).join("\n\n"));
  return address.href;
}
