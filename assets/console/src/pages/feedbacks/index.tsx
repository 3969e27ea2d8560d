// The page of feedback from users of an app: an inbox with replies, statuses and notes.

import { Anchor, Group, Select, SimpleGrid, Stack, Switch, Text, Textarea, TextInput } from "@mantine/core";
import { IconBrandGit, IconEye, IconEyeOff, IconSend } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { Feedback, FeedbackCreate } from "svc-sdk";
import { clientOf } from "../../core/client";
import { Beginning } from "../../core/example";
import { examplesOf } from "../../core/examples";
import { useFormat } from "../../core/format";
import { PageLink, useGo } from "../../core/go";
import { useProjectKey, useProjects } from "../../core/project";
import { useTexts } from "../../core/texts";
import { isWebAddress } from "../../core/weblink";
import { JsonField } from "../../fields/json";
import { formatObject } from "../../fields/object";
import { usePlatformName } from "../../fields/platforms";
import { type BulkChange, useBulk } from "../../resource/bulk";
import { useChange } from "../../resource/change";
import { ResourcePage } from "../../resource/page";
import { stateOf } from "../../resource/record";
import type { Resource } from "../../resource/resource";
import { firstLine, objectOf, objectProblem, platformChoices } from "../sent";
import { AnswerFields, states } from "./answer";
import { useFeedbackColumns } from "./columns";
import { useForwarding } from "./forwarding";
import { integration, newIssue } from "./issue";
import { useRead } from "./read";
import { settleDraft } from "./reply";

interface Draft {
  content: string;
  rating: string | null;
  user_id: string;
  contact: string;
  status: string;
  result: string;
  platform: string | null;
  platform_version: string;
  custom_data: string;
  is_hidden: boolean;
}

const statusChange: BulkChange<Feedback, Feedback["status"]> = {
  send: (admin, ids, status) => admin.updateFeedbacks({ ids, status }),
  former: ({ status }) => status,
};

const hiddenChange: BulkChange<Feedback, boolean> = {
  send: (admin, ids, hidden) => admin.updateFeedbacks({ ids, hidden }),
  former: ({ is_hidden }) => is_hidden,
};

export default function FeedbacksPage() {
  return <ResourcePage resource={useFeedbacks()} />;
}

function useFeedbacks(): Resource<Feedback, Draft> {
  const texts = useTexts();
  const platformName = usePlatformName();
  const go = useGo();
  const [project] = useProjectKey();
  const forwarding = useForwarding(project);
  const repository = useProjects().data?.find(({ project_key }) => project_key === project)?.repo_url;
  const change = useChange<Feedback>(
    "feedbacks",
    ({ id }) => id,
    async (admin, feedback, { is_hidden, status, result, reply }) => {
      const fresh = await admin.updateFeedback(feedback.id, {
        ...(is_hidden !== undefined && { is_hidden }),
        ...(status !== undefined && { status }),
        ...(result !== undefined && { result }),
        ...(reply !== undefined && { reply }),
      });
      if (reply !== undefined) {
        settleDraft(feedback, fresh);
      }
      return fresh;
    },
  );
  const bulk = useBulk("feedbacks");
  const [read, noteRead] = useRead(project);
  const columns = useFeedbackColumns(project, forwarding, read);
  return useMemo(() => {
    const { feedbacks, sent, common } = texts;
    const statusChoices = states.map((value) => ({ value, label: feedbacks.statuses[value] }));
    const ratingChoices = [1, 2, 3, 4, 5].map((stars) => ({ value: String(stars), label: feedbacks.stars(stars) }));
    const form = (feedback: Feedback): Draft => ({
      content: feedback.content,
      rating: feedback.rating === null ? null : String(feedback.rating),
      user_id: feedback.user_id ?? "",
      contact: feedback.contact ?? "",
      status: feedback.status,
      result: feedback.result ?? "",
      platform: feedback.platform,
      platform_version: feedback.platform_version ?? "",
      custom_data: formatObject(feedback.custom_data),
      is_hidden: feedback.is_hidden,
    });
    return {
      name: "feedbacks",
      title: texts.frame.pages.feedbacks,
      noun: feedbacks.noun,
      drawerTitle: texts.frame.pages.feedbacks,
      id: ({ id }) => id,
      label: ({ content, id }) => firstLine(content) || id,
      columns,
      lines: 2,
      sorted: "created_at",
      filters: [
        { id: "platform", kind: "choice", label: sent.platform, choices: platformChoices(platformName) },
        { id: "rating", kind: "choice", label: feedbacks.rating, choices: ratingChoices },
        { id: "status", kind: "choice", label: feedbacks.status, choices: statusChoices },
        { id: "hidden", kind: "switch", label: sent.showHidden, query: () => ({ include_hidden: "true" }) },
      ],
      list: (admin, query, signal) => admin.listFeedbacks(query, { signal }),
      get: (admin, id, signal) => admin.getFeedback(id, { signal }),
      dimmed: ({ is_hidden }) => is_hidden,
      form: {
        empty: () => ({
          content: "",
          rating: null,
          user_id: "",
          contact: "",
          status: "open",
          result: "",
          platform: null,
          platform_version: "",
          custom_data: "",
          is_hidden: false,
        }),
        from: form,
        copy: (feedback) => ({ ...form(feedback), status: "open", result: "" }),
        check: ({ custom_data }) => objectProblem(texts, "custom_data", custom_data),
        render: ({ bind, values, set }) => (
          <>
            <Textarea label={sent.content} autosize minRows={3} maxRows={12} maxLength={4096} data-autofocus {...bind("content")} />
            <SimpleGrid cols={{ base: 1, xs: 2 }}>
              <Select
                label={feedbacks.rating}
                placeholder={feedbacks.noRating}
                data={ratingChoices}
                clearable
                {...clear(common.reset, feedbacks.rating)}
                {...bind("rating")}
              />
              <Select label={feedbacks.status} data={statusChoices} allowDeselect={false} {...bind("status")} />
              <TextInput label={feedbacks.user} maxLength={64} {...bind("user_id")} />
              <TextInput label={feedbacks.contact} maxLength={128} {...bind("contact")} />
              <Select
                label={sent.platform}
                data={platformChoices(platformName)}
                clearable
                {...clear(common.reset, sent.platform)}
                {...bind("platform")}
              />
              <TextInput label={sent.platformVersion} maxLength={32} {...bind("platform_version")} />
            </SimpleGrid>
            <Textarea label={feedbacks.result} autosize minRows={2} maxRows={8} maxLength={4096} {...bind("result")} />
            <JsonField label={sent.customData} {...bind("custom_data")} />
            <Switch
              label={sent.isHidden}
              checked={values.is_hidden}
              onChange={({ currentTarget }) => set("is_hidden", currentTarget.checked)}
            />
          </>
        ),
        create: (admin, values) => admin.createFeedback(bodyOf(values) as FeedbackCreate),
        update: (admin, { id }, values, ifMatch) => admin.updateFeedback(id, bodyOf(values), { ifMatch }),
        etag: (admin, record) => stateOf(record, (options) => admin.getFeedback(record.id, options)),
      },
      actions: (feedback) => [
        feedback.is_hidden
          ? {
              id: "show",
              label: sent.show,
              icon: <IconEye size={16} aria-hidden />,
              run: () => change(feedback, { is_hidden: false }, sent.shownNow),
            }
          : {
              id: "hide",
              label: sent.hide,
              icon: <IconEyeOff size={16} aria-hidden />,
              run: () => change(feedback, { is_hidden: true }, sent.hiddenNow),
            },
        ...(feedback.forwarded_to_codehost || !forwarding.known
          ? []
          : [
              forwarding.obstacle
                ? {
                    id: "integration",
                    label: feedbacks.setUpForwarding,
                    icon: <IconSend size={16} aria-hidden />,
                    run: () => go({ to: integration, search: { project } }),
                  }
                : {
                    id: "forward",
                    label: feedbacks.forward,
                    icon: <IconSend size={16} aria-hidden />,
                    run: () => forwarding.forward(feedback),
                  },
            ]),
        ...(repository && isWebAddress(repository) && !feedback.forwarded_to_codehost && forwarding.obstacle
          ? [
              {
                id: "issue",
                label: feedbacks.openIssue,
                icon: <IconBrandGit size={16} aria-hidden />,
                run: () => void window.open(newIssue(repository, feedback, feedbacks), "_blank", "noopener,noreferrer"),
              },
            ]
          : []),
      ],
      bulk: [
        ...states.map((status) => ({
          id: status,
          label: status === "resolved" ? feedbacks.resolve : feedbacks.statuses[status],
          front: status === "resolved",
          run: (some: Feedback[]) => bulk(some, status, statusChange, feedbacks.statusNow(feedbacks.statuses[status])),
        })),
        ...[true, false].map((hidden) => ({
          id: hidden ? "hide" : "show",
          label: hidden ? sent.hide : sent.show,
          front: hidden,
          run: (some: Feedback[]) => bulk(some, hidden, hiddenChange, hidden ? sent.hiddenNow : sent.shownNow),
        })),
      ],
      remove: {
        run: (admin, { id }) => admin.deleteFeedback(id),
        consequences: (feedback) => (
          <Stack gap={4}>
            <Text size="sm" lineClamp={4} dir="auto">
              {feedback.content}
            </Text>
            {feedback.codehost_issue_url && (
              <Text size="sm">
                {feedbacks.issueStays(
                  feedback.codehost_issue_number ? feedbacks.issueNumber(feedback.codehost_issue_number) : feedbacks.issue,
                )}
              </Text>
            )}
          </Stack>
        ),
      },
      first: (feedback) => (
        <AnswerFields key={feedback.id} feedback={feedback} onChange={(answer, done) => change(feedback, answer, done)} onRead={noteRead} />
      ),
      firstShows: ["status", "reply", "result"],
      editInMenu: true,
      about: <Waiting project={project} />,
      empty: (
        <Beginning
          title={feedbacks.empty.title}
          text={feedbacks.empty.text}
          examples={examplesOf(project, {
            curl: { path: `/public/${project}/feedbacks`, body: { content: "The export is great.", rating: 5 } },
            typescript: 'await client.public.createFeedback({ content: "The export is great.", rating: 5 });',
            browser: 'client.public.createFeedback({ content: "The export is great.", rating: 5 });',
            go: '_, err = client.Public.CreateFeedback(ctx, svcsdk.FeedbackInput{\n\tContent: "The export is great.",\n\tRating:  svcsdk.Set(int64(5)),\n})',
            python: 'client.public.create_feedback("The export is great.", rating=5)',
            rust: 'client.public().create_feedback(&FeedbackFields::new().content("The export is great.").rating(5))?;',
          })}
        />
      ),
      operations: [
        "listFeedback",
        "createFeedback",
        "getFeedback",
        "updateFeedback",
        "deleteFeedback",
        "forwardFeedback",
        "submitFeedback",
      ],
    };
  }, [texts, columns, platformName, go, project, repository, forwarding, change, bulk, noteRead]);
}

function clear(reset: string, label: string) {
  return { clearButtonProps: { "aria-label": `${reset}: ${label}` } };
}

function bodyOf({ rating, user_id, contact, result, platform_version, custom_data, ...rest }: Draft) {
  return {
    ...rest,
    rating: rating === null ? null : Number(rating),
    user_id: user_id || null,
    contact: contact || null,
    result: result || null,
    platform_version: platform_version || null,
    custom_data: objectOf(custom_data),
  };
}

/**
 * Shows how many feedback records have no reply yet, and how many of these have one star. Both
 * numbers are links to the records.
 */
function Waiting({ project }: { project: string }) {
  const { feedbacks } = useTexts();
  const format = useFormat();
  const waiting = useTotal(project, { status: "open" });
  const worst = useTotal(project, { status: "open", rating: 1 });
  const link = (search: Record<string, string>, text: string) => (
    <Anchor
      inherit
      underline="always"
      className="lone"
      renderRoot={(props) => <PageLink to="." search={{ project, ...search }} {...props} />}
    >
      {text}
    </Anchor>
  );
  // Reserve the room until the numbers arrive, so that nothing moves.
  if (!waiting || worst === undefined) {
    return <span className="lone">{"\u00a0"}</span>;
  }
  return (
    <Group gap={12} component="span" display="inline-flex">
      {link({ status: "open" }, feedbacks.waiting(format.number(waiting)))}
      {worst > 0 && link({ status: "open", rating: "1", sort: "created_at", order: "asc" }, feedbacks.worst(format.number(worst)))}
    </Group>
  );
}

function useTotal(project: string, conditions: { status: string; rating?: number }): number | undefined {
  const { data } = useQuery({
    queryKey: ["feedbacks", project, "total", JSON.stringify(conditions)],
    queryFn: ({ signal }) => clientOf(project).admin.listFeedbacks({ ...conditions, limit: 1 }, { signal }),
    enabled: project !== "",
  });
  return data?.total;
}
