// The foot of a list. It shows how many records there are. If there are several pages, it also shows
// which records are visible, and has buttons for the other pages.

import { Group, Pagination, Text } from "@mantine/core";
import { useChangeAddress } from "../core/address";
import { Choice } from "../core/choice";
import { useFormat } from "../core/format";
import { useTexts } from "../core/texts";
import type { List } from "./list";
import type { Page } from "./resource";
import { counts, fit, pageParts } from "./rows";

export function Paging<R>({ list, data, narrow }: { list: List<R>; data: Page<R>; narrow: boolean }) {
  const { common } = useTexts();
  const format = useFormat();
  const change = useChangeAddress();
  const { page, pageSize, rows } = list;
  const total = data.total_is_estimate ? common.about(format.number(data.total)) : format.number(data.total);
  const first = (page - 1) * pageSize + 1;
  const pages = Math.ceil(data.total / pageSize);
  return (
    <Group justify="space-between" gap="xs" wrap="nowrap">
      <Text size="sm">{pages > 1 ? common.pageOf(first, Math.min(first + pageSize - 1, data.total), total) : common.inTotal(total)}</Text>
      <Group gap="xs" wrap="nowrap">
        {!narrow && data.total > Number(counts[0]) && (
          <Choice
            size="xs"
            w={136}
            aria-label={common.rowsPerPage}
            data={[{ value: fit, label: common.fitRows }, ...counts.map((count) => ({ value: count, label: common.rows(count) }))]}
            value={rows.choice}
            allowDeselect={false}
            onChange={(choice) => {
              rows.choose(choice ?? fit);
              change({ ...pageParts(1, pageSize), open: undefined });
            }}
          />
        )}
        {pages > 1 && (
          <Pagination
            size="sm"
            siblings={1}
            withPages={!narrow}
            value={page}
            total={pages}
            onChange={(next) => change({ ...pageParts(next, pageSize), open: undefined })}
            getControlProps={(control) =>
              control === "previous" ? { "aria-label": common.previousPage } : control === "next" ? { "aria-label": common.nextPage } : {}
            }
          />
        )}
      </Group>
    </Group>
  );
}
