// Shown in place of a page that failed to load or render.

import { Stack, Text, Title } from "@mantine/core";
import { type ErrorComponentProps, useRouter } from "@tanstack/react-router";
import { Failure } from "../core/failure";
import { queries } from "../core/query";
import { useTexts } from "../core/texts";

// Matches the error for a part of the program that could not be loaded. After an update of the
// server, the part has another name, which only a reload of the page reveals. Browsers report this
// error only by its text.
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
          // Data from the server may have caused the error, so request it again.
          queries.removeQueries({ type: "inactive" });
          reset();
          void router.invalidate();
        }}
      />
    </Stack>
  );
}
