// API keys: scopes, expiry and last use.

import { Badge, Stack, Text } from "@mantine/core";
import { IconRefresh } from "@tabler/icons-react";
import { useMemo } from "react";
import type { ApiKey, ApiKeyCreated } from "svc-sdk";
import { useChangeAddress } from "../../core/address";
import { CopyButton } from "../../core/copy";
import { type Format, useFormat } from "../../core/format";
import { useProjects } from "../../core/project";
import { useTexts } from "../../core/texts";
import { ResourcePage } from "../../resource/page";
import type { Resource } from "../../resource/resource";
import { ShownOnce } from "../../resource/rotation";
import type { Texts } from "../../texts/en";
import { fieldsOf, TokenInputs, type Values } from "./inputs";
import { RotateDialog } from "./rotate";
import { filterTokens, stateOf, states } from "./state";

const colours = { active: "green", expired: "yellow", revoked: "gray" } as const;

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
      { id: "name", title: tokens.name, phone: true, width: 160, render: ({ name }) => name },
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
      { id: "project_ids", spare: true, title: tokens.projects, width: 180, text: projectsOf, render: projectsOf },
      {
        id: "created_at",
        spare: true,
        title: tokens.created,
        width: 186,
        text: (key) => format.time(key.created_at),
        render: (key) => format.time(key.created_at),
      },
      {
        id: "expires_at",
        title: tokens.expires,
        width: 186,
        text: (key) => moment(key.expires_at, tokens.never),
        render: (key) => moment(key.expires_at, tokens.never),
      },
      {
        id: "last_used_at",
        title: tokens.lastUsed,
        phone: true,
        width: 134,
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
      created: (result: ApiKeyCreated, close) => <ShownOnce texts={tokens.shown} secret={result.token} onDone={close} />,
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

function Empty() {
  const { tokens } = useTexts();
  const example = `curl -H "X-API-Key: $SVC_KEY" ${location.origin}/api/v1/admin/projects`;
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
