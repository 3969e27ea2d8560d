// The records of a page as a table, with paging and a menu for each record.

import { ActionIcon, Button, Group, Pagination, Skeleton, Text } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { IconCopy, IconDots, IconEdit, IconTrash } from "@tabler/icons-react";
import { type CSSProperties, memo, useMemo, useState } from "react";
import { type ChangeAddress, useAddress, useChangeAddress } from "../core/address";
import { useFormat } from "../core/format";
import { PageLink } from "../core/go";
import { Menu } from "../core/menu";
import { useTexts } from "../core/texts";
import { useColumns } from "./columns";
import type { List } from "./list";
import type { Column, Resource } from "./resource";
import classes from "./table.module.css";
import { ColumnEdge, useWidths } from "./widths";

/** Below this width tables show only the columns for phones. */
export const phone = "(max-width: 48em)";

/** Minimum width in pixels of a column without a width of its own. */
const flexible = 200;
const actionsWidth = 52;

export function RecordTable<R extends object, D extends object>({ resource, list }: { resource: Resource<R, D>; list: List<R> }) {
  const { common } = useTexts();
  const format = useFormat();
  const [address, change] = useAddress();
  const narrow = useMediaQuery(phone, false, { getInitialValueInEffect: false });
  const [shown] = useColumns(resource.name, resource.columns);
  const widths = useWidths(resource.name);
  const columns = useMemo(
    () => resource.columns.filter((column) => (narrow ? column.phone && !column.detailOnly : shown.has(column.id))),
    [resource, narrow, shown],
  );

  const { data, page, pageSize } = list;
  const height = { "--rows": useHeightInRows(list) } as CSSProperties;
  if (!data) {
    return <Rows count={pageSize} label={common.loading} />;
  }
  if (data.data.length === 0) {
    return (
      <div className={classes["frame"]} style={height}>
        <div className={classes["rows"]}>
          <Text c="dimmed" py="xl" ta="center">
            {common.nothingMatches}
          </Text>
        </div>
        <div className={classes["foot"]} data-empty />
      </div>
    );
  }
  const widthOf = ({ id, width }: Column<R>) => (narrow ? width : (widths.of(id) ?? width));
  const sum = columns.reduce((total, column) => total + (widthOf(column) ?? (narrow ? 120 : flexible)), actionsWidth);
  // A column without a width fills the remaining space; without such a column the menu column does.
  const fills = columns.some((column) => widthOf(column) === undefined);
  const total = data.total_is_estimate ? common.about(format.number(data.total)) : format.number(data.total);
  const first = (page - 1) * pageSize + 1;
  return (
    <div className={classes["frame"]} style={height} aria-busy={list.stale}>
      <div className={classes["added"]} aria-live="polite">
        {list.added > 0 && (
          <Button size="compact-sm" onClick={list.showAdded}>
            {common.newRecords(list.added)}
          </Button>
        )}
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: a region that scrolls is no section of the page */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard */}
      <div className={`${classes["rows"]} ${classes["scroll"]}`} tabIndex={0} role="region" aria-label={resource.title}>
        <table className={`${classes["table"]} ${list.stale ? classes["stale"] : ""}`} style={{ minWidth: sum }}>
          <thead>
            <tr>
              {columns.map((column) => (
                <th key={column.id} scope="col" data-align={column.align} style={{ width: widthOf(column) }}>
                  {column.title}
                  {!narrow && <ColumnEdge id={column.id} initial={column.width ?? flexible} widths={widths} />}
                </th>
              ))}
              <th scope="col" className={classes["pinned"]} style={{ width: fills ? actionsWidth : undefined }}>
                <span className="offscreen">{common.more}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {data.data.map((record) => {
              const id = resource.id(record);
              return <Row key={id} {...{ id, record, resource, columns, change }} open={id === address["open"]} />;
            })}
          </tbody>
        </table>
      </div>
      <Group className={classes["foot"]} justify="space-between" gap="xs" wrap="nowrap">
        <Text size="sm">{common.pageOf(first, Math.min(first + pageSize - 1, data.total), total)}</Text>
        <Pagination
          size="sm"
          siblings={1}
          withPages={!narrow}
          value={page}
          total={Math.ceil(data.total / pageSize)}
          onChange={(next) => change({ page: next === 1 ? undefined : String(next), open: undefined })}
          getControlProps={(control) =>
            control === "previous" ? { "aria-label": common.previousPage } : control === "next" ? { "aria-label": common.nextPage } : {}
          }
        />
      </Group>
    </div>
  );
}

/**
 * The height of the list in rows. It keeps the content below in place if a search finds less or the
 * last page is short. It is the number of rows on the first page without filters, or a larger
 * number that has been shown since.
 */
function useHeightInRows<R>({ project, pageSize, page, filtered, stale, data }: List<R>): number {
  const list = `${project} ${pageSize}`;
  const [known, setKnown] = useState({ list, rows: 0 });
  const shown = data?.data.length ?? 0;
  const whole = page === 1 && !filtered && !stale && data !== null;
  const rows = known.list !== list || whole ? shown : Math.max(known.rows, shown);
  if (known.list !== list || known.rows !== rows) {
    setKnown({ list, rows });
  }
  return rows;
}

interface RowProps<R extends object, D extends object> {
  id: string;
  record: R;
  resource: Resource<R, D>;
  columns: Column<R>[];
  open: boolean;
  change: ChangeAddress;
}

/** A record. It is rendered again when it changes, but not when another one does. */
const Row = memo(RecordRow) as typeof RecordRow;

function RecordRow<R extends object, D extends object>({ id, record, resource, columns, open, change }: RowProps<R, D>) {
  const main = columns.find((column) => column.main) ?? columns[0];
  return (
    // For keyboard users, the link in the row does the same.
    <tr
      className={resource.dimmed?.(record) ? classes["dimmed"] : undefined}
      data-open={open || undefined}
      onClick={({ target, currentTarget }) => {
        if (!(target as Element).closest("a,button,input,[role=menu]") && !window.getSelection()?.toString()) {
          currentTarget.querySelector<HTMLElement>(".cell-link")?.focus({ preventScroll: true });
          change({ open: id });
        }
      }}
    >
      {columns.map((column) => (
        <td key={column.id} data-align={column.align}>
          {column === main ? (
            <PageLink
              to="."
              search={(now) => ({ ...now, open: id })}
              className="cell-link"
              data-record={id}
              onClick={(event) => event.stopPropagation()}
            >
              {column.render(record) || "–"}
            </PageLink>
          ) : (
            column.render(record)
          )}
        </td>
      ))}
      <td className={classes["pinned"]} data-align="right">
        <RecordMenu resource={resource} record={record} />
      </td>
    </tr>
  );
}

/** Placeholder until the first page has been loaded: rows of the same height. */
function Rows({ count, label }: { count: number; label: string }) {
  return (
    <div className={classes["skeleton"]} role="status" aria-label={label}>
      {Array.from({ length: count + 2 }, (_, index) => (
        <div key={index}>
          <Skeleton height={12} width={`${[38, 62, 47, 71, 55][index % 5]}%`} />
        </div>
      ))}
    </div>
  );
}

/** The actions on a record; the same in table and drawer. */
export function RecordMenu<R extends object, D extends object>({ resource, record }: { resource: Resource<R, D>; record: R }) {
  const { common } = useTexts();
  const change = useChangeAddress();
  const { form, remove } = resource;
  const id = resource.id(record);
  const actions = resource.actions?.(record) ?? [];
  const editable = form?.update && resource.canEdit?.(record) !== false;
  const removable = remove && remove.can?.(record) !== false;
  if (!editable && !form?.create && !removable && actions.length === 0) {
    return null;
  }
  return (
    <Menu
      position="bottom-end"
      withinPortal
      target={
        <ActionIcon variant="subtle" color="gray" aria-label={`${common.more}: ${resource.label(record)}`}>
          <IconDots size={18} aria-hidden />
        </ActionIcon>
      }
      items={() => (
        <>
          {editable && (
            <Menu.Item leftSection={<IconEdit size={16} aria-hidden />} onClick={() => change({ edit: id })}>
              {common.edit}
            </Menu.Item>
          )}
          {form?.create && (
            <Menu.Item leftSection={<IconCopy size={16} aria-hidden />} onClick={() => change({ copy: id })}>
              {common.copyConfiguration}
            </Menu.Item>
          )}
          {actions.map(({ id: action, label, icon, danger, run }) => (
            <Menu.Item key={action} leftSection={icon} color={danger ? "red" : undefined} onClick={() => void run(record)}>
              {label}
            </Menu.Item>
          ))}
          {removable && (
            <>
              <Menu.Divider />
              <Menu.Item color="red" leftSection={<IconTrash size={16} aria-hidden />} onClick={() => change({ delete: id })}>
                {remove.label ?? common.delete}
              </Menu.Item>
            </>
          )}
        </>
      )}
    />
  );
}
