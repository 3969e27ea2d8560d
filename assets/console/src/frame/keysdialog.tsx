// All shortcuts of the console and of the current page.

import { Group, Kbd, Modal, SimpleGrid, Stack, Text, Title } from "@mantine/core";
import { Fragment } from "react";
import { modKey, type Shortcut, useAllShortcuts } from "../core/keys";
import { useTexts } from "../core/texts";
import { useFocusReturn } from "../resource/focus";
import classes from "./frame.module.css";

const names: Record<string, string> = { ArrowDown: "↓", ArrowUp: "↑", ArrowLeft: "←", ArrowRight: "→", Escape: "Esc", Enter: "↵" };

export default function KeysDialog({ onClose }: { onClose: () => void }) {
  const { keys } = useTexts().frame;
  useFocusReturn();
  const all = useAllShortcuts();
  const pages = all.filter(({ key }) => key.startsWith("g "));
  const here = all.filter(({ key }) => !key.startsWith("g "));
  return (
    <Modal opened onClose={onClose} title={keys.title} size={720} closeButtonProps={{ "aria-label": useTexts().common.close }}>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="xl">
        <Keys title={keys.here} list={here} />
        <Keys title={keys.pages} list={pages} />
      </SimpleGrid>
    </Modal>
  );
}

function Keys({ title, list }: { title: string; list: Shortcut[] }) {
  const { afterwards } = useTexts().frame.keys;
  return (
    <Stack gap={0}>
      <Title order={3} size="h5" mb={4}>
        {title}
      </Title>
      {list.map(({ key, label }) => (
        <div key={key} className={classes["keyrow"]}>
          <Text size="sm">{label}</Text>
          <Group gap={4} wrap="nowrap">
            {key.split(/[ +]/).map((part, index) => (
              <Fragment key={part}>
                {index > 0 && key.includes(" ") && (
                  <Text size="xs" c="dimmed">
                    {afterwards}
                  </Text>
                )}
                <Kbd size="sm">{part === "mod" ? modKey : (names[part] ?? part)}</Kbd>
              </Fragment>
            ))}
          </Group>
        </div>
      ))}
    </Stack>
  );
}
