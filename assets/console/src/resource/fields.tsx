// The fields of a record as a list of titles and values.

import { Fragment, type ReactNode } from "react";
import classes from "./fields.module.css";
import type { Column } from "./resource";

export function Fields<R>({ columns, record }: { columns: Column<R>[]; record: R }) {
  return (
    <dl className={classes["fields"]}>
      {columns.map(({ id, title, render, detail }) => (
        <Fragment key={id}>
          <dt>{title}</dt>
          <dd className="lines">{shownValue((detail ?? render)(record))}</dd>
        </Fragment>
      ))}
    </dl>
  );
}

/** Returns a value, or a dash in place of an empty one. */
export function shownValue(value: ReactNode): ReactNode {
  return value === null || value === undefined || value === "" || value === false || (Array.isArray(value) && value.length === 0)
    ? "–"
    : value;
}
