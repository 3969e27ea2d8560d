// The records of a page as a table, with paging and a menu for each record.

import { ActionIcon, Box, Button, Skeleton, Text } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { IconCopy, IconDots, IconEdit, IconTrash } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { DataTable, type DataTableColumn } from "mantine-datatable";
import { useAddress } from "../app/address";
import { useFormat } from "../app/format";
import { Menu } from "../app/menu";
import { useTexts } from "../app/texts";
import { useColumns } from "./columns";
import type { List } from "./list";
import type { Column, Resource } from "./resource";
import classes from "./table.module.css";
import { ColumnEdge, useWidths } from "./widths";

/** Below this width tables show only the columns for phones. */
export const phone = "(max-width: 48em)";

/** Pixels that a column without a width of its own has at least. */
const flexible = 220;
const actionsWidth = 52;

export function RecordTable<R extends object, D extends object>({ resource, list }: { resource: Resource<R, D>; list: List<R> }) {
  const { common } = useTexts();
  const format = useFormat();
  const [address, change] = useAddress();
  const narrow = useMediaQuery(phone, false, { getInitialValueInEffect: false });
  const [shown] = useColumns(resource.name, resource.columns);
  const widths = useWidths(resource.name);
  const visible = resource.columns.filter((column) => (narrow ? column.phone && !column.detailOnly : shown.has(column.id)));
  const main = visible.find((column) => column.main) ?? visible[0];
  const widthOf = ({ id, width }: Column<R>) => (narrow ? width : (widths.of(id) ?? width));
  const sum = visible.reduce((total, column) => total + (widthOf(column) ?? (narrow ? 120 : flexible)), actionsWidth);
  // A column without a width takes what is left; without such a column the table ends with its last one.
  const fills = visible.some((column) => widthOf(column) === undefined);

  const columns = [
    ...visible.map((column): DataTableColumn<R> => {
      const width = widthOf(column);
      return {
        accessor: column.id,
        title: (
          <>
            {column.title}
            {!narrow && <ColumnEdge id={column.id} initial={column.width ?? flexible} widths={widths} />}
          </>
        ),
        textAlign: column.align ?? "left",
        // The library keeps the first width that it is told.
        ...(width !== undefined && { titleStyle: { width } }),
        ellipsis: true,
        render: (record) =>
          column === main ? (
            <Link
              to="."
              search={((before: object) => ({ ...before, open: resource.id(record) })) as never}
              className="cell-link"
              data-record={resource.id(record)}
              onClick={(event) => event.stopPropagation()}
            >
              {column.render(record) || "–"}
            </Link>
          ) : (
            column.render(record)
          ),
      };
    }),
    {
      accessor: "actions",
      title: <span className="offscreen">{common.more}</span>,
      textAlign: "right" as const,
      width: actionsWidth,
      // The library would measure what it pins, and draw all rows a second time.
      titleClassName: classes["pinned"],
      cellsClassName: classes["pinned"],
      render: (record: R) => <RecordMenu resource={resource} record={record} />,
    },
  ];

  const { data, page, pageSize } = list;
  if (!data) {
    return <Rows count={pageSize} label={common.loading} />;
  }
  if (data.data.length === 0) {
    return (
      <Text c="dimmed" py="xl" ta="center">
        {common.nothingMatches}
      </Text>
    );
  }
  const total = data.total_is_estimate ? common.about(format.number(data.total)) : format.number(data.total);
  return (
    <Box className={classes["frame"]} aria-busy={list.stale}>
      <div className={classes["added"]} aria-live="polite">
        {list.added > 0 && (
          <Button size="compact-sm" onClick={list.showAdded}>
            {common.newRecords(list.added)}
          </Button>
        )}
      </div>
      <DataTable<R>
        idAccessor={resource.id}
        columns={columns}
        classNames={{ table: `${classes["table"]} ${list.stale ? classes["stale"] : ""}` }}
        styles={{ table: { tableLayout: "fixed", minWidth: sum, width: fills ? "100%" : sum } }}
        highlightOnHover
        withTableBorder
        borderRadius="sm"
        minHeight={0}
        records={data.data}
        rowClassName={(record) => (resource.dimmed?.(record) ? classes["dimmed"] : undefined)}
        customRowAttributes={(record) => (resource.id(record) === address["open"] ? { "data-open": true } : {})}
        onRowClick={({ record, event }) => {
          const target = event.target as Element;
          if (!target.closest("a,button,input,[role=menu]") && !window.getSelection()?.toString()) {
            target.closest("tr")?.querySelector<HTMLElement>(".cell-link")?.focus({ preventScroll: true });
            change({ open: resource.id(record) });
          }
        }}
        page={page}
        onPageChange={(next) => change({ page: next === 1 ? undefined : String(next), open: undefined })}
        totalRecords={data.total}
        recordsPerPage={pageSize}
        paginationText={({ from, to }) => common.pageOf(from, Math.min(to, data.total), total)}
        getPaginationControlProps={(control) =>
          control === "previous" ? { "aria-label": common.previousPage } : control === "next" ? { "aria-label": common.nextPage } : {}
        }
        scrollAreaProps={{ viewportProps: { tabIndex: 0, role: "region", "aria-label": resource.title } as never }}
      />
    </Box>
  );
}

/** What stands there until the first page is loaded: rows of the same height. */
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

/** What can be done with a record; the same in table and drawer. */
export function RecordMenu<R extends object, D extends object>({ resource, record }: { resource: Resource<R, D>; record: R }) {
  const { common } = useTexts();
  const [, change] = useAddress();
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
