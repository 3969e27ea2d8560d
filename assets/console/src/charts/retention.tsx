// Returning users, with a row for each cohort and a column for each period after the cohort's first
// one.

import { Box, Table } from "@mantine/core";
import styles from "./charts.module.css";
import type { Drawing, Option } from "./drawing";
import { inkOn, shadeOf, usePalette } from "./palette";
import { axisLabel, base, ramp } from "./parts";
import type { Words } from "./words";

export interface CohortValues {
  name: string;
  size: number;
  /** One element per period; null for a period that has not ended. */
  cells: readonly ({ users: number; rate: number } | null)[];
}

/**
 * Returns, for each period, the average share of users that returned in it. It is null for a period
 * that no cohort has completed.
 */
export function average(cohorts: readonly CohortValues[], periods: number): (number | null)[] {
  return Array.from({ length: periods }, (_, period) => {
    const known = cohorts.filter((cohort) => cohort.size > 0 && cohort.cells[period]);
    const size = known.reduce((sum, cohort) => sum + cohort.size, 0);
    return size ? known.reduce((sum, cohort) => sum + cohort.cells[period]!.users, 0) / size : null;
  });
}

/**
 * Returns the largest share after the first period. In the first period the share is always 100 %,
 * so this one gets the darkest colour.
 */
export function largestReturn(cohorts: readonly CohortValues[]): number {
  return Math.max(0, ...cohorts.flatMap(({ cells }) => cells.slice(1).map((cell) => cell?.rate ?? 0)));
}

export function retention(
  cohorts: readonly CohortValues[],
  periods: number,
  periodName: (period: number) => string,
  words: Words,
): Drawing {
  const { texts, format } = words;
  const means = average(cohorts, periods);
  const size = cohorts.reduce((sum, cohort) => sum + cohort.size, 0);
  const columns = Array.from({ length: periods }, (_, period) => periodName(period));
  return {
    label: texts.retentionLabel(
      format.number(size),
      means
        .slice(1, 4)
        .map((mean, index) => (mean === null ? "" : `${columns[index + 1]}: ${format.percent(mean)}`))
        .filter(Boolean)
        .join(", "),
    ),
    empty: size === 0,
    table: {
      columns: [
        { label: texts.cohort },
        { label: texts.users, kind: "number" },
        ...columns.map((label) => ({ label, kind: "percent" as const })),
      ],
      rows: cohorts.map((cohort) => [
        cohort.name,
        cohort.size,
        ...Array.from({ length: periods }, (_, period) => cohort.cells[period]?.rate ?? null),
      ]),
    },
    view: <Grid cohorts={cohorts} columns={columns} means={means} words={words} />,
    option: (look): Option => ({
      ...base(look),
      grid: { left: 4, right: 4, top: 4, bottom: 4, outerBoundsMode: "same", outerBoundsContain: "axisLabel" },
      xAxis: {
        type: "category",
        position: "top",
        data: columns,
        axisLabel: axisLabel(look),
        axisTick: { show: false },
        axisLine: { show: false },
      },
      yAxis: {
        type: "category",
        inverse: true,
        data: cohorts.map((cohort) => `${cohort.name} (${format.number(cohort.size)})`),
        axisLabel: axisLabel(look),
        axisTick: { show: false },
        axisLine: { show: false },
      },
      visualMap: ramp(look, largestReturn(cohorts)),
      series: [
        {
          type: "heatmap",
          data: cohorts.flatMap((cohort, row) =>
            cohort.cells.flatMap((cell, period) =>
              cell
                ? [{ value: [period, row, cell.rate], ...(period === 0 && { visualMap: false, itemStyle: { color: look.palette.land } }) }]
                : [],
            ),
          ),
          label: { show: true, fontSize: 10, formatter: ({ value }: { value: [number, number, number] }) => format.percent(value[2], 0) },
          itemStyle: { borderColor: look.palette.surface, borderWidth: 2 },
        },
      ],
    }),
  };
}

/** Returns the height in pixels of the grid with this number of cohorts and a scroll bar below them. */
export function gridHeight(cohorts: number): number {
  const [row, headings, scrollBar] = [32, 2, 12];
  return (cohorts + headings) * row + scrollBar;
}

function Grid({
  cohorts,
  columns,
  means,
  words: { texts, format },
}: {
  cohorts: readonly CohortValues[];
  columns: string[];
  means: (number | null)[];
  words: Words;
}) {
  const palette = usePalette();
  const most = largestReturn(cohorts);
  // All cells have the same precision: a decimal if the shares are so small that most whole
  // percents would be equal.
  const digits = most < 0.1 ? 1 : 0;
  return (
    <Box className={styles.cohortsArea} tabIndex={0} role="group" aria-label={texts.cohorts}>
      <Table className={styles.cohorts} withRowBorders={false} stickyHeader>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{texts.cohort}</Table.Th>
            <Table.Th scope="col" ta="right">
              {texts.users}
            </Table.Th>
            {columns.map((column) => (
              <Table.Th key={column} scope="col" ta="center">
                {column}
              </Table.Th>
            ))}
          </Table.Tr>
          <Table.Tr>
            <Table.Th scope="row">{texts.all}</Table.Th>
            <Table.Td ta="right">{format.number(cohorts.reduce((sum, cohort) => sum + cohort.size, 0))}</Table.Td>
            {means.map((mean, period) => (
              <Table.Td key={columns[period]} ta="center" fw={600}>
                {mean === null ? "" : format.percent(mean, digits)}
              </Table.Td>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {cohorts.map((cohort) => (
            <Table.Tr key={cohort.name}>
              <Table.Th scope="row">{cohort.name}</Table.Th>
              <Table.Td ta="right">{format.number(cohort.size)}</Table.Td>
              {columns.map((column, period) => {
                const cell = cohort.size > 0 ? cohort.cells[period] : null;
                const color = !cell ? undefined : period === 0 ? palette.land : shadeOf(palette, most ? cell.rate / most : 0);
                return (
                  <Table.Td
                    key={column}
                    ta="center"
                    title={cell ? texts.returned(format.number(cell.users), format.number(cohort.size)) : undefined}
                    style={color ? { background: color, color: inkOn(color) } : undefined}
                  >
                    {cell ? format.percent(cell.rate, digits) : ""}
                  </Table.Td>
                );
              })}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Box>
  );
}
