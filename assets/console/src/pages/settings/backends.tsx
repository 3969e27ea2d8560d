// The storages as a resource, which users can list, create, change and delete.

import { NumberInput, SegmentedControl, Stack, Switch, Text, TextInput } from "@mantine/core";
import type { StorageBackend, StorageBackendFields } from "svc-sdk";
import { queries } from "../../core/query";
import { SecretField } from "../../fields/secret";
import type { Inputs, Resource } from "../../resource/resource";
import type { Texts } from "../../texts/en";

interface Values {
  kind: string;
  name: string;
  base_url: string;
  username: string;
  password: string | null;
  part_size_kb: number | null;
  region: string;
  bucket: string;
  path_prefix: string;
  path_style: boolean;
  is_default: boolean;
}

const empty: Values = {
  kind: "webdav",
  name: "",
  base_url: "",
  username: "",
  password: null,
  part_size_kb: null,
  region: "",
  bucket: "",
  path_prefix: "",
  path_style: true,
  is_default: false,
};

/** Converts the values to the form for the server. It omits the fields that the kind of storage does not have. */
export function fieldsOf(values: Values, stored: StorageBackend | null): StorageBackendFields {
  const { kind, name, is_default, password } = values;
  const always = { name, ...(is_default && !stored?.is_default && { is_default: true as const }) };
  if (kind === "local") {
    return always;
  }
  return {
    ...always,
    base_url: values.base_url,
    username: values.username,
    ...(password !== null && { password }),
    ...(kind === "webdav" && { part_size_kb: values.part_size_kb }),
    ...(kind === "s3" && {
      region: values.region || null,
      bucket: values.bucket,
      path_prefix: values.path_prefix,
      path_style: values.path_style,
    }),
  };
}

type AnyStorages = Resource<StorageBackend, Values>;
type Storages = AnyStorages & { [part in "form" | "remove"]: NonNullable<AnyStorages[part]> };

/** The IDs of new storages. Each of them is tested when it is shown for the first time. */
export const untested = new Set<string>();

/** Returns the description of the storages as a resource. */
export function storagesOf(texts: Texts): Storages {
  const { storage } = texts.settings;
  return {
    name: "storage",
    title: storage.storages,
    noun: storage.storage,
    addLabel: storage.add,
    id: ({ id }) => id,
    label: ({ name }) => name,
    ofProject: false,
    columns: [],
    searchable: false,
    list: async (admin) => {
      // The facts above the list come from the same response, so use the same query.
      const { backends } = await queries.fetchQuery({ queryKey: ["storage"], queryFn: ({ signal }) => admin.getStorage({ signal }) });
      return { total: backends.length, data: backends };
    },
    form: {
      empty: () => empty,
      from: (backend) => ({
        kind: backend.kind,
        name: backend.name,
        base_url: backend.base_url ?? "",
        username: backend.username ?? "",
        password: null,
        part_size_kb: backend.part_size_kb,
        region: backend.region ?? "",
        bucket: backend.bucket ?? "",
        path_prefix: backend.path_prefix ?? "",
        path_style: backend.path_style ?? true,
        is_default: backend.is_default,
      }),
      copy: (backend) => ({
        ...empty,
        kind: backend.kind === "local" ? "webdav" : backend.kind,
        name: backend.name,
        base_url: backend.base_url ?? "",
        username: backend.username ?? "",
        part_size_kb: backend.part_size_kb,
        region: backend.region ?? "",
        bucket: backend.bucket ?? "",
        path_prefix: backend.path_prefix ?? "",
        path_style: backend.path_style ?? true,
      }),
      check: (values) => ({
        ...(!values.name.trim() && { name: storage.form.nameNeeded }),
        ...(values.kind !== "local" && !/^https?:\/\/./i.test(values.base_url.trim()) && { base_url: storage.form.urlNeeded }),
        ...(values.kind === "s3" && !values.bucket.trim() && { bucket: storage.form.bucketNeeded }),
      }),
      create: async (admin, values) => {
        const made = await admin.createStorageBackend({
          ...fieldsOf(values, null),
          kind: values.kind,
          name: values.name,
          base_url: values.base_url,
        });
        untested.add(made.id);
        return made;
      },
      update: (admin, backend, values) => admin.updateStorageBackend(backend.id, fieldsOf(values, backend)),
      render: (inputs, backend) => <BackendInputs inputs={inputs} backend={backend} texts={texts} />,
    },
    remove: {
      run: (admin, { id }) => admin.deleteStorageBackend(id),
      can: ({ is_builtin }) => !is_builtin,
      consequences: () => <Text size="sm">{storage.deletion}</Text>,
    },
    empty: null,
    operations: [],
  };
}

function BackendInputs({ inputs, backend, texts }: { inputs: Inputs<Values>; backend: StorageBackend | null; texts: Texts }) {
  const { storage } = texts.settings;
  const { form, kinds } = storage;
  const { values } = inputs;
  const s3 = values.kind === "s3";
  const text = (field: keyof Values) => {
    const { value, onChange, error } = inputs.bind(field);
    return { value, error, onChange: ({ currentTarget }: { currentTarget: { value: string } }) => onChange(currentTarget.value) };
  };
  return (
    <Stack gap="md">
      {!backend && (
        <SegmentedControl
          aria-label={storage.kind}
          value={values.kind}
          onChange={(kind) => inputs.set("kind", kind)}
          data={[
            { value: "webdav", label: kinds.webdav },
            { value: "s3", label: kinds.s3 },
          ]}
        />
      )}
      <TextInput label={form.name} required maxLength={64} data-autofocus {...text("name")} />
      {values.kind !== "local" && (
        <>
          <TextInput
            label={s3 ? form.s3Url : form.webdavUrl}
            description={s3 ? form.s3Example : form.webdavExample}
            required
            type="url"
            maxLength={512}
            {...text("base_url")}
          />
          {s3 && <TextInput label={form.bucket} description={form.bucketHint} required maxLength={63} {...text("bucket")} />}
          <TextInput label={s3 ? form.accessKey : form.user} maxLength={256} autoComplete="off" {...text("username")} />
          <SecretField
            label={s3 ? form.secret : form.password}
            description={
              backend?.password_fingerprint
                ? texts.settings.onlyFingerprint(backend.password_fingerprint)
                : s3
                  ? form.credentialsHint
                  : undefined
            }
            mask={backend?.has_password ? "•".repeat(16) : null}
            {...inputs.bind("password")}
          />
          {s3 ? (
            <>
              <TextInput label={form.region} description={form.regionHint} maxLength={64} {...text("region")} />
              <TextInput label={form.prefix} maxLength={512} {...text("path_prefix")} />
              <Switch
                label={form.pathStyle}
                description={form.pathStyleHint}
                checked={values.path_style}
                onChange={({ currentTarget }) => inputs.set("path_style", currentTarget.checked)}
              />
            </>
          ) : (
            <NumberInput
              label={form.partSize}
              description={form.partSizeHint}
              min={64}
              max={1_048_576}
              allowDecimal={false}
              value={values.part_size_kb ?? ""}
              error={inputs.bind("part_size_kb").error}
              onChange={(value) => inputs.set("part_size_kb", typeof value === "number" ? value : null)}
            />
          )}
        </>
      )}
      <Switch
        label={form.isDefault}
        checked={values.is_default}
        disabled={backend?.is_default ?? false}
        onChange={({ currentTarget }) => inputs.set("is_default", currentTarget.checked)}
      />
    </Stack>
  );
}
