// Shown while there is no project: an explanation of projects, and a button to create the first one.

import { Button, Paper, Stack, Text, Title } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { PageLink } from "../core/go";
import { useTexts } from "../core/texts";

export function FirstProject() {
  const { firstProject } = useTexts().frame;
  return (
    <Paper withBorder p="xl" maw={640} mx="auto" mt={{ base: 0, sm: 64 }}>
      <Stack gap="md" align="flex-start">
        <Title order={1} size="h2" tabIndex={-1}>
          {firstProject.title}
        </Title>
        <Text c="dimmed">{firstProject.text}</Text>
        <Button
          leftSection={<IconPlus size={16} aria-hidden />}
          renderRoot={(props) => <PageLink to="/admin/projects" search={{ new: "1" }} {...props} />}
        >
          {firstProject.create}
        </Button>
      </Stack>
    </Paper>
  );
}
