// The order of a list. If the server can sort by a column, the heading of the column is a button.

import { UnstyledButton } from "@mantine/core";
import { IconArrowDown, IconArrowsSort, IconArrowUp } from "@tabler/icons-react";
import { type Search, useAddress } from "../core/address";
import type { Column, Resource } from "./resource";
import classes from "./table.module.css";

interface Order {
  sort: string;
  order: "asc" | "desc";
}

/** Returns the order in an address. null means the order that the server chooses. */
export function orderOf<R>(columns: Column<R>[], { sort, order }: Search): Order | null {
  const column = columns.find(({ sort: field }) => field !== undefined && field === sort);
  return column ? { sort: column.sort!, order: order === "asc" ? "asc" : "desc" } : null;
}

type Sorted<R> = Pick<Resource<R & object>, "columns" | "sorted">;

/** Returns the direction in which a list is sorted by a column, if it is sorted by that column. */
function directionOf<R extends object>({ columns, sorted }: Sorted<R>, column: Column<R>, address: Search): "asc" | "desc" | null {
  const order: Order | null = orderOf(columns, address) ?? (sorted === undefined ? null : { sort: sorted, order: "desc" });
  return order && order.sort === column.sort ? order.order : null;
}

/** Returns the value of aria-sort for the heading of a column. */
export function ariaSort<R extends object>(
  resource: Sorted<R>,
  column: Column<R>,
  address: Search,
): "ascending" | "descending" | undefined {
  const direction = directionOf(resource, column, address);
  return direction ? (direction === "asc" ? "ascending" : "descending") : undefined;
}

/**
 * The heading of a column. Pressing it repeatedly sorts in descending order, then in ascending
 * order, then in the order of the server.
 */
export function Heading<R extends object>({ resource, column }: { resource: Sorted<R>; column: Column<R> }) {
  const [address, change] = useAddress();
  const { sort, title } = column;
  if (sort === undefined) {
    return <span className={classes["title"]}>{title}</span>;
  }
  const current = directionOf(resource, column, address);
  const Icon = current === "asc" ? IconArrowUp : current === "desc" ? IconArrowDown : IconArrowsSort;
  const next =
    current === "desc"
      ? { sort, order: "asc" }
      : { sort: current === "asc" || sort === resource.sorted ? undefined : sort, order: undefined };
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
