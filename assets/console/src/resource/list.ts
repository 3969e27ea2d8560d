// The records that the address selects. It loads the current page, and the next page in advance.

import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useCallback, useEffect, useMemo } from "react";
import { numberParam, type Search, useAddress } from "../core/address";
import { clientOf } from "../core/client";
import { useProjectKey, useProjects } from "../core/project";
import type { Column, Filter, Page, Resource } from "./resource";
import { queryOf } from "./resource";
import { type Heights, pageParts, type Rows, useRows } from "./rows";
import { orderOf } from "./sort";

const pageParam = numberParam(1, 1_000_000);
const every = 15_000;

/** Milliseconds between two requests while there are no records. */
const whileEmpty = 2000;

export interface List<R> {
  /** The key of the project to which the records belong; "" if they belong to none. */
  project: string;
  page: number;
  pageSize: number;
  rows: Rows;
  /** Null until the first page has been loaded. */
  data: Page<R> | null;
  /** Whether `data` still belongs to the previous address. */
  stale: boolean;
  error: Error | null;
  retry(): void;
  /** On the first page, the number of records that have been added since the page was loaded. */
  added: number;
  showAdded(): void;
  /** The filters and the order, as one text. */
  conditions: string;
  /** Whether filters can exclude records from the list. */
  filtered: boolean;
  /** Loads a page of the same list. */
  load(page: number): Promise<Page<R>>;
  /** Requests the first page of the list with other filters in advance. */
  askAhead(conditions: Record<string, string | undefined>): void;
}

/** Returns the key of all lists of a resource in a project. */
export function listKey(name: string, project: string): readonly unknown[] {
  return [name, project, "list"];
}

/** Returns the filters and the order in an address as JSON, in the form in which the query uses them. */
function conditionsOf<R>(filters: Filter[], columns: Column<R>[], search: Search): string {
  return JSON.stringify({ ...queryOf(filters, search), ...(search["q"] && { search: search["q"] }), ...orderOf(columns, search) });
}

const noFilters: Filter[] = [];
const none: Heights = { wide: 0, phone: 0 };

export function useList<R extends object, D extends object>(resource: Resource<R, D>): List<R> {
  const [search, change] = useAddress();
  const [shownProject] = useProjectKey();
  const queries = useQueryClient();
  const router = useRouter();
  const { filters = noFilters, columns, name, scope = "" } = resource;
  const rows = useRows(search, resource.lines ?? 1, resource.otherHeights ?? none);
  const { pageSize } = rows;
  const page = pageParam.parse(search["page"]);
  const conditions = conditionsOf(filters, columns, search);
  const filtered = Boolean(search["q"]) || Object.keys(queryOf(filters, search)).length > 0;
  const project = resource.ofProject === false ? "" : shownProject;
  const enabled = resource.ofProject === false || project !== "";
  const list = resource.list;
  const projects = useProjects().data;

  const pageQuery = useCallback(
    (conditions: string, number: number) => ({
      queryKey: [...listKey(name, project), scope, conditions, pageSize, number],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        list(clientOf(project).admin, { limit: pageSize, offset: (number - 1) * pageSize, ...JSON.parse(conditions) }, signal),
    }),
    [list, name, project, scope, pageSize],
  );
  const askAhead = useCallback(
    (parts: Record<string, string | undefined>) => {
      if (enabled) {
        void queries.prefetchQuery(pageQuery(conditionsOf(filters, columns, { ...router.state.location.search, ...parts } as Search), 1));
      }
    },
    [enabled, queries, pageQuery, filters, columns, router],
  );

  // Send the first request before the component is rendered.
  const first = pageQuery(conditions, page);
  if (enabled && !queries.getQueryState(first.queryKey)) {
    void queries.prefetchQuery(first);
  }
  const current = useQuery({
    ...pageQuery(conditions, page),
    enabled,
    // Never show records of another project, not even briefly. An alias becomes the key once the projects are known.
    placeholderData: (before, query) => {
      const key = String(query?.queryKey[1]);
      const same = key === project || projects?.find(({ project_key }) => project_key === project)?.aliases.includes(key);
      return same ? keepPreviousData(before) : undefined;
    },
    refetchInterval: ({ state }) =>
      resource.refetchEvery?.(state.data?.data ?? []) ||
      // The user is waiting for the first record.
      (state.data?.total === 0 && page === 1 && conditions === "{}" && whileEmpty),
  });
  const shown = current.data;

  const often = resource.refetchEvery?.(shown?.data ?? []) ?? false;
  // New records must not move those that the user is reading. So request the first page separately,
  // and only report how many records are new.
  const aside = useQuery({
    queryKey: [...listKey(name, project), scope, conditions, pageSize, "aside"],
    queryFn: pageQuery(conditions, 1).queryFn,
    enabled: enabled && page === 1 && current.isSuccess && !current.isPlaceholderData && often === false,
    refetchInterval: every,
    initialData: () => (current.isPlaceholderData ? undefined : current.data),
    staleTime: every,
  });
  const added = useMemo(() => {
    if (page !== 1 || !shown || !aside.data || aside.dataUpdatedAt <= current.dataUpdatedAt) {
      return 0;
    }
    const known = new Set(shown.data.map(resource.id));
    const first = aside.data.data.findIndex((record) => known.has(resource.id(record)));
    return first < 0 ? aside.data.data.length : first;
  }, [page, shown, aside.data, aside.dataUpdatedAt, current.dataUpdatedAt, resource]);

  // In an empty list nothing can move, so show new records immediately.
  const nothing = shown?.data.length === 0;
  const { refetch } = current;
  useEffect(() => {
    if (nothing && added > 0) {
      void refetch();
    }
  }, [nothing, added, refetch]);

  // The records of this page may have been deleted since. If the page no longer exists, show the
  // last one that does.
  const beyond = nothing && page > 1 && !current.isPlaceholderData;
  const last = Math.max(Math.min(Math.ceil((shown?.total ?? 0) / pageSize), page - 1), 1);
  useEffect(() => {
    if (beyond) {
      change(pageParts(last, pageSize), { replace: true });
    }
  }, [beyond, last, pageSize, change]);

  const next = shown && !current.isPlaceholderData && page * pageSize < shown.total;
  useEffect(() => {
    if (next) {
      void queries.prefetchQuery(pageQuery(conditions, page + 1));
    }
  }, [next, conditions, page, pageQuery, queries]);

  const { error, isPlaceholderData: stale } = current;
  const shownAdded = nothing ? 0 : added;
  // Return the same object while nothing changes, so that the table is rendered only once.
  return useMemo(
    () => ({
      project,
      page,
      pageSize,
      rows,
      data: shown ?? null,
      stale,
      error,
      retry: () => void refetch(),
      added: shownAdded,
      showAdded: () => void refetch(),
      conditions,
      filtered,
      load: (number) => queries.fetchQuery({ ...pageQuery(conditions, number), staleTime: 5_000 }),
      askAhead,
    }),
    [project, page, rows, shown, stale, error, refetch, shownAdded, filtered, conditions, queries, pageQuery, askAhead],
  );
}
