// API keys: what they may do, until when, and when they were last used.

import {
  Alert,
  Badge,
  Button,
  Checkbox,
  Group,
  Input,
  Modal,
  MultiSelect,
  NumberInput,
  SegmentedControl,
  Stack,
  Text,
  TextInput,
} from "@mantine/core";
import { IconAlertTriangle, IconRefresh } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import type { ApiKey, ApiKeyCreated, ApiKeyFields, Scope } from "svc-sdk";
import { useAddress, useChangeAddress } from "../app/address";
import { clientOf } from "../app/client";
import { CopyButton } from "../app/copy";
import { Failure } from "../app/failure";
import { type Format, useFormat } from "../app/format";
import { useProjects } from "../app/project";
import { useTexts } from "../app/texts";
import { ScopesField } from "../fields/scopes";
import { listKey } from "../resource/list";
import { ResourcePage } from "../resource/page";
import type { Inputs, Resource } from "../resource/resource";
import type { Texts } from "../texts/en";
import { filterTokens, stateOf, states } from "./tokenstate";

interface Values {
  name: string;
  scopes: Scope[];
  expiry: "keep" | "days" | "never";
  expires_in_days: number | string;
  all_projects: boolean;
  project_ids: string[];
}

const colours = { active: "green", expired: "yellow", revoked: "gray" } as const;

/** What is sent of a form; an end that stays is left out. */
function fieldsOf({ name, scopes, expiry, expires_in_days, all_projects, project_ids }: Values): ApiKeyFields {
  return {
    name,
    scopes,
    all_projects,
    ...(!all_projects && { project_ids }),
    ...(expiry === "days" && { expires_in_days: Number(expires_in_days), never_expires: false }),
    ...(expiry === "never" && { never_expires: true }),
  };
}

export default function TokensPage() {
  const texts = useTexts();
  const format = useFormat();
  const change = useChangeAddress();
  const { data: projects } = useProjects();
  const resource = useMemo(() => {
    const names = new Map((projects ?? []).map(({ project_key, name }) => [project_key, name]));
    return tokensOf(texts, format, names, (id) => change({ rotate: id }));
  }, [texts, format, projects, change]);
  return (
    <>
      <ResourcePage resource={resource} />
      <RotateDialog />
    </>
  );
}

function tokensOf(texts: Texts, format: Format, names: Map<string, string>, rotate: (id: string) => void): Resource<ApiKey, Values> {
  const { tokens } = texts;
  const moment = (seconds: number | null, otherwise: string) => (seconds === null ? otherwise : format.time(seconds));
  const projectsOf = ({ all_projects, project_ids }: ApiKey) =>
    all_projects ? tokens.allProjects : format.list(project_ids.map((key) => names.get(key) ?? key)) || tokens.projectsGone;
  return {
    name: "tokens",
    title: texts.frame.pages.tokens,
    noun: tokens.noun,
    id: ({ id }) => id,
    label: ({ name }) => name,
    ofProject: false,
    columns: [
      { id: "name", title: tokens.name, phone: true, width: 190, render: ({ name }) => name },
      {
        id: "state",
        title: tokens.state,
        phone: true,
        width: 100,
        text: (key) => tokens.states[stateOf(key)],
        render: (key) => (
          <Badge variant="light" color={colours[stateOf(key)]}>
            {tokens.states[stateOf(key)]}
          </Badge>
        ),
      },
      {
        id: "scopes",
        title: tokens.scopes,
        width: 160,
        text: ({ scopes }) => scopes.join(", "),
        render: ({ scopes }) => (scopes.length > 2 ? tokens.scopesMore(scopes.length) : scopes.join(", ")),
        detail: ({ scopes }) => scopes.join("\n"),
      },
      { id: "project_ids", title: tokens.projects, width: 180, text: projectsOf, render: projectsOf },
      {
        id: "created_at",
        title: tokens.created,
        width: 175,
        text: (key) => format.time(key.created_at),
        render: (key) => format.time(key.created_at),
      },
      {
        id: "expires_at",
        title: tokens.expires,
        width: 175,
        text: (key) => moment(key.expires_at, tokens.never),
        render: (key) => moment(key.expires_at, tokens.never),
      },
      {
        id: "last_used_at",
        title: tokens.lastUsed,
        width: 120,
        text: (key) => moment(key.last_used_at, tokens.unused),
        render: (key) => (key.last_used_at === null ? tokens.unused : format.ago(key.last_used_at)),
        detail: (key) => moment(key.last_used_at, tokens.unused),
      },
      {
        id: "revoked_at",
        title: tokens.revokedAt,
        hidden: true,
        text: (key) => moment(key.revoked_at, ""),
        render: (key) => moment(key.revoked_at, ""),
      },
      {
        id: "previous_key_expires_at",
        title: tokens.previousUntil,
        hidden: true,
        text: (key) => moment(key.previous_key_expires_at, ""),
        render: (key) => moment(key.previous_key_expires_at, ""),
      },
      { id: "id", title: tokens.id, hidden: true, render: ({ id }) => <code>{id}</code> },
    ],
    filters: [
      {
        kind: "choice",
        id: "state",
        label: tokens.state,
        choices: states.map((state) => ({ value: state, label: tokens.states[state] })),
      },
    ],
    list: async (admin, query, signal) => {
      const { data } = await admin.listApiKeys({ signal });
      const found = filterTokens(data, { search: query.search, state: query["state"] as string | undefined });
      return { total: found.length, data: found.slice(query.offset, query.offset + query.limit) };
    },
    get: async (admin, id, signal) => {
      const found = (await admin.listApiKeys({ signal })).data.find((key) => key.id === id);
      if (!found) {
        throw new Error(texts.common.recordGone);
      }
      return found;
    },
    canEdit: (key) => key.is_active,
    form: {
      empty: () => ({ name: "", scopes: ["versions:write"], expiry: "days", expires_in_days: 30, all_projects: true, project_ids: [] }),
      from: ({ name, scopes, all_projects, project_ids }) => ({
        name,
        scopes,
        expiry: "keep",
        expires_in_days: 30,
        all_projects,
        project_ids,
      }),
      copy: ({ name, scopes, all_projects, project_ids, expires_at }) => ({
        name,
        scopes,
        expiry: expires_at === null ? "never" : "days",
        expires_in_days: 30,
        all_projects,
        project_ids,
      }),
      check: ({ name, scopes, expiry, expires_in_days, all_projects, project_ids }) => {
        const days = Number(expires_in_days);
        return {
          ...(!name.trim() && { name: tokens.nameNeeded }),
          ...(scopes.length === 0 && { scopes: tokens.scopesNeeded }),
          ...(expiry === "days" && !(Number.isInteger(days) && days >= 1 && days <= 365) && { expires_in_days: tokens.daysWrong }),
          ...(!all_projects && project_ids.length === 0 && { project_ids: tokens.projectsNeeded }),
        };
      },
      create: (admin, values) => admin.createApiKey(fieldsOf(values) as never),
      update: (admin, { id }, values) => admin.updateApiKey(id, fieldsOf(values)),
      created: (result: ApiKeyCreated, close) => <ShownKey token={result.token} onDone={close} />,
      render: (inputs, record) => <TokenInputs inputs={inputs} record={record} />,
    } as NonNullable<Resource<ApiKey, Values>["form"]>,
    actions: (key) =>
      stateOf(key) === "active"
        ? [{ id: "rotate", label: tokens.rotate, icon: <IconRefresh size={16} aria-hidden />, run: () => rotate(key.id) }]
        : [],
    remove: {
      label: tokens.revoke,
      can: (key) => key.is_active,
      run: (admin, { id }) => admin.revokeApiKey(id),
      consequences: () => <Text size="sm">{tokens.revokeText}</Text>,
    },
    empty: <Empty />,
    operations: ["listApiKeys", "createApiKey", "updateApiKey", "rotateApiKey", "revokeApiKey", "listApiScopes"],
  };
}

function TokenInputs({ inputs, record }: { inputs: Inputs<Values>; record: ApiKey | null }) {
  const { tokens } = useTexts();
  const { data: projects } = useProjects();
  const scopes = useQuery({
    queryKey: ["scopes"],
    queryFn: ({ signal }) => clientOf("").admin.listApiScopes({ signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const { values } = inputs;
  const name = inputs.bind("name");
  return (
    <Stack gap="md">
      <TextInput
        label={tokens.name}
        description={tokens.nameHint}
        required
        maxLength={64}
        data-autofocus
        value={name.value}
        error={name.error}
        onChange={({ currentTarget }) => name.onChange(currentTarget.value)}
      />
      {scopes.error ? (
        <Failure error={scopes.error} retry={() => void scopes.refetch()} />
      ) : (
        <ScopesField
          label={tokens.scopes}
          description={tokens.scopesHint}
          available={scopes.data?.data ?? values.scopes}
          {...inputs.bind("scopes")}
        />
      )}
      <Stack gap={4}>
        <Input.Label labelElement="div" id="token-expiry">
          {tokens.expiry}
        </Input.Label>
        <SegmentedControl
          aria-labelledby="token-expiry"
          value={values.expiry}
          onChange={(expiry) => inputs.set("expiry", expiry as Values["expiry"])}
          data={[
            ...(record ? [{ value: "keep", label: tokens.keepExpiry }] : []),
            { value: "days", label: tokens.days },
            { value: "never", label: tokens.forever },
          ]}
        />
      </Stack>
      {values.expiry === "days" && (
        <NumberInput
          label={tokens.daysLabel}
          min={1}
          max={365}
          allowDecimal={false}
          clampBehavior="none"
          maw={160}
          {...inputs.bind("expires_in_days")}
        />
      )}
      {values.expiry === "never" && (
        <Alert color="yellow" role="status" icon={<IconAlertTriangle aria-hidden />}>
          {tokens.foreverWarning}
        </Alert>
      )}
      <Stack gap="xs">
        <Checkbox
          label={tokens.allProjects}
          checked={values.all_projects}
          onChange={({ currentTarget }) => inputs.set("all_projects", currentTarget.checked)}
        />
        {!values.all_projects && (
          <MultiSelect
            label={tokens.listedProjects}
            placeholder={tokens.choose}
            searchable
            data={(projects ?? []).map((project) => ({ value: project.project_key, label: project.name }))}
            {...inputs.bind("project_ids")}
          />
        )}
      </Stack>
    </Stack>
  );
}

/** A key, which is shown this once. */
function ShownKey({ token, former, onDone }: { token: string; former?: string; onDone: () => void }) {
  const { tokens } = useTexts();
  return (
    <Stack gap="md">
      <Alert color="yellow" title={tokens.shown.title} icon={<IconAlertTriangle aria-hidden />}>
        {tokens.shown.text}
      </Alert>
      <Group gap="xs" align="flex-end" wrap="nowrap">
        <TextInput label={tokens.shown.key} value={token} readOnly flex={1} onFocus={({ currentTarget }) => currentTarget.select()} />
        <CopyButton text={token} />
      </Group>
      {former && <Text size="sm">{former}</Text>}
      <Group justify="flex-end">
        <Button onClick={onDone}>{tokens.shown.done}</Button>
      </Group>
    </Stack>
  );
}

/** The dialog that gives a token a new key. */
function RotateDialog() {
  const { common, tokens } = useTexts();
  const [address, change] = useAddress();
  const id = address["rotate"];
  const keys = useQuery({
    queryKey: ["tokens", "", "rotate"],
    queryFn: ({ signal }) => clientOf("").admin.listApiKeys({ signal }),
    enabled: id !== undefined,
  });
  const key = keys.data?.data.find((other) => other.id === id);
  const close = () => change({ rotate: undefined });
  return (
    <Modal
      opened={id !== undefined}
      onClose={close}
      title={key ? tokens.rotateTitle(key.name) : tokens.rotate}
      closeButtonProps={{ "aria-label": common.close }}
    >
      {key ? (
        <Rotate key={id} id={key.id} onClose={close} />
      ) : keys.error ? (
        <Failure error={keys.error} retry={() => void keys.refetch()} />
      ) : (
        <Text c="dimmed">{keys.data ? common.recordGone : common.loading}</Text>
      )}
    </Modal>
  );
}

const longestGrace = 10_080;

function Rotate({ id, onClose }: { id: string; onClose: () => void }) {
  const { common, tokens } = useTexts();
  const format = useFormat();
  const queries = useQueryClient();
  const [minutes, setMinutes] = useState<number | string>(60);
  const rotate = useMutation({
    mutationFn: () => clientOf("").admin.rotateApiKey(id, { grace_period_minutes: Number(minutes) }),
    onSuccess: () => void queries.invalidateQueries({ queryKey: listKey("tokens", "") }),
  });
  const wrong = minutes === "" || !Number.isInteger(Number(minutes)) || Number(minutes) < 0 || Number(minutes) > longestGrace;
  if (rotate.data) {
    const until = rotate.data.previous_key_expires_at;
    return (
      <ShownKey
        token={rotate.data.token}
        former={until === null ? tokens.shown.formerEnded : tokens.shown.former(format.time(until))}
        onDone={onClose}
      />
    );
  }
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (!wrong) {
          rotate.mutate();
        }
      }}
    >
      <Stack gap="md">
        <Text size="sm">{tokens.rotateText}</Text>
        <NumberInput
          label={tokens.grace}
          description={tokens.graceHint}
          min={0}
          max={longestGrace}
          allowDecimal={false}
          clampBehavior="none"
          data-autofocus
          value={minutes}
          onChange={setMinutes}
          error={wrong && tokens.graceWrong}
        />
        {rotate.error && <Failure error={rotate.error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
          <Button type="submit" loading={rotate.isPending} disabled={wrong}>
            {tokens.rotate}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function Empty() {
  const { tokens } = useTexts();
  const example = `curl -H "Authorization: Bearer $SVC_KEY" ${location.origin}/api/v1/admin/projects`;
  return (
    <Stack gap="sm" maw={640}>
      <Text>{tokens.empty}</Text>
      <Text size="sm" c="dimmed">
        {tokens.emptyExample}
      </Text>
      <code className="lines">{example}</code>
      <div>
        <CopyButton text={example} />
      </div>
    </Stack>
  );
}
