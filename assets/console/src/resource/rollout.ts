// The rollouts of versions. The query keys begin with "versions", so that changes of versions also
// refresh them.

import { useQuery } from "@tanstack/react-query";
import type { Rollout, RolloutHealth } from "svc-sdk";
import { clientOf } from "../core/client";
import type { Format } from "../core/format";
import type { ToneName } from "../core/tone";

/** How often a rollout that is shown is read again, in milliseconds. */
const interval = 15_000;

/** The states in which a rollout is not over. */
const open = ["running", "paused", "held"];

export const rolloutTones: Record<string, ToneName> = { running: "info", paused: "warning", held: "bad", completed: "good" };

/** Formats the percentage of a rollout or of one of its steps. */
export const percentOf = (format: Format, { percent }: { percent: number }) => format.percent(percent / 100, 2);

/** Returns the number of users who have been seen on the version of a rollout. */
export function seenOn(health: RolloutHealth | undefined): number {
  return Math.max(0, ...(health?.rules ?? []).map(({ exposure }) => exposure));
}

export const isOpen = ({ state }: Rollout) => open.includes(state);

/** Returns the rollout of a version, which is null if it has none. */
export function useRollout(project: string, id: string) {
  return useQuery({
    queryKey: ["versions", project, "rollout", id],
    queryFn: ({ signal }) => clientOf(project).admin.getRollout(id, { signal }),
    enabled: project !== "" && id !== "",
    refetchInterval: interval,
  });
}

/** Returns the health of a rollout. */
export function useHealth(project: string, id: string, enabled: boolean) {
  return useQuery({
    queryKey: ["versions", project, "health", id],
    queryFn: ({ signal }) => clientOf(project).admin.getRolloutHealth(id, { signal }),
    enabled: enabled && project !== "" && id !== "",
    refetchInterval: interval,
  });
}

/** Returns the newest rollouts of a project, by the ID of their version. */
export function useRollouts(project: string) {
  return useQuery({
    queryKey: ["versions", project, "rollouts"],
    queryFn: ({ signal }) => clientOf(project).admin.listRollouts({ limit: 100 }, { signal }),
    enabled: project !== "",
    select: ({ data }) => new Map(data.map((rollout) => [rollout.version_id, rollout])),
  });
}
