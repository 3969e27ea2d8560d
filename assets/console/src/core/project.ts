// The current project, which all pages share. Its key is in the address, and is remembered for the
// next page.

import { useQuery } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import type { Project } from "svc-sdk";
import { useAddressPart, useChangeAddress } from "./address";
import { type Admin, clientOf } from "./client";
import { useRemembered } from "./storage";

/** Returns all projects, ordered by name. */
export function useProjects() {
  return useQuery({
    queryKey: ["projects", "all"],
    queryFn: async ({ signal }) => {
      const all: Project[] = [];
      for await (const project of clientOf("").admin.iterProjects({}, { signal })) {
        all.push(project);
      }
      return all.sort((a, b) => a.name.localeCompare(b.name));
    },
    staleTime: 60_000,
  });
}

/**
 * Returns the key of the current project, which is "" while there is none, and the function that
 * selects another project.
 */
export function useProjectKey(): [string, (key: string) => void] {
  const named = useAddressPart("project");
  const change = useChangeAddress();
  const [remembered, remember] = useRemembered("project");
  const { data } = useProjects();
  const wanted = named ?? remembered ?? "";
  const known = data?.find((project) => project.project_key === wanted || project.aliases.includes(wanted));
  const key = known?.project_key ?? (data ? (data[0]?.project_key ?? "") : wanted);
  const show = useCallback(
    (next: string) => {
      remember(next);
      // Close the open record and return to the first page, because both belong to the other
      // project.
      change({ project: next, open: undefined, page: undefined, rows: undefined });
    },
    [remember, change],
  );
  return [key, show];
}

/** Returns the methods that need the administrator's login, bound to the current project. */
export function useAdmin(): Admin {
  const [key] = useProjectKey();
  return useMemo(() => clientOf(key).admin, [key]);
}
