// Queries over a moving range: the previous answer stays visible until the new numbers arrive.

import { keepPreviousData, type QueryClient, type QueryKey, type UseQueryResult, useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useState, useSyncExternalStore } from "react";
import type { Admin } from "../core/client";
import { useAdmin, useProjectKey } from "../core/project";
import type { Range } from "../core/range";

const numbers = "numbers";

/** Whether a query of the page is still pending, neither answered nor failed. */
function areMissing(queries: QueryClient): boolean {
  const pending = ({ state }: { state: { status: string } }) => state.status === "pending";
  return queries.getQueryCache().findAll({ queryKey: [numbers], type: "active", predicate: pending }).length > 0;
}

/** The range of the numbers on the page: the previous range until the queries for `range` have been answered. */
export function useAnsweredRange(range: Range): Range {
  const queries = useQueryClient();
  const [answered, setAnswered] = useState(range);
  const missing = useSyncExternalStore(
    useCallback((changed) => queries.getQueryCache().subscribe(changed), [queries]),
    () => areMissing(queries),
  );
  useEffect(() => {
    // Other components start their requests in effects, which may run after this one.
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

/** Asks the current project. A question with a known key is not asked again. */
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
