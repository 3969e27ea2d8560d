// The page of a resource: the heading, tools, filters, table, drawer and dialogs.

import { Button, Stack, Tooltip } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { IconPlus } from "@tabler/icons-react";
import { useMemo, useRef } from "react";
import { useAddress } from "../core/address";
import { Failure } from "../core/failure";
import { useShortcuts } from "../core/keys";
import { part, usePart } from "../core/part";
import { useTexts } from "../core/texts";
import { ColumnMenu } from "./columns";
import { Filters } from "./filters";
import { PageHead } from "./head";
import { useList } from "./list";
import type { Resource } from "./resource";
import { phone } from "./rows";
import { RecordTable } from "./table";

const drawer = part(async () => (await import("./drawer")).RecordDrawer);
const formDialog = part(async () => (await import("./form")).FormDialog);
const deletionDialog = part(async () => (await import("./deletion")).DeletionDialog);

export function ResourcePage<R extends object, D extends object>({ resource }: { resource: Resource<R, D> }) {
  const { common } = useTexts();
  const [address, change] = useAddress();
  const list = useList(resource);
  const narrow = useMediaQuery(phone, false, { getInitialValueInEffect: false });
  const search = useRef<HTMLInputElement>(null);
  const create = resource.add ?? (resource.form?.create ? () => change({ new: "1" }) : undefined);
  const content = useRef<HTMLDivElement>(null);
  const step = (by: 1 | -1) => {
    const links = [...(content.current?.querySelectorAll<HTMLElement>(".cell-link") ?? [])];
    const at = links.indexOf(document.activeElement as HTMLElement);
    links[at < 0 ? 0 : Math.min(Math.max(at + by, 0), links.length - 1)]?.focus();
  };
  const edit = () => {
    const id = (document.activeElement as HTMLElement | null)?.dataset["record"];
    const record = id && list.data?.data.find((other) => resource.id(other) === id);
    if (record && resource.canEdit?.(record) !== false) {
      change({ edit: id });
    }
  };
  useShortcuts([
    ...(create ? [{ key: "n", label: resource.addLabel ?? common.newTitle(resource.noun), run: create }] : []),
    { key: "/", label: common.search, run: () => search.current?.focus() },
    { key: "j", label: common.next, run: () => step(1) },
    { key: "k", label: common.previous, run: () => step(-1) },
    { key: "ArrowDown", label: common.next, run: () => step(1) },
    { key: "ArrowUp", label: common.previous, run: () => step(-1) },
    ...(resource.form?.update ? [{ key: "e", label: common.edit, run: edit }] : []),
  ]);
  const RecordDrawer = usePart(drawer, Boolean(address["open"]) && !resource.page);
  const FormDialog = usePart(formDialog, Boolean(address["new"] || address["edit"] || address["copy"]));
  const DeletionDialog = usePart(deletionDialog, Boolean(address["delete"]));
  const table = useMemo(() => <RecordTable resource={resource} list={list} />, [resource, list]);
  // Stale data belongs to other filters. If it is empty, that does not mean that there are no
  // records.
  const nothing = !list.stale && list.data?.data.length === 0 && list.page === 1 && !list.filtered;
  return (
    <Stack gap="md" ref={content}>
      <PageHead
        title={resource.title}
        about={resource.about}
        operations={resource.operations}
        tools={
          <>
            {resource.tools}
            {!narrow && <ColumnMenu name={resource.name} columns={resource.columns} disabled={nothing} />}
          </>
        }
        action={
          create && (
            <Tooltip label={<kbd>n</kbd>}>
              <Button leftSection={resource.addIcon ?? <IconPlus size={16} aria-hidden />} onClick={create}>
                {resource.addLabel ?? common.add}
              </Button>
            </Tooltip>
          )
        }
      />
      {resource.above}
      {!nothing && <Filters resource={resource} searchRef={search} askAhead={list.askAhead} />}
      {!nothing && resource.chart}
      {list.error && !list.data ? <Failure error={list.error} retry={list.retry} /> : nothing ? resource.empty : table}
      {!nothing && (list.data || list.error) && resource.below}
      {RecordDrawer && <RecordDrawer resource={resource} list={list} />}
      {resource.form && FormDialog && <FormDialog resource={resource} form={resource.form} list={list} />}
      {resource.remove && DeletionDialog && <DeletionDialog resource={resource} remove={resource.remove} list={list} />}
    </Stack>
  );
}
