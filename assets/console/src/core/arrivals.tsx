// Shows what has arrived from the CI and the app of a new project. It polls until the next item has
// arrived.

import { Loader, Stack, type StackProps, Text } from "@mantine/core";
import { IconCircleCheck, IconCircleDashed } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect } from "react";
import classes from "./arrivals.module.css";
import { type Admin, clientOf } from "./client";
import { useTexts } from "./texts";

/** Milliseconds between two requests that check whether something has arrived. */
export const often = 2000;

const firsts = ["version", "check", "event"] as const;

const arrived: Record<(typeof firsts)[number], (admin: Admin, signal: AbortSignal) => Promise<boolean>> = {
  version: async (admin, signal) => (await admin.listVersions({ limit: 1 }, { signal })).total > 0,
  check: async (admin, signal) =>
    (await admin.getRequestOverview({}, { signal })).by_endpoint.some(({ endpoint }) => endpoint === "VERSION_CHECK_UPDATE"),
  event: async (admin, signal) => (await admin.listEventDefinitions({ limit: 1 }, { signal })).total > 0,
};

/** The first version, update check and event of a project, each ticked when it has arrived. */
export function FirstArrivals({ project, onVersion }: { project: string; onVersion?: (() => void) | undefined }) {
  const { start } = useTexts();
  const { data: count = 0 } = useQuery({
    queryKey: ["arrivals", project],
    // Returns how many items have arrived. They are counted in order, up to the first one that has
    // not arrived.
    queryFn: async ({ signal, client, queryKey }) => {
      let known = client.getQueryData<number>(queryKey) ?? 0;
      for (const first of firsts.slice(known)) {
        if (!(await arrived[first](clientOf(project).admin, signal))) {
          break;
        }
        known++;
      }
      return known;
    },
    refetchInterval: ({ state }) => (state.data === firsts.length ? false : often),
  });
  const hasVersion = count > 0;
  useEffect(() => {
    if (hasVersion) {
      onVersion?.();
    }
  }, [hasVersion, onVersion]);
  return (
    <Stack component="ol" gap={0} className={classes["list"] ?? ""}>
      {firsts.map((first, at) => (
        <li key={first}>
          {at < count ? (
            <Line icon={<IconCircleCheck size={20} aria-hidden />} state="arrived">
              {start.arrived[first]}
            </Line>
          ) : at === count ? (
            <Waiting>{start.waiting[first]}</Waiting>
          ) : (
            <Line icon={<IconCircleDashed size={20} aria-hidden />} state="later">
              {start.later[first]}
            </Line>
          )}
        </li>
      ))}
    </Stack>
  );
}

/** A line that states what the page is waiting for. */
export function Waiting({ children, mt }: { children: ReactNode; mt?: StackProps["mt"] }) {
  return (
    <Line icon={<Loader size={16} aria-hidden />} state="waiting" mt={mt}>
      {children}
    </Line>
  );
}

function Line({ icon, state, mt, children }: { icon: ReactNode; state: string; mt?: StackProps["mt"]; children: ReactNode }) {
  return (
    <Text size="sm" mt={mt} role="status" className={classes["line"] ?? ""} data-state={state}>
      <span className={classes["icon"]}>{icon}</span>
      {children}
    </Text>
  );
}
