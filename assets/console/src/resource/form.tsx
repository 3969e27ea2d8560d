// The dialog that creates, copies or edits a record. The user cannot lose unsaved input by mistake:
// closing asks first, and a failed save keeps the input. Changes that were saved elsewhere in the
// meantime are reported.

import { Alert, Button, Group, Modal, Stack, Text } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useBlocker } from "@tanstack/react-router";
import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from "react";
import { useAddress } from "../core/address";
import { clientOf, rawMessagesOf, statusOf } from "../core/client";
import { Failure } from "../core/failure";
import { openDialog } from "../core/keys";
import { noticeDone } from "../core/notice";
import { sentence } from "../core/sentence";
import { useTexts } from "../core/texts";
import { Attention, useFirstProblem } from "./attention";
import { showChange } from "./change";
import { useFocusReturn } from "./focus";
import classes from "./form.module.css";
import { type Listed, useRecord } from "./record";
import { type FormDescription, type Inputs, type Resource, titleName } from "./resource";

interface Props<R extends object, D extends object> {
  resource: Resource<R, D>;
  form: FormDescription<R, D>;
  list: Listed<R>;
}

export function FormDialog<R extends object, D extends object>({ resource, form, list }: Props<R, D>) {
  const [address, change] = useAddress();
  const id = address["edit"] ?? address["copy"];
  const { record, error, retry } = useRecord(resource, list, id);
  const { common } = useTexts();
  const goOn = (parts: Record<string, string> = {}) => change({ new: undefined, edit: undefined, copy: undefined, ...parts });
  const close = () => goOn();
  if (!id && !address["new"]) {
    return null;
  }
  if (id && !record) {
    return (
      <Modal opened onClose={close} title={resource.noun} closeButtonProps={{ "aria-label": common.close }}>
        {error ? <Failure error={error} retry={retry} /> : <Text c="dimmed">{common.loading}</Text>}
      </Modal>
    );
  }
  const edited = address["edit"] ? record : null;
  const initial = edited ? form.from(edited) : record ? (form.copy ?? form.from)(record) : form.empty();
  const copied = edited ? null : record;
  return <OpenForm key={`${address["edit"]} ${address["copy"]}`} {...{ resource, form, list, edited, copied, initial, goOn }} />;
}

/**
 * Reports whether an element is in an open menu or popover of a button. In that case, Esc closes
 * only the menu or popover.
 */
function isInOpenBox(element: Element | null): boolean {
  const button = element?.closest("[role=menu], [role=dialog]")?.getAttribute("aria-labelledby");
  return button != null && document.getElementById(button)?.getAttribute("aria-expanded") === "true";
}

/** Returns an error for each time that is NaN because its text could not be read. */
function unreadable(values: object, error: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values)
      .filter(([, value]) => Number.isNaN(value))
      .map(([field]) => [field, error]),
  );
}

function OpenForm<R extends object, D extends object>({
  resource,
  form,
  list,
  edited,
  copied,
  initial,
  goOn,
}: Props<R, D> & { edited: R | null; copied: R | null; initial: D; goOn: (parts?: Record<string, string>) => void }) {
  const texts = useTexts();
  const { common } = texts;
  const queries = useQueryClient();
  // Whether another dialog will follow and take the focus.
  const followed = useRef(false);
  useFocusReturn(edited ? resource.id(edited) : undefined, followed);
  const admin = clientOf(list.project).admin;
  // The list may change, but the form keeps the record for which it was opened.
  const [record, setRecord] = useState(edited);
  const [original] = useState(copied);
  const [made, setMade] = useState<{ result: unknown } | null>(null);
  const leaving = useRef(false);
  const values = useForm<D>({ mode: "controlled", initialValues: initial });
  const etag = useRef<Promise<string | undefined> | null>(null);
  if (record && form.etag && !etag.current) {
    etag.current = form.etag(admin, record).catch(() => undefined);
  }

  const close = () => goOn();
  const leave = (parts?: Record<string, string>) => {
    leaving.current = true;
    followed.current = parts !== undefined;
    goOn(parts);
  };
  const save = useMutation({
    mutationFn: async (overwrite: boolean) => {
      const problems = { ...unreadable(values.values, texts.fields.time.wrong), ...form.check?.(values.values, record) };
      if (Object.keys(problems).length) {
        throw new FieldErrors(problems as Record<string, string>);
      }
      return record
        ? form.update!(admin, record, values.values, overwrite ? undefined : await etag.current!)
        : form.create!(admin, values.values);
    },
    onSuccess: async (result) => {
      if (record) {
        // The record may be edited again before the list has been refetched.
        showChange(queries, [resource.name, list.project], resource.id, record, result as Partial<R>);
      }
      void queries.invalidateQueries({ queryKey: [resource.name] });
      if (!record && form.created?.(result as never, () => leave())) {
        values.resetDirty();
        setMade({ result });
        return;
      }
      const next = record ? undefined : form.next?.(result as never);
      noticeDone(texts, next?.notice ?? common.saved);
      leave(next?.address);
    },
    onError: (error) => {
      const { fields } = errorsOf(error, Object.keys(values.values));
      values.setErrors(fields);
    },
  });
  const load = useMutation({
    mutationFn: async () => {
      const fresh = await resource.get!(admin, resource.id(record!), AbortSignal.timeout(15_000));
      if (!fresh) {
        throw new Error(common.recordGone);
      }
      etag.current = null;
      setRecord(fresh);
      values.setInitialValues(form.from(fresh));
      values.setValues(form.from(fresh));
      save.reset();
    },
  });
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => {
      const stays = (search: unknown) => {
        const { edit, copy, new: create } = search as Record<string, string | undefined>;
        return `${edit} ${copy} ${create}`;
      };
      return !leaving.current && values.isDirty() && (current.pathname !== next.pathname || stays(current.search) !== stays(next.search));
    },
    enableBeforeUnload: () => !leaving.current && values.isDirty(),
    withResolver: true,
  });

  const root = useRef<HTMLDivElement>(null);
  useFirstProblem(root, save.isError && statusOf(save.error) !== 412 ? save.submittedAt : null);
  useEffect(() => {
    if (made) {
      root.current?.querySelector<HTMLElement>("[data-autofocus]")?.focus();
    }
  }, [made]);
  // The focus may be outside of the dialog: it is still at its previous place until the dialog has
  // taken it, and a click beside the dialog removes it. Esc must close the form in these cases,
  // too. This listener is registered only once, so it runs before the listeners of dialogs that
  // open above the form, and still finds such a dialog open.
  const closeByKey = useEffectEvent(({ key, defaultPrevented }: KeyboardEvent) => {
    const focused = document.activeElement;
    const own = root.current?.contains(focused) || isInOpenBox(focused);
    if (key === "Escape" && !defaultPrevented && !own && root.current?.contains(openDialog())) {
      close();
    }
  });
  useEffect(() => {
    const listener = (event: KeyboardEvent) => closeByKey(event);
    window.addEventListener("keydown", listener, { capture: true });
    return () => window.removeEventListener("keydown", listener, { capture: true });
  }, []);

  const inputs: Inputs<D> = {
    values: values.values,
    errors: values.errors,
    bind: (field) => {
      const { value, onChange, error } = values.getInputProps(field);
      return { value, onChange, error };
    },
    set: (field, value) => values.setFieldValue(field, value as never),
  };
  const rest = save.error ? errorsOf(save.error, Object.keys(values.values)).rest : [];
  const title = record
    ? common.actionTitle(common.edit, titleName(resource, record, common))
    : original
      ? common.copyTitle(titleName(resource, original, common))
      : (resource.addLabel ?? common.newTitle(resource.noun));
  return (
    <>
      <Modal
        opened
        ref={root}
        onClose={close}
        title={title}
        size={form.size ?? "lg"}
        closeButtonProps={{ "aria-label": common.close }}
        // Mantine would close the form even if Esc is meant for a dialog of one of the inputs.
        closeOnEscape={false}
        onKeyDown={(event) => {
          const target = event.target as Element;
          const own = event.currentTarget.contains(target) && target.getAttribute("data-mantine-stop-propagation") !== "true";
          if (event.key === "Escape" && own && !event.defaultPrevented && !event.nativeEvent.isComposing) {
            close();
          }
        }}
      >
        {made && form.created ? (
          form.created(made.result as never, () => leave())
        ) : (
          <form
            noValidate
            onSubmit={(event) => {
              event.preventDefault();
              save.mutate(false);
            }}
          >
            <Stack gap="md">
              {form.render(inputs, record)}
              <Stack gap="sm" className={classes["foot"]}>
                {statusOf(save.error) === 412 ? (
                  <Conflict onLoad={resource.get && (() => load.mutate())} onOverwrite={() => save.mutate(true)} />
                ) : (
                  rest.length > 0 && <Failure error={save.error} />
                )}
                <Group justify="space-between" gap="xs">
                  <Attention errors={values.errors} />
                  <Group gap="xs" ms="auto">
                    <Button variant="default" onClick={close}>
                      {common.cancel}
                    </Button>
                    <Button type="submit" loading={save.isPending}>
                      {common.save}
                    </Button>
                  </Group>
                </Group>
              </Stack>
            </Stack>
          </form>
        )}
      </Modal>
      {blocker.status === "blocked" && <Unsaved onKeep={blocker.reset} onDiscard={blocker.proceed} />}
    </>
  );
}

/**
 * The dialog that asks whether to discard changes. It is only mounted when it is needed. Otherwise,
 * the same press of Esc that made the form ask would also close this dialog.
 */
function Unsaved({ onKeep, onDiscard }: { onKeep: () => void; onDiscard: () => void }) {
  const { close, unsaved } = useTexts().common;
  useFocusReturn();
  return (
    <Modal opened onClose={onKeep} title={unsaved.title} size="sm" closeButtonProps={{ "aria-label": close }}>
      <Text size="sm">{unsaved.text}</Text>
      <Group justify="flex-end" gap="xs" mt="md">
        <Button variant="default" data-autofocus onClick={onKeep}>
          {unsaved.keep}
        </Button>
        <Button color="red" onClick={onDiscard}>
          {unsaved.discard}
        </Button>
      </Group>
    </Modal>
  );
}

function Conflict({ onLoad, onOverwrite }: { onLoad: (() => void) | undefined; onOverwrite: () => void }): ReactNode {
  const { conflict } = useTexts().common;
  return (
    <Alert color="yellow" role="alert" title={conflict.title}>
      <Text size="sm">{conflict.text}</Text>
      <Group gap="xs" mt="xs">
        {onLoad && (
          <Button variant="default" size="compact-sm" onClick={onLoad}>
            {conflict.load}
          </Button>
        )}
        <Button variant="default" size="compact-sm" onClick={onOverwrite}>
          {conflict.overwrite}
        </Button>
      </Group>
    </Alert>
  );
}

/** Errors that the form finds before it sends a request, by field. */
class FieldErrors extends Error {
  constructor(readonly fields: Record<string, string>) {
    super(Object.values(fields).join("; "));
  }
}

/** Splits the messages of an error into those that begin with the name of a field, by field, and all others. */
export function errorsOf(error: unknown, names: string[]): { fields: Record<string, string>; rest: string[] } {
  if (error instanceof FieldErrors) {
    return { fields: error.fields, rest: [] };
  }
  const fields: Record<string, string> = {};
  const rest: string[] = [];
  for (const message of rawMessagesOf(error)) {
    const name = /^[a-z_]+/.exec(message)?.[0];
    if (statusOf(error) >= 400 && name && names.includes(name)) {
      fields[name] = fields[name] ? `${fields[name]}; ${message}` : sentence(message);
    } else {
      rest.push(sentence(message));
    }
  }
  return { fields, rest };
}
