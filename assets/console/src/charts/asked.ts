// Queries over a range that can move. The previous numbers stay visible until the new ones arrive.

import { keepPreviousData, type QueryClient, type QueryKey, type UseQueryResult, useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useState, useSyncExternalStore } from "react";
import type { Admin } from "../core/client";
import { useAdmin, useProjectKey } from "../core/project";
import type { Range } from "../core/range";

const numbers = "numbers";

/** Reports whether a query of the page is still pending: neither answered nor failed. */
function areMissing(queries: QueryClient): boolean {
  const pending = ({ state }: { state: { status: string } }) => state.status === "pending";
  return queries.getQueryCache().findAll({ queryKey: [numbers], type: "active", predicate: pending }).length > 0;
}

/**
 * Returns the range that the visible numbers belong to. This is the previous range until all
 * queries for `range` have been answered.
 */
export function useAnsweredRange(range: Range): Range {
  const queries = useQueryClient();
  const [answered, setAnswered] = useState(range);
  const missing = useSyncExternalStore(
    useCallback((changed) => queries.getQueryCache().subscribe(changed), [queries]),
    () => areMissing(queries),
  );
  useEffect(() => {
    // Wait for the next task, because other components start their requests in effects, which may
    // run after this one.
    const timer = setTimeout(() => areMissing(queries) || setAnswered(range));
    return () => clearTimeout(timer);
  }, [queries, range, missing]);
  return answered;
}

interface Question<A, T> {
  key: QueryKey;
  ask(admin: Admin, signal: AbortSignal): Promise<A>;
  select?(answer: A): T;
  enabled?: boolean;
}

/**
 * Runs a query on the current project. The result is cached under `key`, so a query with a cached
 * key sends no request.
 */
export function useAsked<A, T = A>({ key, ask, select, enabled = true }: Question<A, T>): UseQueryResult<T> {
  const [project] = useProjectKey();
  const admin = useAdmin();
  return useQuery({
    queryKey: [numbers, project, ...key],
    queryFn: ({ signal }) => ask(admin, signal),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    enabled: enabled && project !== "",
    ...(select && { select }),
  }) as UseQueryResult<T>;
}
