// The order of a list: the user presses the heading of a column whose order the server knows.

import { UnstyledButton } from "@mantine/core";
import { IconArrowDown, IconArrowsSort, IconArrowUp } from "@tabler/icons-react";
import { type Search, useAddress } from "../core/address";
import type { Column } from "./resource";
import classes from "./table.module.css";

/** The order in an address; null is the order of the server. */
export function orderOf<R>(columns: Column<R>[], { sort, order }: Search): { sort: string; order: "asc" | "desc" } | null {
  const column = columns.find(({ sort: field }) => field !== undefined && field === sort);
  return column ? { sort: column.sort!, order: order === "asc" ? "asc" : "desc" } : null;
}

/** Value of aria-sort of the heading of a column. */
export function ariaSort<R>(columns: Column<R>[], column: Column<R>, address: Search): "ascending" | "descending" | undefined {
  const order = orderOf(columns, address);
  return order && order.sort === column.sort ? (order.order === "asc" ? "ascending" : "descending") : undefined;
}

/** The heading of a column. Pressing it sorts descending, then ascending, then as the server does. */
export function Heading<R>({ columns, column }: { columns: Column<R>[]; column: Column<R> }) {
  const [address, change] = useAddress();
  const { sort, title } = column;
  if (sort === undefined) {
    return <span className={classes["title"]}>{title}</span>;
  }
  const order = orderOf(columns, address);
  const current = order?.sort === sort ? order.order : null;
  const Icon = current === "asc" ? IconArrowUp : current === "desc" ? IconArrowDown : IconArrowsSort;
  const next =
    current === null ? { sort, order: undefined } : current === "desc" ? { sort, order: "asc" } : { sort: undefined, order: undefined };
  return (
    <UnstyledButton
      className={classes["sort"]}
      data-sorted={current ?? undefined}
      onClick={() => change({ ...next, page: undefined, rows: undefined, open: undefined })}
    >
      <span>{title}</span>
      <Icon size={14} aria-hidden />
    </UnstyledButton>
  );
}
