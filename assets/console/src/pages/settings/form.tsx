// A form for settings. It loads them, lets the user change them, and saves them together.

import { Button, Group, Modal, Skeleton, Stack, Text } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { type Admin, clientOf } from "../../core/client";
import { Failure } from "../../core/failure";
import { noticeDone } from "../../core/notice";
import { useTexts } from "../../core/texts";
import { UnsavedGuard } from "../../core/unsaved";
import { Attention, useFirstProblem } from "../../resource/attention";
import { errorsOf } from "../../resource/form";
import type { Inputs } from "../../resource/resource";
import classes from "./settings.module.css";

export interface SettingsForm<V, D extends object> {
  /** The key of the query that loads the settings. */
  name: string;
  load(admin: Admin, signal: AbortSignal): Promise<V>;
  /** Returns the values of the inputs for the given settings. */
  from(view: V): D;
  save(admin: Admin, values: D, view: V): Promise<V>;
}

export interface Editing<V, D extends object> {
  view: V;
  inputs: Inputs<D>;
  dirty: boolean;
  saving: boolean;
  /** Replaces the shown settings, for example after they have been cleared. */
  take(view: V): void;
}

/** A form for settings. `children` renders the inputs, and `actions` is shown beside "Save". */
export function SettingsFormOf<V, D extends object>({
  form,
  children,
  actions,
}: {
  form: SettingsForm<V, D>;
  children: (editing: Editing<V, D>) => ReactNode;
  actions?: (editing: Editing<V, D>) => ReactNode;
}) {
  const { common } = useTexts();
  const settings = useQuery({ queryKey: [form.name], queryFn: ({ signal }) => form.load(clientOf("").admin, signal) });
  if (settings.data === undefined) {
    return settings.error ? (
      <Failure error={settings.error} retry={() => void settings.refetch()} />
    ) : (
      <Skeleton height={320} role="status" aria-label={common.loading} />
    );
  }
  return <Loaded form={form} view={settings.data} draw={children} actions={actions} />;
}

function Loaded<V, D extends object>({
  form,
  view,
  draw,
  actions,
}: {
  form: SettingsForm<V, D>;
  view: V;
  draw: (editing: Editing<V, D>) => ReactNode;
  actions: ((editing: Editing<V, D>) => ReactNode) | undefined;
}) {
  const texts = useTexts();
  const queries = useQueryClient();
  const values = useForm<D>({ mode: "controlled", initialValues: form.from(view) });
  const dirty = values.isDirty();
  const show = (next: V) => {
    const shown = form.from(next);
    values.setInitialValues(shown);
    values.setValues(shown);
    values.clearErrors();
  };
  // Show changes that were saved elsewhere, unless the form has unsaved changes.
  useEffect(() => {
    if (!dirty) {
      show(view);
    }
  }, [view]);
  const take = (next: V) => {
    queries.setQueryData([form.name], next);
    show(next);
  };
  const save = useMutation({
    mutationFn: () => form.save(clientOf("").admin, values.values, view),
    onSuccess: (next) => {
      take(next);
      noticeDone(texts, texts.common.saved);
    },
    onError: (error) => values.setErrors(errorsOf(error, Object.keys(values.values)).fields),
  });
  const inputs: Inputs<D> = {
    values: values.values,
    errors: values.errors,
    bind: (field) => {
      const { value, onChange, error } = values.getInputProps(field);
      return { value, onChange, error };
    },
    set: (field, value) => values.setFieldValue(field, value as never),
  };
  const editing: Editing<V, D> = { view, inputs, dirty, saving: save.isPending, take };
  const elsewhere = save.error && errorsOf(save.error, Object.keys(values.values)).rest.length > 0;
  const root = useRef<HTMLFormElement>(null);
  useFirstProblem(root, save.isError ? save.submittedAt : null);
  return (
    <form
      ref={root}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <Stack gap="md">
        {draw(editing)}
        {elsewhere && <Failure error={save.error} />}
        <Group gap="xs" className={classes["foot"]} data-dirty={dirty || undefined}>
          <Button type="submit" loading={save.isPending} disabled={!dirty}>
            {texts.common.save}
          </Button>
          {dirty && (
            <Button variant="default" onClick={() => show(view)}>
              {texts.common.reset}
            </Button>
          )}
          {actions?.(editing)}
          <Attention errors={values.errors} />
        </Group>
      </Stack>
      <UnsavedGuard unsaved={dirty} />
    </form>
  );
}

/** A button that asks for confirmation before it removes something. */
export function ConfirmedButton({
  label,
  title,
  text,
  disabled = false,
  danger = true,
  run,
}: {
  label: string;
  title: string;
  text: ReactNode;
  disabled?: boolean;
  danger?: boolean;
  run: () => Promise<unknown>;
}) {
  const { common } = useTexts();
  const [open, setOpen] = useState(false);
  const action = useMutation({ mutationFn: run, onSuccess: () => setOpen(false) });
  return (
    <>
      <Button variant="subtle" color={danger ? "red" : undefined} disabled={disabled} onClick={() => setOpen(true)}>
        {label}
      </Button>
      <Modal opened={open} onClose={() => setOpen(false)} title={title} size="sm" closeButtonProps={{ "aria-label": common.close }}>
        <Stack gap="md">
          <Text size="sm">{text}</Text>
          {action.error && <Failure error={action.error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" data-autofocus onClick={() => setOpen(false)}>
              {common.cancel}
            </Button>
            <Button color={danger ? "red" : undefined} loading={action.isPending} onClick={() => action.mutate()}>
              {label}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
