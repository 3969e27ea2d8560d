// The drawer beside a list. It shows all fields of a record, and buttons for the previous and the
// next record.

import { ActionIcon, Button, Drawer, Group, Stack, Text } from "@mantine/core";
import { IconChevronLeft, IconChevronRight } from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";
import { useAddress } from "../core/address";
import { CopyButton } from "../core/copy";
import { Failure } from "../core/failure";
import { useShortcuts } from "../core/keys";
import { pageOf } from "../core/pages";
import { addRecent } from "../core/recent";
import { useTexts } from "../core/texts";
import classes from "./drawer.module.css";
import { Fields, shownValue } from "./fields";
import { focusRecord } from "./focus";
import type { List } from "./list";
import { useRecord } from "./record";
import type { Column, Resource } from "./resource";
import { pageParts } from "./rows";
import { RecordMenu } from "./table";

export function RecordDrawer<R extends object, D extends object>({ resource, list }: { resource: Resource<R, D>; list: List<R> }) {
  const { common } = useTexts();
  const [address, change] = useAddress();
  // Keep the content while the drawer is closing.
  const [kept, keep] = useState(address["open"]);
  const id = address["open"] ?? kept;
  if (id !== kept) {
    keep(id);
  }
  const { record, gone, error, retry } = useRecord(resource, list, id);
  const records = list.data?.data ?? [];
  const index = records.findIndex((other) => resource.id(other) === id);
  const last = list.data ? Math.ceil(list.data.total / list.pageSize) : 1;
  // If the record has left the list, for example because it was hidden, the next record has taken
  // its position. Remember the position, so that navigation continues from there.
  const place = useRef(-1);
  if (index >= 0) {
    place.current = index;
  }
  const [left, right] = index >= 0 ? [index - 1, index + 1] : [place.current - 1, place.current];
  const before = left >= 0 || (left === -1 && place.current >= 0 && list.page > 1);
  const after = right >= 0 && (right < records.length || list.page < last);

  const move = async (step: -1 | 1) => {
    if (step < 0 ? !before : !after) {
      return;
    }
    const neighbour = records[step < 0 ? left : right];
    if (neighbour) {
      change({ open: resource.id(neighbour) }, { replace: true });
      return;
    }
    const page = list.page + step;
    const { data } = await list.load(page);
    const next = step < 0 ? data[data.length - 1] : data[0];
    if (next) {
      change({ ...pageParts(page, list.pageSize), open: resource.id(next) }, { replace: true });
    }
  };
  const open = Boolean(address["open"]);
  const visited = record && address["open"] && !resource.passing ? resource.label(record) : null;
  useEffect(() => {
    const page = pageOf(window.location.pathname);
    if (visited && page) {
      addRecent({ path: page.path, project: list.project, open: id!, label: visited });
    }
  }, [visited, list.project, id]);
  const wasOpen = useRef(open);
  useEffect(() => {
    if (wasOpen.current && !open) {
      focusRecord(id);
    }
    wasOpen.current = open;
  }, [open]);
  const dialogs = Boolean(address["new"] || address["copy"] || address["edit"] || address["delete"]);
  const content = useRef<HTMLDivElement>(null);
  const main = resource.columns.find((column) => column.main);
  const previous = () => void move(-1);
  const next = () => void move(1);
  const within = () => content.current;
  const edit = () => {
    if (record && resource.form?.update && resource.canEdit?.(record) !== false) {
      change({ edit: id });
    }
  };
  useShortcuts(
    address["open"]
      ? [
          ...["ArrowUp", "ArrowLeft", "k"].map((key) => ({ key, label: common.previous, run: previous, within })),
          ...["ArrowDown", "ArrowRight", "j"].map((key) => ({ key, label: common.next, run: next, within })),
          ...(resource.form?.update ? [{ key: "e", label: common.edit, run: edit, within }] : []),
        ]
      : [],
  );
  return (
    <Drawer
      opened={Boolean(address["open"])}
      onClose={() => change({ open: undefined })}
      onExitTransitionEnd={() => keep(undefined)}
      returnFocus={false}
      position="right"
      size="lg"
      title={resource.drawerTitle ?? (record ? resource.label(record) : resource.noun)}
      classNames={{ title: classes["title"]! }}
      closeButtonProps={{ "aria-label": common.close }}
      closeOnEscape={!dialogs}
      trapFocus={!dialogs}
    >
      <Stack gap="md" ref={content}>
        <Group justify="space-between">
          <Group gap={4}>
            <ActionIcon variant="default" size="lg" aria-label={common.previous} disabled={!before} onClick={previous}>
              <IconChevronLeft size={18} aria-hidden />
            </ActionIcon>
            <ActionIcon variant="default" size="lg" aria-label={common.next} disabled={!after} onClick={next}>
              <IconChevronRight size={18} aria-hidden />
            </ActionIcon>
          </Group>
          {record && (
            <Group gap={4}>
              <CopyButton label={common.copyAll} text={asText(resource.columns, record)} />
              {resource.form?.update && !resource.editInMenu && resource.canEdit?.(record) !== false && (
                <Button size="compact-sm" onClick={() => change({ edit: id })}>
                  {common.edit}
                </Button>
              )}
              <RecordMenu resource={resource} record={record} />
            </Group>
          )}
        </Group>
        {record ? (
          <>
            {resource.first && main && <div className={classes["lead"]}>{shownValue((main.detail ?? main.render)(record))}</div>}
            {resource.first?.(record)}
            <Fields
              columns={resource.columns.filter(
                (column) => !resource.first || (column !== main && !resource.firstShows?.includes(column.id)),
              )}
              record={record}
            />
            {resource.more?.(record)}
          </>
        ) : error ? (
          <Failure error={error} retry={retry} />
        ) : (
          <Text c="dimmed">{gone ? common.recordGone : common.loading}</Text>
        )}
      </Stack>
    </Drawer>
  );
}

/** Returns a record as text, with a line for the title and the value of each column. */
export function asText<R>(columns: Column<R>[], record: R): string {
  return columns
    .map(({ id, title, text, render }) => {
      const value = text ? text(record) : render(record);
      const plain =
        typeof value === "string" || typeof value === "number" ? String(value) : plainOf((record as Record<string, unknown>)[id]);
      return `${title}: ${plain}`;
    })
    .join("\n");
}

function plainOf(value: unknown): string {
  return value === null || value === undefined ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);
}
