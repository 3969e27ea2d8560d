// Ticked records of a list, and the bar with the actions on them.

import { ActionIcon, Button, Checkbox, Group, Text } from "@mantine/core";
import { IconDots, IconX } from "@tabler/icons-react";
import { useState } from "react";
import { useFormat } from "../core/format";
import { Menu } from "../core/menu";
import { useTexts } from "../core/texts";
import type { BulkAction } from "./resource";

export interface Selection {
  ids: ReadonlySet<string>;
  toggle(id: string): void;
  set(ids: string[]): void;
}

/** Returns the ticked records among `shown`. On another page, or with other filters, no records are ticked. */
export function useSelection(shown: string[], list: string): Selection {
  const [chosen, choose] = useState<{ list: string; ids: ReadonlySet<string> }>({ list, ids: new Set() });
  const ids = new Set(chosen.list === list ? shown.filter((id) => chosen.ids.has(id)) : []);
  const set = (next: string[]) => choose({ list, ids: new Set(next) });
  return { ids, set, toggle: (id) => set(ids.has(id) ? [...ids].filter((other) => other !== id) : [...ids, id]) };
}

/** A checkbox that ticks all records of the page. */
export function SelectAll({ selection, shown }: { selection: Selection; shown: string[] }) {
  const { common } = useTexts();
  const all = shown.every((id) => selection.ids.has(id));
  return (
    <Checkbox
      size="sm"
      aria-label={common.selectAll}
      checked={all}
      indeterminate={!all && selection.ids.size > 0}
      onChange={() => selection.set(all ? [] : shown)}
    />
  );
}

/** The bar with the actions on ticked records. It takes the place of the paging, so that nothing moves. */
export function SelectionBar<R>({ selection, records, actions }: { selection: Selection; records: R[]; actions: BulkAction<R>[] }) {
  const { common } = useTexts();
  const format = useFormat();
  const [running, setRunning] = useState(false);
  const run = async (action: BulkAction<R>) => {
    setRunning(true);
    try {
      if (await action.run(records)) {
        selection.set([]);
      }
    } finally {
      setRunning(false);
    }
  };
  const others = actions.filter(({ front }) => !front);
  return (
    <Group justify="space-between" gap="xs" wrap="nowrap" role="group" aria-label={common.selected(format.number(records.length))}>
      <Group gap={4} wrap="nowrap">
        <ActionIcon variant="subtle" color="gray" aria-label={common.selectNone} onClick={() => selection.set([])}>
          <IconX size={16} aria-hidden />
        </ActionIcon>
        <Text size="sm" role="status">
          {common.selected(format.number(records.length))}
        </Text>
      </Group>
      <Group gap="xs" wrap="nowrap">
        {actions
          .filter(({ front }) => front)
          .map((action) => (
            <Button key={action.id} size="compact-sm" variant="default" disabled={running} onClick={() => void run(action)}>
              {action.label}
            </Button>
          ))}
        {others.length > 0 && (
          <Menu
            position="top-end"
            withinPortal
            target={
              <ActionIcon
                variant="default"
                aria-label={`${common.more}: ${common.selected(format.number(records.length))}`}
                disabled={running}
              >
                <IconDots size={16} aria-hidden />
              </ActionIcon>
            }
            items={() =>
              others.map((action) => (
                <Menu.Item key={action.id} onClick={() => void run(action)}>
                  {action.label}
                </Menu.Item>
              ))
            }
          />
        )}
      </Group>
    </Group>
  );
}
