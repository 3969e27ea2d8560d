// The visible columns of a table, and the menu with which users select them. The selection is
// remembered for each page.

import { Button } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { IconColumns3 } from "@tabler/icons-react";
import { memo, useMemo } from "react";
import { Menu } from "../core/menu";
import { useRemembered } from "../core/storage";
import { useTexts } from "../core/texts";
import type { Column } from "./resource";
import { widthsKey } from "./widths";

/** Returns the IDs of the visible columns and the function that changes them. null restores the default. */
export function useColumns<R>(name: string, columns: Column<R>[]): [Set<string>, (ids: string[] | null) => void] {
  const [remembered, remember] = useRemembered(`${name}.columns`);
  const wide = useMediaQuery("(min-width: 75em)", false, { getInitialValueInEffect: false });
  const shown = useMemo(() => {
    const chosen = remembered?.split(" ");
    const usual = columns.filter(
      ({ id, hidden, spare, detailOnly }) => !detailOnly && (chosen ? chosen.includes(id) : !hidden && (wide || !spare)),
    );
    return new Set(usual.map(({ id }) => id));
  }, [columns, remembered, wide]);
  return [shown, (ids) => remember(ids?.join(" ") ?? null)];
}

/** Memoized, so that it is rendered again when the columns change, but not on each search. */
export const ColumnMenu = memo(Choice) as typeof Choice;

interface Props<R> {
  name: string;
  columns: Column<R>[];
  /** There is no table. The button stays, because the head could otherwise wrap differently. */
  disabled: boolean;
}

function Choice<R>({ name, columns, disabled }: Props<R>) {
  const { common } = useTexts();
  const [shown, show] = useColumns(name, columns);
  const [, rememberWidths] = useRemembered(widthsKey(name));
  const choices = columns.filter(({ detailOnly }) => !detailOnly);
  const toggle = (id: string) => {
    const next = new Set(shown);
    if (!next.delete(id)) {
      next.add(id);
    }
    show(choices.filter((column) => next.has(column.id)).map((column) => column.id));
  };
  return (
    // The entries of a list that scrolls must also be reachable with Tab.
    <Menu
      closeOnItemClick={false}
      position="bottom-end"
      menuItemTabIndex={0}
      target={
        <Button disabled={disabled} variant="default" leftSection={<IconColumns3 size={16} aria-hidden />}>
          {common.columns}
        </Button>
      }
      items={() => (
        <>
          {choices.map(({ id, title }) => (
            <Menu.CheckboxItem
              key={id}
              // The last visible column cannot be hidden.
              disabled={shown.has(id) && shown.size === 1}
              checked={shown.has(id)}
              onChange={() => toggle(id)}
            >
              {title}
            </Menu.CheckboxItem>
          ))}
          <Menu.Divider />
          <Menu.Item
            onClick={() => {
              show(null);
              rememberWidths(null);
            }}
          >
            {common.resetColumns}
          </Menu.Item>
        </>
      )}
    />
  );
}
