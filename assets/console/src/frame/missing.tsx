// Shown in place of a page that does not exist.

import { Button, Stack, Text, Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useTexts } from "../core/texts";
import { home } from "./path";

export function MissingPage() {
  const { missing } = useTexts().frame;
  return (
    <Stack gap="md" align="flex-start" p={{ base: "md", sm: 0 }}>
      <Title order={1} size="h2" tabIndex={-1}>
        {missing.title}
      </Title>
      <Text c="dimmed">{missing.text}</Text>
      <Button variant="default" renderRoot={(props) => <Link to={home} {...props} />}>
        {missing.home}
      </Button>
    </Stack>
  );
}
