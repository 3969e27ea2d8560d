// The hooks of a project or of the instance, and their dialogs.

import { Badge, Button, Group, Modal, Paper, Skeleton, Stack, Text, Title } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import type { Hook } from "svc-sdk";
import { useAddress } from "../../core/address";
import { Failure } from "../../core/failure";
import { type Format, useFormat } from "../../core/format";
import { PageLink } from "../../core/go";
import { useShortcuts } from "../../core/keys";
import type { Path } from "../../core/pages";
import { useTexts } from "../../core/texts";
import { Tone, type ToneName } from "../../core/tone";
import { useAct } from "../../resource/act";
import { DeletionDialog } from "../../resource/deletion";
import { FormDialog } from "../../resource/form";
import { useList } from "../../resource/list";
import { Rotation } from "../../resource/rotation";
import { RecordMenu } from "../../resource/table";
import type { Texts } from "../../texts/en";
import { Section } from "../settings/layout";
import { hookCalls } from "./calls";
import { everything } from "./events";
import { TestDialog } from "./probe";
import { type Hooks as HooksResource, hooksOf } from "./resource";

/** Height in pixels of a hook, which is reserved while the list is being loaded. */
const height = 190;

/** The operations of a project's hooks. */
export const projectOperations = {
  operations: ["listHooks", "createHook", "getHook", "updateHook", "deleteHook", "rotateHookSecret", "testHook"],
};

/** The operations of the instance's hooks. */
export const instanceOperations = {
  operations: [
    "listInstanceHooks",
    "createInstanceHook",
    "getInstanceHook",
    "updateInstanceHook",
    "deleteInstanceHook",
    "rotateInstanceHookSecret",
    "testInstanceHook",
  ],
};

/** The hooks of a project or, if the key is "", those of the instance. `path` is that of the page. */
export function HookList({ project, path }: { project: string; path: Path }) {
  const texts = useTexts();
  const { common, hooks } = texts;
  const [address, change] = useAddress();
  const resource = useMemo(() => hooksOf(texts, project), [texts, project]);
  const list = useList(resource);
  const add = () => change({ new: "1" });
  useShortcuts([{ key: "n", label: hooks.add, run: add }]);
  const rotated = list.data?.data.find(({ id }) => id === address["rotate"]);
  const tested = list.data?.data.find(({ id }) => id === address["test"]);
  return (
    <Section
      title={hooks.title}
      description={project ? hooks.description : hooks.instanceDescription}
      aside={
        <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={add}>
          {hooks.add}
        </Button>
      }
    >
      {list.data ? (
        list.data.data.length > 0 ? (
          list.data.data.map((hook) => <HookCard key={hook.id} {...{ hook, resource, project, path }} />)
        ) : (
          <Text size="sm" c="dimmed">
            {hooks.none}
          </Text>
        )
      ) : list.error ? (
        <Failure error={list.error} retry={list.retry} />
      ) : (
        <Skeleton height={height} role="status" aria-label={common.loading} />
      )}
      <FormDialog resource={resource} form={resource.form} list={list} />
      <DeletionDialog resource={resource} remove={resource.remove} list={list} />
      {rotated && <RotateDialog hook={rotated} project={project} onClose={() => change({ rotate: undefined })} />}
      {tested && <TestDialog key={tested.id} hook={tested} project={project} onClose={() => change({ test: undefined })} />}
    </Section>
  );
}

function HookCard({ hook, resource, project, path }: { hook: Hook; resource: HooksResource; project: string; path: Path }) {
  const texts = useTexts();
  const { hooks } = texts;
  const format = useFormat();
  const [, change] = useAddress();
  const act = useAct("hooks");
  const [switching, setSwitching] = useState(false);
  const { id, name, kind, enabled } = hook;
  const set = (next: boolean) => () => hookCalls(project).update(id, { enabled: next });
  return (
    <Paper withBorder p="md" component="article" aria-label={name}>
      <Stack gap="sm">
        <Group justify="space-between" gap="xs" wrap="nowrap" align="flex-start">
          <Group gap="xs">
            <Title order={3} size="h5">
              <bdi>{name}</bdi>
            </Title>
            <Badge variant="light" color="gray">
              {hooks.kinds[kind] ?? kind}
            </Badge>
            <State hook={hook} />
          </Group>
          <RecordMenu resource={resource} record={hook} />
        </Group>
        <div>
          <Text size="sm" className="lines">
            <bdi>{hook.url ?? hook.to.join(", ")}</bdi>
          </Text>
          <Text size="sm" c="dimmed" className="lines">
            {hook.events.includes(everything) ? hooks.form.everything : hook.events.join(", ")}
          </Text>
          <Text size="sm" c="dimmed">
            {lastAttempt(hook, texts, format)}
          </Text>
        </div>
        <Group gap="xs">
          <Button variant="default" size="compact-sm" onClick={() => change({ test: id })}>
            {hooks.test.button}
          </Button>
          <Button
            variant="default"
            size="compact-sm"
            renderRoot={(props) => <PageLink to={path} search={{ ...(project && { project }), hook: id }} {...props} />}
          >
            {hooks.deliveries.title}
          </Button>
          {hook.has_secret && (
            <Button variant="default" size="compact-sm" onClick={() => change({ rotate: id })}>
              {hooks.rotate}
            </Button>
          )}
          <Button
            variant="default"
            size="compact-sm"
            loading={switching}
            onClick={async () => {
              setSwitching(true);
              await act(set(!enabled), enabled ? hooks.switchedOff(name) : hooks.switchedOn(name), set(enabled));
              setSwitching(false);
            }}
          >
            {enabled ? hooks.switchOff : hooks.switchOn}
          </Button>
        </Group>
      </Stack>
    </Paper>
  );
}

function State({ hook: { enabled, disabled_reason: reason } }: { hook: Hook }) {
  const { states } = useTexts().hooks;
  const [tone, text]: [ToneName, string | undefined] = enabled
    ? ["good", states["on"]]
    : reason
      ? ["bad", states[reason] ?? reason]
      : ["neutral", states["off"]];
  return <Tone tone={tone}>{text}</Tone>;
}

function lastAttempt({ last_status: status, last_attempt_at: at }: Hook, { hooks: { last } }: Texts, format: Format): string {
  if (at === null) {
    return last.never;
  }
  return status ? last.answered(String(status), format.ago(at)) : last.silent(format.ago(at));
}

function RotateDialog({ hook: { id, name }, project, onClose }: { hook: Hook; project: string; onClose: () => void }) {
  const { common, hooks } = useTexts();
  const queries = useQueryClient();
  return (
    <Modal opened onClose={onClose} title={hooks.rotateTitle(name)} closeButtonProps={{ "aria-label": common.close }}>
      <Rotation
        texts={hooks}
        run={async (minutes) => {
          const { secret, previous_valid_until: until } = await hookCalls(project).rotate(id, { grace_minutes: minutes });
          void queries.invalidateQueries({ queryKey: ["hooks"] });
          return { secret, until };
        }}
        onClose={onClose}
      />
    </Modal>
  );
}
