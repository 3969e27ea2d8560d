// The hooks of a project or of the instance as a resource, which users can list, create, change and
// delete.

import { MultiSelect, Select, Stack, Switch, Text, TextInput } from "@mantine/core";
import type { Hook, HookCreate, HookCreated, HookFields } from "svc-sdk";
import { SecretField } from "../../fields/secret";
import { TagsField } from "../../fields/tags";
import { stateOf } from "../../resource/record";
import type { Inputs, Resource } from "../../resource/resource";
import { ShownOnce } from "../../resource/rotation";
import type { Texts } from "../../texts/en";
import { hookCalls } from "./calls";
import { eventsOf, everything } from "./events";

type Kind = Hook["kind"];

interface Values {
  kind: Kind;
  name: string;
  url: string;
  to: string[];
  events: string[];
  authorization: string | null;
  enabled: boolean;
}

const kinds: Kind[] = ["webhook", "ntfy", "slack", "discord", "email"];
const authorized: Kind[] = ["webhook", "ntfy"];
const mostRecipients = 20;
const mostEvents = 32;

/** Converts the values to the form for the server. It omits the fields that the kind does not have. */
function fieldsOf({ kind, name, url, to, events, authorization, enabled }: Values): HookFields {
  return {
    name,
    events,
    enabled,
    ...(kind === "email" ? { to } : { url: url.trim() }),
    ...(authorized.includes(kind) && authorization !== null && { authorization }),
  };
}

type AnyHooks = Resource<Hook, Values>;
export type Hooks = AnyHooks & { [part in "form" | "remove"]: NonNullable<AnyHooks[part]> };

/** Milliseconds between two requests for the list, which shows the last attempts. */
const every = 15_000;

/** Returns the description of the hooks of a project or, if the key is "", of the instance. */
export function hooksOf(texts: Texts, project: string): Hooks {
  const { form } = texts.hooks;
  const calls = hookCalls(project);
  return {
    name: "hooks",
    title: texts.hooks.title,
    noun: texts.hooks.noun,
    addLabel: texts.hooks.add,
    id: ({ id }) => id,
    label: ({ name }) => name,
    ofProject: project !== "",
    columns: [],
    searchable: false,
    refetchEvery: () => every,
    list: async (_, __, signal) => {
      const { data } = await calls.list({ signal });
      return { total: data.length, data };
    },
    get: (_, id, signal) => calls.get(id, { signal }),
    form: {
      empty: () => ({ kind: "webhook", name: "", url: "", to: [], events: [everything], authorization: null, enabled: true }),
      from: ({ kind, name, url, to, events, enabled }) => ({ kind, name, url: url ?? "", to, events, authorization: null, enabled }),
      check: ({ kind, name, url, to, events }) => ({
        ...(!name.trim() && { name: form.nameNeeded }),
        ...(kind === "email" ? to.length === 0 && { to: form.toNeeded } : !/^https?:\/\/./i.test(url.trim()) && { url: form.urlNeeded }),
        ...(events.length === 0 && { events: form.eventsNeeded }),
      }),
      create: (_, values) => calls.create({ kind: values.kind, ...fieldsOf(values) } as HookCreate),
      created: ({ secret }: HookCreated, close) => (secret ? <ShownOnce texts={texts.hooks.shown} secret={secret} onDone={close} /> : null),
      update: (_, { id }, values, ifMatch) => calls.update(id, fieldsOf(values), { ifMatch }),
      etag: (_, hook) => stateOf(hook, (options) => calls.get(hook.id, options)),
      render: (inputs, hook) => <HookInputs inputs={inputs} hook={hook} ofInstance={project === ""} texts={texts} />,
    } as Hooks["form"],
    remove: {
      run: (_, { id }) => calls.remove(id),
      consequences: () => <Text size="sm">{texts.hooks.deletion}</Text>,
    },
    empty: null,
    operations: [],
  };
}

function HookInputs({ inputs, hook, ofInstance, texts }: { inputs: Inputs<Values>; hook: Hook | null; ofInstance: boolean; texts: Texts }) {
  const { form, kinds: names } = texts.hooks;
  const { kind } = inputs.values;
  const text = (field: "name" | "url") => {
    const { value, onChange, error } = inputs.bind(field);
    return { value, error, onChange: ({ currentTarget }: { currentTarget: { value: string } }) => onChange(currentTarget.value) };
  };
  return (
    <Stack gap="md">
      {!hook && (
        <Select
          label={form.kind}
          description={kind === "email" ? form.emailHint : form.kindHint}
          allowDeselect={false}
          data={kinds.map((value) => ({ value, label: names[value] ?? value }))}
          {...inputs.bind("kind")}
        />
      )}
      <TextInput label={form.name} description={form.nameHint} required maxLength={64} data-autofocus {...text("name")} />
      {kind === "email" ? (
        <TagsField label={form.to} description={form.toHint} required max={mostRecipients} {...inputs.bind("to")} />
      ) : (
        <TextInput label={form.url} description={form.urlHints[kind]} required type="url" maxLength={1024} {...text("url")} />
      )}
      <MultiSelect
        label={form.events}
        description={form.eventsHint}
        required
        searchable
        maxValues={mostEvents}
        nothingFoundMessage={texts.common.none}
        data={[
          { value: everything, label: form.everything },
          ...eventsOf(ofInstance).map(({ word, events }) => ({ group: texts.hooks.words[word] ?? word, items: [`${word}.*`, ...events] })),
        ]}
        {...inputs.bind("events")}
      />
      {authorized.includes(kind) && (
        <SecretField
          label={form.authorization}
          description={form.authorizationHint}
          mask={hook?.has_authorization ? "•".repeat(16) : null}
          {...inputs.bind("authorization")}
        />
      )}
      <Switch
        label={form.enabled}
        description={form.enabledHint}
        checked={inputs.values.enabled}
        onChange={({ currentTarget }) => inputs.set("enabled", currentTarget.checked)}
      />
    </Stack>
  );
}
