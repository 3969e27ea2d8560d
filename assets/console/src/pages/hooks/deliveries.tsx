// The deliveries of a hook: what has been sent, what failed, and what is waiting.

import { Anchor, Button, Group, Skeleton, Stack, Text } from "@mantine/core";
import { IconSend } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { HookDelivery, ListHookDeliveriesQuery } from "svc-sdk";
import { Failure } from "../../core/failure";
import { useFormat } from "../../core/format";
import { PageLink } from "../../core/go";
import type { Path } from "../../core/pages";
import { useTexts } from "../../core/texts";
import { Tone, type ToneName } from "../../core/tone";
import { DataTree } from "../../fields/tree";
import { useAct } from "../../resource/act";
import { ResourcePage } from "../../resource/page";
import type { Resource } from "../../resource/resource";
import { hookCalls } from "./calls";
import { eventsOf } from "./events";
import { Answer } from "./probe";

const name = "hook-deliveries";

const states = ["queued", "retrying", "delivered", "dead", "dropped"] as const;

const tones: Record<string, ToneName> = { queued: "info", retrying: "warning", delivered: "good", dead: "bad", dropped: "bad" };

/** Milliseconds between two requests for the list while deliveries are waiting. */
const every = 5000;

const projectOperations = { operations: ["listHookDeliveries", "getHookDelivery", "resendHookDelivery"] };

const instanceOperations = {
  operations: ["listInstanceHookDeliveries", "getInstanceHookDelivery", "resendInstanceHookDelivery"],
};

interface Props {
  /** The key of the project; "" for a hook of the instance. */
  project: string;
  hook: string;
  /** The page of the hooks. */
  path: Path;
}

export function Deliveries(props: Props) {
  return <ResourcePage key={props.hook} resource={useDeliveries(props)} />;
}

function useDeliveries({ project, hook, path }: Props): Resource<HookDelivery> {
  const { hooks } = useTexts();
  const { deliveries } = hooks;
  const format = useFormat();
  const act = useAct(name);
  return useMemo(() => {
    const calls = hookCalls(project);
    const time = (seconds: number | null) => (seconds === null ? "" : format.time(seconds));
    const status = (code: number | null) => (code === null ? "" : code === 0 ? hooks.noAnswer : String(code));
    const again = async ({ id }: HookDelivery) => void (await act(() => calls.sendAgain(hook, id), deliveries.queued));
    const column = (id: keyof HookDelivery, text: (delivery: HookDelivery) => string) => ({
      id,
      title: deliveries.columns[id as keyof typeof deliveries.columns],
      text,
      render: text,
    });
    return {
      name,
      scope: hook,
      title: deliveries.title,
      noun: deliveries.noun,
      id: ({ id }) => id,
      label: ({ event }) => event,
      ofProject: project !== "",
      passing: true,
      about: <Back {...{ project, hook, path }} />,
      columns: [
        { ...column("event", ({ event }) => event), main: true, phone: true, width: 220 },
        {
          ...column("state", ({ state }) => deliveries.states[state] ?? state),
          render: ({ state }) => <Tone tone={tones[state]}>{deliveries.states[state] ?? state}</Tone>,
          phone: true,
          width: 120,
        },
        { ...column("attempts", ({ attempts }) => format.number(attempts)), align: "right", width: 100 },
        { ...column("last_status", ({ last_status: code }) => status(code)), width: 120 },
        { ...column("last_error", ({ last_error: error }) => error ?? ""), spare: true },
        { ...column("created_at", ({ created_at: at }) => time(at)), phone: true, width: 186 },
        { ...column("next_attempt_at", ({ next_attempt_at: at }) => time(at)), width: 186 },
        { ...column("delivered_at", ({ delivered_at: at }) => time(at)), hidden: true, width: 186 },
        { ...column("id", ({ id }) => id), hidden: true, width: 280 },
      ],
      searchable: false,
      filters: [
        {
          kind: "choice",
          id: "state",
          label: deliveries.columns.state,
          choices: states.map((value) => ({ value, label: deliveries.states[value] ?? value })),
        },
        {
          kind: "choice",
          id: "event",
          label: deliveries.columns.event,
          choices: eventsOf(project === "").flatMap(({ events }) => events.map((value) => ({ value, label: value }))),
        },
      ],
      list: (_, query, signal) => calls.deliveries(hook, query as ListHookDeliveriesQuery, { signal }),
      get: (_, id, signal) => calls.delivery(hook, id, { signal }),
      actions: (delivery) => [
        { id: "again", label: deliveries.again, icon: <IconSend size={16} aria-hidden />, run: () => again(delivery) },
      ],
      more: (delivery) => <Detail {...{ project, hook, delivery }} onAgain={() => again(delivery)} />,
      empty: (
        <Text size="sm" c="dimmed">
          {deliveries.none}
        </Text>
      ),
      ...(project ? projectOperations : instanceOperations),
      refetchEvery: (shown) => shown.some(({ state }) => state === "queued" || state === "retrying") && every,
    };
  }, [hooks, deliveries, format, act, project, hook, path]);
}

/** A link to the hooks, and the name of the hook. */
function Back({ project, hook, path }: Props) {
  const { hooks } = useTexts();
  const { data } = useQuery({
    queryKey: ["hooks", project, "record", hook],
    queryFn: ({ signal }) => hookCalls(project).get(hook, { signal }),
  });
  return (
    <>
      <Anchor
        size="sm"
        className="lone"
        underline="always"
        renderRoot={(props) => <PageLink to={path} search={project ? { project } : {}} {...props} />}
      >
        {hooks.title}
      </Anchor>{" "}
      › <bdi>{data?.name}</bdi>
    </>
  );
}

/** What was sent, the answer, and a button that sends it again. */
function Detail({ project, hook, delivery, onAgain }: { project: string; hook: string; delivery: HookDelivery; onAgain: () => void }) {
  const { common, hooks } = useTexts();
  const { deliveries } = hooks;
  const { data, error, refetch } = useQuery({
    queryKey: [name, project, "payload", delivery.id],
    queryFn: ({ signal }) => hookCalls(project).delivery(hook, delivery.id, { signal }),
    select: ({ payload }) => payload,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Stack gap="md">
      <Group>
        <Button variant="default" size="compact-sm" leftSection={<IconSend size={16} aria-hidden />} onClick={onAgain}>
          {deliveries.again}
        </Button>
      </Group>
      {delivery.response !== null && <Answer text={delivery.response} />}
      <div>
        <Text size="xs" c="dimmed" mb={4}>
          {deliveries.payload}
        </Text>
        {error ? (
          <Failure error={error} retry={() => void refetch()} />
        ) : data ? (
          <DataTree value={data} label={deliveries.payload} />
        ) : (
          <Skeleton height={160} role="status" aria-label={common.loading} />
        )}
      </div>
    </Stack>
  );
}
