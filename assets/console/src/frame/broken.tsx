// Replaces a page that failed while it was drawn or loaded.

import { Stack, Text, Title } from "@mantine/core";
import { type ErrorComponentProps, useRouter } from "@tanstack/react-router";
import { Failure } from "../core/failure";
import { queries } from "../core/query";
import { useTexts } from "../core/texts";

// A part of the program that could not be loaded: after an update of the server its name is
// another, which only the page itself knows. Browsers have no other sign of it than their text.
const notLoaded = /dynamically imported module|importing a module script failed|unable to preload/i;

export function BrokenPage({ error, reset }: ErrorComponentProps) {
  const { frame } = useTexts();
  const router = useRouter();
  return (
    <Stack gap="md" maw={640}>
      <Title order={1} size="h2" tabIndex={-1}>
        {frame.broken.title}
      </Title>
      <Text c="dimmed">{frame.broken.text}</Text>
      <Failure
        error={error}
        retry={() => {
          if (notLoaded.test(String(error))) {
            location.reload();
            return;
          }
          // It may have failed of what the server said.
          queries.removeQueries({ type: "inactive" });
          reset();
          void router.invalidate();
        }}
      />
    </Stack>
  );
}
