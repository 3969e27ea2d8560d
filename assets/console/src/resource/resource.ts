// The description of a page of records. Each page is a value of this type, and page.tsx shows it.

import type { ReactNode } from "react";
import type { Search } from "../core/address";
import type { Admin } from "../core/client";

/** A page as the interface answers it. */
export interface Page<R> {
  total: number;
  total_is_estimate?: boolean | undefined;
  data: R[];
}

/** What a list is asked for; filters are named as in the interface. */
export interface ListQuery {
  limit: number;
  offset: number;
  search?: string | undefined;
  [filter: string]: unknown;
}

export interface Column<R> {
  /** Name of the field; also the key under which its width is remembered. */
  id: string;
  title: string;
  render(record: R): ReactNode;
  /** What "copy all" writes; what `render` shows when that is a text. */
  text?: ((record: R) => string) | undefined;
  /** Not shown until a person chooses so. */
  hidden?: boolean | undefined;
  /** The record is opened by this column; by the first one unless any says so. */
  main?: boolean | undefined;
  /** Shown on phones too. */
  phone?: boolean | undefined;
  align?: "left" | "right" | "center" | undefined;
  /** Width in pixels; columns without one share what is left. */
  width?: number | undefined;
  /** Shown in the drawer instead of `render`. */
  detail?: ((record: R) => ReactNode) | undefined;
  /** Only in the drawer, never a column. */
  detailOnly?: boolean | undefined;
}

/** A condition beside the search box, kept in the address under its id. */
export type Filter = {
  id: string;
  label: string;
  /** What the interface is asked for; the text under the id unless given. */
  query?: ((text: string) => Record<string, unknown>) | undefined;
} & (
  | { kind: "choice"; choices: { value: string; label: string }[] }
  | { kind: "switch" }
  /** From and until, as Unix seconds in the parameters `<id>_from` and `<id>_to`. */
  | { kind: "range"; from: string; to: string }
);

/** Something that can be done with a record, besides editing, copying and deleting it. */
export interface Action<R> {
  id: string;
  label: string;
  icon?: ReactNode;
  danger?: boolean | undefined;
  run(record: R): void | Promise<void>;
}

/** What the inputs of a form are bound to. */
export interface Inputs<D> {
  values: D;
  /** Errors by field; a new object after each attempt to save. */
  errors: Partial<Record<string, ReactNode>>;
  /** What an input needs: value, onChange and the error that stands at it. */
  // biome-ignore lint/suspicious/noExplicitAny: each input knows the type of its value
  bind(field: keyof D & string): { value: any; onChange: (value: any) => void; error: ReactNode };
  set<K extends keyof D & string>(field: K, value: D[K]): void;
}

export interface FormDescription<R, D extends object> {
  /** Values of an empty form. */
  empty(): D;
  /** Values of the form that edits a record. */
  from(record: R): D;
  /** Values of a new record that is made from another; `from` unless given. */
  copy?: ((record: R) => D) | undefined;
  /** The inputs; the record is null while a new one is made. */
  render(inputs: Inputs<D>, record: R | null): ReactNode;
  /** What is wrong with the values before the server is asked, by field. */
  check?: ((values: D, record: R | null) => Partial<Record<keyof D & string, string>>) | undefined;
  create?: ((admin: Admin, values: D) => Promise<unknown>) | undefined;
  update?: ((admin: Admin, record: R, values: D, ifMatch: string | undefined) => Promise<unknown>) | undefined;
  /** Reads the state that an edit starts from, where the server names it. */
  etag?: ((admin: Admin, record: R) => Promise<string | undefined>) | undefined;
  /** Shown instead of closing after a record was made, as for keys that are shown once. */
  created?: ((result: never, close: () => void) => ReactNode) | undefined;
  /** Parameters of the address for the dialog that follows after a record is made, and the text of the notice. */
  next?: ((result: never) => { address: Record<string, string>; notice: string }) | undefined;
  size?: "md" | "lg" | "xl" | undefined;
}

export interface Resource<R extends object, D extends object = object> {
  /** Key of queries and of what the browser remembers, as `versions`. */
  name: string;
  title: string;
  /** What one record is called in dialogs, as "version". */
  noun: string;
  id(record: R): string;
  /** What people call this record. */
  label(record: R): string;
  /** Whether its records belong to the project that is shown; true unless given. */
  ofProject?: boolean | undefined;
  /** Records a page; 10 unless given. */
  pageSize?: 10 | 20 | undefined;
  columns: Column<R>[];
  filters?: Filter[] | undefined;
  /** Whether the list is searched; true unless given. */
  searchable?: boolean | undefined;
  list(admin: Admin, query: ListQuery, signal: AbortSignal): Promise<Page<R>>;
  /** One record, when an address opens one of another page; null when there is none. */
  get?: ((admin: Admin, id: string, signal: AbortSignal) => Promise<R | null>) | undefined;
  /** Whether a record steps back, as for hidden ones. */
  dimmed?: ((record: R) => boolean) | undefined;
  form?: FormDescription<R, D> | undefined;
  /** What adding does where it does not open the form. */
  add?: (() => void) | undefined;
  addIcon?: ReactNode;
  /** What adding is called; "Add" unless given. */
  addLabel?: string | undefined;
  canEdit?: ((record: R) => boolean) | undefined;
  actions?: ((record: R) => Action<R>[]) | undefined;
  remove?:
    | {
        run(admin: Admin, record: R): Promise<unknown>;
        /** Whether this record can be deleted; true unless given. */
        can?: ((record: R) => boolean) | undefined;
        /** What "Delete" is called here, as "Revoke". */
        label?: string | undefined;
        /** What else goes, or what stays; shown in the dialog. */
        consequences?: ((record: R) => ReactNode) | undefined;
        /** What has to be typed first. */
        type?: ((record: R) => string) | undefined;
      }
    | undefined;
  /** Buttons beside "Add". */
  tools?: ReactNode;
  /** Above the list, as for notices. */
  above?: ReactNode;
  /** Below the list; what stands in its place when there is nothing has its own. */
  below?: ReactNode;
  /** At the beginning of the drawer, below the main column. */
  first?: ((record: R) => ReactNode) | undefined;
  /** At the end of the drawer. */
  more?: ((record: R) => ReactNode) | undefined;
  /** Shown when there is nothing at all yet: what this is for, and how it begins. */
  empty: ReactNode;
  /** Ids of the operations that the page uses, as in openapi.yaml. */
  operations: string[];
  /** Milliseconds after which the whole list is asked for again; it depends on what is shown. */
  refetchEvery?: ((records: R[]) => number | false) | undefined;
}

/** What the interface is asked for, from the search parameters of the address. */
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
