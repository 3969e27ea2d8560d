// The data that is deleted together with a project.

import { List, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { clientOf } from "../../core/client";
import { Failure } from "../../core/failure";
import { useFormat } from "../../core/format";
import { useTexts } from "../../core/texts";

export function Contents({ project }: { project: string }) {
  const { deletion } = useTexts().projects;
  const format = useFormat();
  const { data, error, refetch } = useQuery({
    queryKey: ["contents", project],
    queryFn: ({ signal }) => clientOf(project).admin.getProjectContents({ signal }),
    staleTime: 0,
  });
  if (error) {
    return <Failure error={error} retry={() => void refetch()} />;
  }
  if (!data) {
    return <Skeleton h={120} />;
  }
  const kinds = (Object.keys(deletion.counts) as (keyof typeof deletion.counts)[]).filter((kind) => data[kind] > 0);
  const nothing = kinds.length === 0 && data.files === 0;
  return (
    <Stack gap={4}>
      <Text size="sm">{nothing ? deletion.empty : deletion.text}</Text>
      <List size="sm">
        {kinds.map((kind) => (
          <List.Item key={kind}>{deletion.count(deletion.counts[kind], format.number(data[kind]))}</List.Item>
        ))}
        {data.files > 0 && <List.Item>{deletion.files(format.number(data.files), format.bytes(data.file_bytes))}</List.Item>}
      </List>
    </Stack>
  );
}
