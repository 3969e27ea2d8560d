// The first page of a project: what needs attention.

import { ActionIcon, Paper, Stack, Tooltip } from "@mantine/core";
import { IconRefresh } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useCallback, useState } from "react";
import { clientOf } from "../../core/client";
import { now } from "../../core/clock";
import { Failure } from "../../core/failure";
import { useFormat } from "../../core/format";
import { useProjectKey, useProjects } from "../../core/project";
import { Room } from "../../core/room";
import { ProjectStart } from "../../core/start";
import { useTexts } from "../../core/texts";
import { PageHead } from "../../resource/head";
import { Findings } from "./findings";

/** Milliseconds between two requests for the findings, while the page is visible. */
const every = 60_000;

export default function TodayPage() {
  const { frame, today } = useTexts();
  const format = useFormat();
  const [key] = useProjectKey();
  const name = useProjects().data?.find(({ project_key }) => project_key === key)?.name ?? key;
  const found = useQuery({
    queryKey: ["today", key],
    queryFn: ({ signal }) => clientOf(key).admin.getToday({ signal }),
    enabled: key !== "",
    refetchInterval: every,
  });
  const { data, error, dataUpdatedAt, isFetching, refetch } = found;
  // If the project had no version when the page was opened, keep showing the code to paste until
  // the user opens another page.
  const isNew = data?.data.some(({ kind }) => kind === "no_version") ?? false;
  const [begun, begin] = useState("");
  if (isNew && begun !== key) {
    begin(key);
  }
  const findings = data?.data.filter(({ kind }) => kind !== "no_version");
  const again = useCallback(() => void refetch(), [refetch]);
  return (
    <Stack gap="md">
      <PageHead
        title={frame.pages.overview}
        about={
          <Room of={`${name} · ${today.asOf(format.shortTime(now()))}`}>
            <bdi>{name}</bdi>
            {dataUpdatedAt > 0 && ` · ${today.asOf(format.shortTime(dataUpdatedAt / 1000))}`}
          </Room>
        }
        operations={["getToday", "listVersions", "getRequestOverview", "listEventDefinitions", "createApiKey"]}
        tools={<RefreshButton busy={isFetching} onClick={again} />}
      />
      {error && !data ? (
        <Failure error={error} retry={again} />
      ) : (
        (begun !== key || findings?.length !== 0) && (
          <Findings findings={findings?.map((finding) => ({ ...finding, project: { key, name }, named: false }))} />
        )
      )}
      {begun === key && key !== "" && (
        <Paper withBorder p={{ base: "md", sm: "lg" }} maw={880}>
          <ProjectStart key={key} project={key} order={2} onVersion={again} />
        </Paper>
      )}
    </Stack>
  );
}

export function RefreshButton({ busy, onClick }: { busy: boolean; onClick: () => void }) {
  const { common } = useTexts();
  return (
    <Tooltip label={common.refresh}>
      <ActionIcon variant="default" size={36} aria-label={common.refresh} aria-busy={busy} onClick={onClick}>
        <IconRefresh size={18} aria-hidden />
      </ActionIcon>
    </Tooltip>
  );
}
