// Queries whose range moves: what was there stays until the new numbers come.

import { keepPreviousData, type QueryKey, type UseQueryResult, useQuery } from "@tanstack/react-query";
import type { Admin } from "../app/client";
import { useAdmin, useProjectKey } from "../app/project";

interface Question<A, T> {
  key: QueryKey;
  ask(admin: Admin, signal: AbortSignal): Promise<A>;
  select?(answer: A): T;
  enabled?: boolean;
}

/** Asks the project that is shown. A question whose key has been asked before is not asked again. */
export function useAsked<A, T = A>({ key, ask, select, enabled = true }: Question<A, T>): UseQueryResult<T> {
  const [project] = useProjectKey();
  const admin = useAdmin();
  return useQuery({
    queryKey: ["numbers", project, ...key],
    queryFn: ({ signal }) => ask(admin, signal),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    enabled: enabled && project !== "",
    ...(select && { select }),
  }) as UseQueryResult<T>;
}
