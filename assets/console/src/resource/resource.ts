// The description of a page of records. Each page is a value of this type, which page.tsx shows.

import type { ReactNode } from "react";
import type { Search } from "../core/address";
import type { Admin } from "../core/client";

/** A page in the form of the interface. */
export interface Page<R> {
  total: number;
  total_is_estimate?: boolean | undefined;
  data: R[];
}

/** The query of a list; filters are named as in the interface. */
export interface ListQuery {
  limit: number;
  offset: number;
  search?: string | undefined;
  [filter: string]: unknown;
}

export interface Column<R> {
  /** Name of the field; also the key under which its width is stored. */
  id: string;
  title: string;
  render(record: R): ReactNode;
  /** The text for "copy all"; by default the result of `render` if that is a text. */
  text?: ((record: R) => string) | undefined;
  /** Hidden until the user selects it. */
  hidden?: boolean | undefined;
  /** A second line below the value in the table; not on phones, where the other fields stand there. */
  second?: ((record: R) => ReactNode) | undefined;
  /** Opens the record; by default the first column does. */
  main?: boolean | undefined;
  /** The field by which the server sorts the list when the heading is pressed. */
  sort?: string | undefined;
  /** Also shown on phones, below the main column. */
  phone?: boolean | undefined;
  align?: "left" | "right" | "center" | undefined;
  /** Width in pixels; columns without a width share the remaining space. */
  width?: number | undefined;
  /** Shown in the drawer instead of `render`. */
  detail?: ((record: R) => ReactNode) | undefined;
  /** Shown only in the drawer, never as a column. */
  detailOnly?: boolean | undefined;
}

/** A filter beside the search box, stored in the address under its ID. */
export type Filter = {
  id: string;
  label: string;
  /** The parameters for the interface; by default the text under the ID. */
  query?: ((text: string) => Record<string, unknown>) | undefined;
} & (
  | { kind: "choice"; choices: { value: string; label: string }[] }
  | { kind: "switch" }
  /** From and until, as Unix seconds in the parameters `<id>_from` and `<id>_to`. */
  | { kind: "range"; from: string; to: string }
);

/** An action on a record besides editing, copying and deleting. */
export interface Action<R> {
  id: string;
  label: string;
  icon?: ReactNode;
  danger?: boolean | undefined;
  /** Shown below the label: what the action does to others. */
  hint?: ReactNode;
  run(record: R): void | Promise<void>;
}

/** An action on several records at once. */
export interface BulkAction<R> {
  id: string;
  label: string;
  /** Whether it has a button of its own; the others are in a menu. */
  front?: boolean | undefined;
  /** Reports whether it succeeded. */
  run(records: R[]): Promise<boolean>;
}

/** The values and functions that the inputs of a form are bound to. */
export interface Inputs<D> {
  values: D;
  /** Errors by field; a new object after each attempt to save. */
  errors: Partial<Record<string, ReactNode>>;
  /** Properties of an input: value, onChange and its error. */
  // biome-ignore lint/suspicious/noExplicitAny: each input knows the type of its value
  bind(field: keyof D & string): { value: any; onChange: (value: any) => void; error: ReactNode };
  set<K extends keyof D & string>(field: K, value: D[K]): void;
}

export interface FormDescription<R, D extends object> {
  /** Values of an empty form. */
  empty(): D;
  /** Values of the form that edits a record. */
  from(record: R): D;
  /** Values of a new record copied from another one; by default `from`. */
  copy?: ((record: R) => D) | undefined;
  /** The inputs; the record is null for a new one. */
  render(inputs: Inputs<D>, record: R | null): ReactNode;
  /** Errors in the values that are found before the server is asked, by field. */
  check?: ((values: D, record: R | null) => Partial<Record<keyof D & string, string>>) | undefined;
  create?: ((admin: Admin, values: D) => Promise<unknown>) | undefined;
  update?: ((admin: Admin, record: R, values: D, ifMatch: string | undefined) => Promise<unknown>) | undefined;
  /** Reads the state that an edit starts from, if the server provides it. */
  etag?: ((admin: Admin, record: R) => Promise<string | undefined>) | undefined;
  /** Shown instead of closing after a record was created, for example for keys that are shown once. */
  created?: ((result: never, close: () => void) => ReactNode) | undefined;
  /** Address parameters of the dialog that follows the creation of a record, and the text of the notice. */
  next?: ((result: never) => { address: Record<string, string>; notice: string }) | undefined;
  size?: "md" | "lg" | "xl" | undefined;
}

export interface Resource<R extends object, D extends object = object> {
  /** Key of queries and of stored values, such as `versions`. */
  name: string;
  title: string;
  /** The noun for one record in dialogs, such as "version". */
  noun: string;
  id(record: R): string;
  /** The display name of this record. */
  label(record: R): string;
  /** The title of the drawer, if it shows the label in another place; default `label`. */
  drawerTitle?: string | undefined;
  /** Whether the records belong to the current project; default true. */
  ofProject?: boolean | undefined;
  /** Lines of text in a row; default 1. */
  lines?: 1 | 2 | undefined;
  /** Height in pixels of what only this page shows above its list. */
  heightAbove?: number | undefined;
  columns: Column<R>[];
  /** The sort field of the server's own order, which is descending. */
  sorted?: string | undefined;
  filters?: Filter[] | undefined;
  /** Whether the list can be searched; default true. */
  searchable?: boolean | undefined;
  list(admin: Admin, query: ListQuery, signal: AbortSignal): Promise<Page<R>>;
  /** Reads one record if an address opens a record of another page; null if there is none. */
  get?: ((admin: Admin, id: string, signal: AbortSignal) => Promise<R | null>) | undefined;
  /** Whether a record is dimmed, such as a hidden one. */
  dimmed?: ((record: R) => boolean) | undefined;
  form?: FormDescription<R, D> | undefined;
  /** Replaces opening the form. */
  add?: (() => void) | undefined;
  addIcon?: ReactNode;
  /** Label of the button; default "Add". */
  addLabel?: string | undefined;
  canEdit?: ((record: R) => boolean) | undefined;
  actions?: ((record: R) => Action<R>[]) | undefined;
  /** Actions on ticked records; without any there is nothing to tick. */
  bulk?: BulkAction<R>[] | undefined;
  remove?:
    | {
        run(admin: Admin, record: R): Promise<unknown>;
        /** Whether this record can be deleted; default true. */
        can?: ((record: R) => boolean) | undefined;
        /** Replaces the label "Delete", for example with "Revoke". */
        label?: string | undefined;
        /** Other data that is deleted or kept; shown in the dialog. */
        consequences?: ((record: R) => ReactNode) | undefined;
        /** Text that the user must type first. */
        type?: ((record: R) => string) | undefined;
      }
    | undefined;
  /** Shown beside the title, such as the range of the figures. */
  about?: ReactNode;
  /** Controls beside "Add". */
  tools?: ReactNode;
  /** Shown above the list, for example notices. */
  above?: ReactNode;
  /** Shown between the filters and the list, for example a chart of what it counts. */
  chart?: ReactNode;
  /** Shown below the list; `empty` has its own content. */
  below?: ReactNode;
  /** Shown at the beginning of the drawer, below the main column. */
  first?: ((record: R) => ReactNode) | undefined;
  /** Ids of columns that `first` shows, so that the drawer does not show them twice. */
  firstShows?: string[] | undefined;
  /** Whether editing is only in the menu of a record, because it is rarely what the user wants. */
  editInMenu?: boolean | undefined;
  /** Shown at the end of the drawer. */
  more?: ((record: R) => ReactNode) | undefined;
  /** Shown while there are no records at all: the purpose of the page and how to begin. */
  empty: ReactNode;
  /** Ids of the operations that the page uses, as in openapi.yaml. */
  operations: string[];
  /** Milliseconds until the whole list is requested again, depending on the shown records. */
  refetchEvery?: ((records: R[]) => number | false) | undefined;
}

/** Parameters for the interface from the search parameters of the address. */
export function queryOf(filters: Filter[], search: Search): Record<string, unknown> {
  const query: Record<string, unknown> = {};
  for (const filter of filters) {
    if (filter.kind === "range") {
      const from = Number(search[`${filter.id}_from`]);
      const to = Number(search[`${filter.id}_to`]);
      Object.assign(query, from > 0 && { [filter.from]: from }, to > 0 && { [filter.to]: to });
      continue;
    }
    const text = search[filter.id] ?? "";
    const known = filter.kind === "switch" ? text === "1" : filter.choices.some(({ value }) => value === text);
    if (known) {
      Object.assign(query, filter.query ? filter.query(text) : { [filter.id]: filter.kind === "switch" ? true : text });
    }
  }
  return query;
}

/** Names of the search parameters that belong to filters. */
export function parametersOf(filters: Filter[]): string[] {
  return filters.flatMap(({ id, kind }) => (kind === "range" ? [`${id}_from`, `${id}_to`] : [id]));
}
