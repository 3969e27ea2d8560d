// The records of a page as a table, with paging and a menu for each record. On a phone, the table
// has a single column, which shows the other main fields in a second line.

import { ActionIcon, Button, Checkbox, Group, Skeleton, Text } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { IconCopy, IconDots, IconEdit, IconTrash } from "@tabler/icons-react";
import { type CSSProperties, memo, useCallback, useMemo, useRef, useState } from "react";
import { useAddress, useChangeAddress } from "../core/address";
import { PageLink, type Target, useGo } from "../core/go";
import { Menu } from "../core/menu";
import { useTexts } from "../core/texts";
import { useColumns } from "./columns";
import type { List } from "./list";
import { Paging } from "./paging";
import type { Column, Resource } from "./resource";
import { linesOf, phone } from "./rows";
import { SelectAll, SelectionBar, useSelection } from "./selection";
import { ariaSort, Heading } from "./sort";
import classes from "./table.module.css";
import { ColumnEdge, useWidths } from "./widths";

/** Minimum width in pixels of a column that has no width of its own. */
const flexible = 150;
const actionsWidth = 52;
const tickWidth = 44;
/** The fraction of their width to which columns can shrink before the table scrolls sideways. */
const narrowest = 0.6;

export function RecordTable<R extends object, D extends object>({ resource, list }: { resource: Resource<R, D>; list: List<R> }) {
  const { common } = useTexts();
  const [address] = useAddress();
  const go = useGo();
  const narrow = useMediaQuery(phone, false, { getInitialValueInEffect: false });
  const [shown] = useColumns(resource.name, resource.columns);
  const widths = useWidths(resource.name);
  const columns = useMemo(
    () => resource.columns.filter((column) => (narrow ? column.phone && !column.detailOnly : shown.has(column.id))),
    [resource, narrow, shown],
  );

  const { data, pageSize } = list;
  const ids = data?.data.map(resource.id) ?? [];
  const selection = useSelection(ids, `${list.project} ${list.page} ${list.conditions}`);
  const bulk = resource.bulk;
  // The function must be the same on each render, so that ticking a record renders only its row.
  const latest = useRef(selection);
  latest.current = selection;
  const toggle = useCallback((id: string) => latest.current.toggle(id), []);
  const fixed = actionsWidth + (bulk ? tickWidth : 0);
  const lines = linesOf(resource.lines ?? 1, narrow);
  const height = { "--rows": useHeightInRows(list) } as CSSProperties;
  const excerpt = useExcerpt(list, ids.join(" "));
  if (!data) {
    return <Rows count={pageSize} lines={lines} label={common.loading} />;
  }
  if (data.data.length === 0) {
    return (
      <div className={classes["frame"]} style={height} data-lines={lines}>
        <div className={classes["rows"]}>
          <Text c="dimmed" py="xl" ta="center">
            {common.nothingMatches}
          </Text>
        </div>
        <div className={classes["foot"]} data-empty />
      </div>
    );
  }
  const main = mainOf(columns);
  const headed = narrow ? columns.filter((column) => column === main) : columns;
  const chosen = columns.reduce((total, { id }) => total + (widths.of(id) ?? 0), fixed);
  const sum = columns.reduce((total, { id, width }) => total + (widths.of(id) ? 0 : (width ?? flexible)), 0);
  // If the columns are too wide for the window, they become narrower in proportion. Columns that
  // the user has sized keep their width.
  const share = `(100cqw - ${chosen}px) / ${Math.max(sum, 1)}`;
  const widthOf = ({ id, width }: Column<R>) => {
    const sized = widths.of(id);
    if (narrow || (sized ?? width) === undefined) {
      return undefined;
    }
    return sized ? `${sized}px` : `clamp(${width! * narrowest}px, ${share} * ${width}, ${width}px)`;
  };
  const least = narrow ? 0 : sum * narrowest + chosen;
  // A column without a width takes the remaining space. If there is no such column, the column of
  // menus takes it.
  const fills = headed.some((column) => widthOf(column) === undefined);
  return (
    <div className={classes["frame"]} style={height} data-lines={lines} aria-busy={list.stale}>
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
        <table className={`${classes["table"]} ${list.stale ? classes["stale"] : ""}`} style={{ minWidth: least }}>
          <thead>
            <tr>
              {bulk && (
                <th scope="col" className={classes["tick"]}>
                  <SelectAll selection={selection} shown={ids} />
                </th>
              )}
              {headed.map((column) => (
                <th
                  key={column.id}
                  scope="col"
                  data-align={narrow ? undefined : column.align}
                  aria-sort={ariaSort(resource, column, address)}
                  style={{ width: widthOf(column) }}
                >
                  {narrow ? (
                    <PhoneHeading resource={resource} main={column} />
                  ) : (
                    <>
                      <Heading resource={resource} column={column} />
                      <ColumnEdge id={column.id} initial={column.width ?? flexible} widths={widths} />
                    </>
                  )}
                </th>
              ))}
              <th scope="col" className={classes["pinned"]} style={{ width: fills ? actionsWidth : undefined }}>
                <span className="offscreen">{common.more}</span>
              </th>
            </tr>
          </thead>
          {/* Other records come in place of the former ones: none of them moves, on a slow line either. */}
          <tbody key={excerpt}>
            {data.data.map((record) => {
              const id = resource.id(record);
              return (
                <Row
                  key={id}
                  {...{ id, record, resource, columns, narrow, go }}
                  open={id === address["open"]}
                  ticked={bulk && selection.ids.has(id)}
                  onTick={toggle}
                />
              );
            })}
          </tbody>
        </table>
      </div>
      <div className={classes["foot"]} data-selected={selection.ids.size > 0 || undefined}>
        {bulk && selection.ids.size > 0 ? (
          <SelectionBar
            selection={selection}
            records={data.data.filter((record) => selection.ids.has(resource.id(record)))}
            actions={bulk}
          />
        ) : (
          <Paging list={list} data={data} narrow={narrow} />
        )}
      </div>
    </div>
  );
}

/** Returns the column that opens the record. */
function mainOf<R>(columns: Column<R>[]): Column<R> | undefined {
  return columns.find((column) => column.main) ?? columns[0];
}

/**
 * The only heading on a phone. It contains the title of the main column, and the columns by which
 * the list can be sorted.
 */
function PhoneHeading<R extends object, D extends object>({ resource, main }: { resource: Resource<R, D>; main: Column<R> }) {
  return (
    <Group gap="md" wrap="nowrap" className={classes["phoneHeading"] ?? ""}>
      <Heading resource={resource} column={main} />
      {resource.columns
        .filter((column) => column !== main && column.sort !== undefined && column.phone)
        .map((column) => (
          <Heading key={column.id} resource={resource} column={column} />
        ))}
    </Group>
  );
}

/**
 * Returns the height of the list, as a number of rows. With it, the content below the list does not
 * move if a search finds fewer records or the last page is short. It is the number of rows on the
 * first page without filters, or a larger number if more have been shown since.
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

/**
 * Returns a key that changes when the records of another page, with other filters or in another
 * order, replace those that are shown.
 */
function useExcerpt<R>({ page, conditions, stale }: List<R>, ids: string): string {
  // A search keeps the rows that it finds, because the user may already press one of them.
  const { search: _, ...filters } = JSON.parse(conditions);
  const asked = `${page} ${JSON.stringify(filters)}`;
  const [shown, setShown] = useState({ asked, ids, key: asked });
  if (!stale && (shown.asked !== asked || shown.ids !== ids)) {
    // The same records stay where they are, so that a press on one of them is not lost.
    setShown({ asked, ids, key: shown.asked === asked || shown.ids === ids ? shown.key : asked });
  }
  return shown.key;
}

interface RowProps<R extends object, D extends object> {
  id: string;
  record: R;
  resource: Resource<R, D>;
  columns: Column<R>[];
  narrow: boolean;
  open: boolean;
  /** Whether the record is ticked; undefined if records cannot be ticked. */
  ticked: boolean | undefined;
  onTick: (id: string) => void;
  go: (target: Target) => void;
}

/**
 * A row with a record. It is memoized, so that it is rendered again when its record changes, but
 * not when another one does.
 */
const Row = memo(RecordRow) as typeof RecordRow;

function RecordRow<R extends object, D extends object>({
  id,
  record,
  resource,
  columns,
  narrow,
  open,
  ticked,
  onTick,
  go,
}: RowProps<R, D>) {
  const { common } = useTexts();
  const main = mainOf(columns);
  const headed = narrow ? columns.filter((column) => column === main) : columns;
  const link: Target = resource.page
    ? { to: resource.page, search: ({ project }) => ({ project, open: id }) }
    : { to: ".", search: (now) => ({ ...now, open: id }) };
  return (
    // For keyboard users, the link in the row does the same.
    <tr
      className={resource.dimmed?.(record) ? classes["dimmed"] : undefined}
      data-open={open || ticked || undefined}
      onClick={({ target, currentTarget }) => {
        if (!(target as Element).closest("a,button,input,label,[role=menu],[data-tick]") && !window.getSelection()?.toString()) {
          currentTarget.querySelector<HTMLElement>(".cell-link")?.focus({ preventScroll: true });
          go(link);
        }
      }}
    >
      {ticked !== undefined && (
        <td className={classes["tick"]} data-tick>
          <Checkbox size="sm" aria-label={common.select(resource.label(record))} checked={ticked} onChange={() => onTick(id)} />
        </td>
      )}
      {headed.map((column) => (
        <td key={column.id} data-align={narrow ? undefined : column.align} data-main={column === main || undefined}>
          {column === main ? (
            <PageLink {...link} className="cell-link" data-record={id} onClick={(event) => event.stopPropagation()}>
              {column.render(record) || "–"}
            </PageLink>
          ) : (
            column.render(record)
          )}
          {!narrow && column.second && <div className={classes["below"]}>{column.second(record)}</div>}
          {narrow && <Below columns={columns.filter((other) => other !== main)} record={record} />}
        </td>
      ))}
      <td className={classes["pinned"]} data-align="right">
        <RecordMenu resource={resource} record={record} />
      </td>
    </tr>
  );
}

/** The second line of a record on a phone. */
function Below<R>({ columns, record }: { columns: Column<R>[]; record: R }) {
  return (
    <div className={classes["below"]}>
      {columns.map((column) => {
        const value = (column.short ?? column.render)(record);
        return value === null || value === undefined || value === false || value === "" ? null : <span key={column.id}>{value}</span>;
      })}
    </div>
  );
}

/** Rows that are shown until the first page has been loaded. They have the same height as those of records. */
function Rows({ count, lines, label }: { count: number; lines: number; label: string }) {
  return (
    <div className={classes["skeleton"]} role="status" aria-label={label} data-lines={lines}>
      {Array.from({ length: count + 2 }, (_, index) => (
        <div key={index}>
          <Skeleton height={12} width={`${[38, 62, 47, 71, 55][index % 5]}%`} />
        </div>
      ))}
    </div>
  );
}

/** The menu with the actions on a record, which is the same in the table and in the drawer. */
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
        <ActionIcon variant="subtle" color="gray" aria-label={common.labelled(common.more, resource.label(record))}>
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
          {actions.map(({ id: action, label, icon, danger, hint, run }) => (
            <Menu.Item
              key={action}
              leftSection={icon}
              color={danger ? "red" : undefined}
              onClick={() => void run(record)}
              {...(hint && { "aria-label": label, "aria-describedby": `hint-${action}` })}
            >
              {label}
              {hint && (
                <Text id={`hint-${action}`} size="xs" c="dimmed" maw={260}>
                  {hint}
                </Text>
              )}
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
