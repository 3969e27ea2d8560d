// The former keys of a project. A former key is deleted immediately, not when the form around it is
// saved.

import { ActionIcon, Code, Divider, Group, Stack, Text } from "@mantine/core";
import { IconTrash } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { clientOf } from "../../core/client";
import { Confirm } from "../../core/confirm";
import { Failure } from "../../core/failure";
import { useFormat } from "../../core/format";
import { useTexts } from "../../core/texts";

export function Aliases({ project }: { project: string }) {
  const { aliases: texts } = useTexts().projects;
  const format = useFormat();
  const queries = useQueryClient();
  const { admin } = clientOf(project);
  const { data, error, refetch } = useQuery({
    queryKey: ["projects", project, "aliases"],
    queryFn: async ({ signal }) => (await admin.listProjectAliases({ signal })).data,
  });
  const [leaving, leave] = useState<string | null>(null);
  return (
    <Stack gap="xs" component="section" aria-label={texts.title}>
      <Divider label={texts.title} labelPosition="left" />
      <Text size="xs" c="dimmed">
        {data?.length === 0 ? texts.none : texts.text}
      </Text>
      {error && <Failure error={error} retry={() => void refetch()} />}
      {data?.map(({ alias, created_at }) => (
        <Group key={alias} gap="xs" justify="space-between" wrap="nowrap">
          <Group gap="xs">
            <Code>{alias}</Code>
            <Text size="xs" c="dimmed">
              {texts.since(format.date(created_at))}
            </Text>
          </Group>
          <ActionIcon variant="subtle" color="gray" aria-label={texts.remove(alias)} onClick={() => leave(alias)}>
            <IconTrash size={16} aria-hidden />
          </ActionIcon>
        </Group>
      ))}
      {leaving !== null && (
        <Confirm
          title={texts.remove(leaving)}
          text={texts.removeText(leaving)}
          label={texts.giveUp}
          run={async () => {
            await admin.deleteProjectAlias(leaving);
            await queries.invalidateQueries({ queryKey: ["projects"] });
          }}
          onClose={() => leave(null)}
        />
      )}
    </Stack>
  );
}
