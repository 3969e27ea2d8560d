// The page that is shown while there is no project. It has one field, with which the user creates
// the first project.

import { Button, Paper, Stack, Text, TextInput, Title } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { clientOf, messagesOf } from "../core/client";
import { useGo } from "../core/go";
import { keyOf } from "../core/projectkey";
import { remember } from "../core/storage";
import { useTexts } from "../core/texts";

export function FirstProject() {
  const { firstProject } = useTexts().frame;
  const go = useGo();
  const queries = useQueryClient();
  const [name, setName] = useState("");
  const key = keyOf(name);
  const create = useMutation({
    mutationFn: () => clientOf("").admin.createProject({ name: name.trim(), project_key: key } as never),
    onSuccess: async (project) => {
      remember("project", project.project_key);
      await queries.invalidateQueries({ queryKey: ["projects"] });
      go({ to: "/admin", search: { project: project.project_key } });
    },
  });
  return (
    <Paper withBorder p={{ base: "md", sm: "xl" }} maw={640} mx="auto" mt={{ base: 0, sm: 64 }}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (key) {
            create.mutate();
          }
        }}
      >
        <Stack gap="md" align="flex-start">
          <Title order={1} size="h2" tabIndex={-1}>
            {firstProject.title}
          </Title>
          <Text c="dimmed">{firstProject.text}</Text>
          <TextInput
            w="100%"
            label={firstProject.name}
            description={key ? firstProject.key(key) : firstProject.keyHint}
            maxLength={128}
            dir="auto"
            autoComplete="off"
            value={name}
            onChange={({ currentTarget: { value } }) => setName(value)}
            error={create.error && messagesOf(create.error).join("; ")}
          />
          <Button type="submit" disabled={!key} loading={create.isPending} leftSection={<IconPlus size={16} aria-hidden />}>
            {firstProject.create}
          </Button>
        </Stack>
      </form>
    </Paper>
  );
}
