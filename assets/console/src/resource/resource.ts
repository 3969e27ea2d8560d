// The type that describes a page of records. Each page is a value of this type, which page.tsx
// shows.

import type { ReactNode } from "react";
import type { Search } from "../core/address";
import type { Admin } from "../core/client";
import type { Path } from "../core/pages";
import type { Heights } from "./rows";

/** One page of a list, as the API returns it. */
export interface Page<R> {
  total: number;
  total_is_estimate?: boolean | undefined;
  data: R[];
}

/** The query of a list. Filters have the same names as in the API. */
export interface ListQuery {
  limit: number;
  offset: number;
  search?: string | undefined;
  [filter: string]: unknown;
}

export interface Column<R> {
  /** The name of the field. The width of the column is stored under it. */
  id: string;
  title: string;
  render(record: R): ReactNode;
  /** Returns the text for "copy all". By default, it is the result of `render`, if that is a text. */
  text?: ((record: R) => string) | undefined;
  /** Whether the column is hidden until the user selects it. */
  hidden?: boolean | undefined;
  /** Whether the column is hidden in windows below 1200 px until the user selects it. */
  spare?: boolean | undefined;
  /**
   * Returns a second line below the value in the table. It is not shown on phones, where other
   * fields take its place.
   */
  second?: ((record: R) => ReactNode) | undefined;
  /** Returns the value on phones, if the result of `render` is too long for them. */
  short?: ((record: R) => ReactNode) | undefined;
  /** Whether pressing the value opens the record. By default, only the first column does that. */
  main?: boolean | undefined;
  /** The field by which the server sorts the list when the user presses the heading. */
  sort?: string | undefined;
  /** Whether the value is also shown on phones, below the main column. */
  phone?: boolean | undefined;
  align?: "left" | "right" | "center" | undefined;
  /** Width in pixels; columns without a width share the remaining space. */
  width?: number | undefined;
  /** Returns what the drawer, or the page of the record, shows instead of the result of `render`. */
  detail?: ((record: R) => ReactNode) | undefined;
  /** Whether the field is only shown in the drawer or on the page of the record, never as a column. */
  detailOnly?: boolean | undefined;
}

/** A filter beside the search box. Its value is stored in the address under its ID. */
export type Filter = {
  id: string;
  label: string;
  /** Returns the parameters of the API for a value. By default, the value is sent under the ID of the filter. */
  query?: ((text: string) => Record<string, unknown>) | undefined;
} & (
  | {
      kind: "choice";
      choices: { value: string; label: string }[];
      /** Called when the list of choices opens. It may request more of them. */
      onOpen?: () => void;
    }
  | { kind: "switch" }
  /** A text that the field must equal. */
  | { kind: "text"; maxLength: number }
  /** A start and an end, in Unix seconds, in the parameters `<id>_from` and `<id>_to`. */
  | { kind: "range"; from: string; to: string }
);

/** An action on a record other than editing, copying and deleting it. */
export interface Action<R> {
  id: string;
  label: string;
  icon?: ReactNode;
  danger?: boolean | undefined;
  /** A text below the label that explains the consequences for other users or apps. */
  hint?: ReactNode;
  run(record: R): void | Promise<void>;
}

/** An action on several records at once. */
export interface BulkAction<R> {
  id: string;
  label: string;
  /** Whether the action has a button; other actions are in a menu. */
  front?: boolean | undefined;
  /** Performs the action. The promise resolves to whether it succeeded. */
  run(records: R[]): Promise<boolean>;
}

/** The values and functions to which the inputs of a form are bound. */
export interface Inputs<D> {
  values: D;
  /** Errors by field. It is a new object after each attempt to save. */
  errors: Partial<Record<string, ReactNode>>;
  /** Properties of an input: value, onChange and its error. */
  // biome-ignore lint/suspicious/noExplicitAny: each input knows the type of its value
  bind(field: keyof D & string): { value: any; onChange: (value: any) => void; error: ReactNode };
  set<K extends keyof D & string>(field: K, value: D[K]): void;
}

export interface FormDescription<R, D extends object> {
  /** Returns the values of an empty form. */
  empty(): D;
  /** Returns the values with which the form edits a record. */
  from(record: R): D;
  /** Returns the values for a copy of a record; by default, those of `from`. */
  copy?: ((record: R) => D) | undefined;
  /** Renders the inputs. `record` is null for a new record. */
  render(inputs: Inputs<D>, record: R | null): ReactNode;
  /** Returns the errors, by field, that can be found before the form is sent. */
  check?: ((values: D, record: R | null) => Partial<Record<keyof D & string, string>>) | undefined;
  create?: ((admin: Admin, values: D) => Promise<unknown>) | undefined;
  /** Returns fields of the changed record, at least those that have changed. */
  update?: ((admin: Admin, record: R, values: D, ifMatch: string | undefined) => Promise<Partial<R>>) | undefined;
  /** Reads the ETag of the state from which an edit starts, if the server provides it. */
  etag?: ((admin: Admin, record: R) => Promise<string | undefined>) | undefined;
  /**
   * Returns what the dialog shows after a record has been created, instead of closing. It is used
   * for secrets, which are shown only once. If the result is null, the dialog closes.
   */
  created?: ((result: never, close: () => void) => ReactNode) | undefined;
  /**
   * Returns what follows the creation of a record: the address parameters of another dialog, and
   * the text of the notice.
   */
  next?: ((result: never) => { address: Record<string, string>; notice: string }) | undefined;
  size?: "md" | "lg" | "xl" | undefined;
}

export interface Resource<R extends object, D extends object = object> {
  /** The key under which queries and remembered values are stored, such as `versions`. */
  name: string;
  /**
   * Tells lists apart that show different records under the same name, such as the deliveries of
   * each hook.
   */
  scope?: string | undefined;
  title: string;
  /** The noun for one record in dialogs, such as "version". */
  noun: string;
  id(record: R): string;
  /** Returns the display name of a record. */
  label(record: R): string;
  /** Whether titles of dialogs show the label without quotation marks, as they do for a version. */
  bare?: boolean | undefined;
  /** The page that shows a record, which takes its ID from `open` in the address. By default, a drawer beside the list shows it. */
  page?: Path | undefined;
  /** The title of the drawer, if the drawer shows the label elsewhere; by default, the label. */
  drawerTitle?: string | undefined;
  /** Whether the records belong to the current project; true by default. */
  ofProject?: boolean | undefined;
  /** Number of lines of text in a table row; 1 by default. */
  lines?: 1 | 2 | undefined;
  /** Heights of the content above and below the list that only this page has. */
  otherHeights?: Heights | undefined;
  /** Whether the palette does not offer opened records again. */
  passing?: boolean | undefined;
  columns: Column<R>[];
  /** The field by which the server sorts the list if no order is given, in descending order. */
  sorted?: string | undefined;
  filters?: Filter[] | undefined;
  /** Whether the list can be searched; true by default. */
  searchable?: boolean | undefined;
  list(admin: Admin, query: ListQuery, signal: AbortSignal): Promise<Page<R>>;
  /**
   * Reads one record, which is needed if the address opens a record that is not on the current
   * page. The result is null if there is none.
   */
  get?: ((admin: Admin, id: string, signal: AbortSignal) => Promise<R | null>) | undefined;
  /** Whether a record is dimmed, such as a hidden one. */
  dimmed?: ((record: R) => boolean) | undefined;
  form?: FormDescription<R, D> | undefined;
  /** Called by the button "Add" instead of opening the form. */
  add?: (() => void) | undefined;
  addIcon?: ReactNode;
  /** The label of that button; "Add" by default. */
  addLabel?: string | undefined;
  canEdit?: ((record: R) => boolean) | undefined;
  actions?: ((record: R) => Action<R>[]) | undefined;
  /** Actions on ticked records. Without any, records cannot be ticked. */
  bulk?: BulkAction<R>[] | undefined;
  remove?:
    | {
        run(admin: Admin, record: R): Promise<unknown>;
        /** Reports whether a record can be deleted; by default, every record can. */
        can?: ((record: R) => boolean) | undefined;
        /** The label of the action, if it is not "Delete" but, for example, "Revoke". */
        label?: string | undefined;
        /** Returns a text for the dialog about other data that will be deleted or kept. */
        consequences?: ((record: R) => ReactNode) | undefined;
        /** Returns a text that the user must type to confirm the deletion. */
        type?: ((record: R) => string) | undefined;
      }
    | undefined;
  /** Shown beside the title, such as the range of the figures. */
  about?: ReactNode;
  /** Controls beside "Add". */
  tools?: ReactNode;
  /** Shown above the list, for example notices. */
  above?: ReactNode;
  /** Shown between the filters and the list, such as a chart of the listed records. */
  chart?: ReactNode;
  /** Shown below the list. It is not shown together with `empty`. */
  below?: ReactNode;
  /** Shown at the beginning of the drawer, below the main column. */
  first?: ((record: R) => ReactNode) | undefined;
  /** IDs of the columns that `first` shows, so that the drawer does not show them a second time. */
  firstShows?: string[] | undefined;
  /** Whether "Edit" is only in the menu of a record, because users rarely need it. */
  editInMenu?: boolean | undefined;
  /** Shown at the end of the drawer. */
  more?: ((record: R) => ReactNode) | undefined;
  /** Shown while there are no records at all. It explains the purpose of the page and how to begin. */
  empty: ReactNode;
  /** Ids of the operations that the page uses, as in openapi.yaml. */
  operations: string[];
  /** Returns the milliseconds until the whole list is requested again, given the shown records. */
  refetchEvery?: ((records: R[]) => number | false) | undefined;
}

/** Converts the search parameters of the address to parameters of the API. */
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
    if (isKnown(filter, text)) {
      Object.assign(query, filter.query ? filter.query(text) : { [filter.id]: filter.kind === "switch" ? true : text });
    }
  }
  return query;
}

/** Reports whether a text is a value of a filter. */
function isKnown(filter: Exclude<Filter, { kind: "range" }>, text: string): boolean {
  switch (filter.kind) {
    case "choice":
      return filter.choices.some(({ value }) => value === text);
    case "switch":
      return text === "1";
    case "text":
      return text !== "" && text.length <= filter.maxLength;
  }
}

/** Returns the names of the search parameters in which filters store their values. */
export function parametersOf(filters: Filter[]): string[] {
  return filters.flatMap(({ id, kind }) => (kind === "range" ? [`${id}_from`, `${id}_to`] : [id]));
}

/** Returns the label of a record as the titles of dialogs show it. */
export const titleName = <R extends object, D extends object>(
  { label, bare }: Pick<Resource<R, D>, "label" | "bare">,
  record: R,
  { quoted }: { quoted(name: string): string },
) => (bare ? label(record) : quoted(label(record)));
