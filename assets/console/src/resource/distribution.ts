// How a project distributes its versions: channels, the rollout of new versions, health rules.

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { clientOf } from "../core/client";

/** The name of the query for the distribution settings of a project. */
export const distributionKey = (project: string) => `distribution ${project}`;

export function useDistribution(project: string, enabled = true) {
  return useQuery({
    queryKey: [distributionKey(project)],
    queryFn: ({ signal }) => clientOf(project).admin.getDistribution({ signal }),
    enabled: enabled && project !== "",
    staleTime: 60_000,
  });
}

/** Returns the names of the channels of a project; the built-in ones come first. */
export function useChannels(project: string, enabled = true): string[] {
  const { data } = useDistribution(project, enabled);
  return useMemo(() => ["stable", "preview", ...(data?.channels ?? []).map(({ name }) => name)], [data]);
}
