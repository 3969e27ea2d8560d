// The frame of a chart: title, definition, the same values as a table, CSV and PNG. It keeps its
// size while values are loading and shows the error if they fail.

import { ActionIcon, Box, Button, Paper, Popover, ScrollArea, Skeleton, Table, Text, Title } from "@mantine/core";
import { IconChartBar, IconDownload, IconInfoCircle, IconTable } from "@tabler/icons-react";
import { type ReactNode, useMemo, useState } from "react";
import { textParam, useParams } from "../core/address";
import { Failure } from "../core/failure";
import { Menu } from "../core/menu";
import { useTexts } from "../core/texts";
import styles from "./charts.module.css";
import type { Drawing } from "./drawing";
import { colorOf, usePalette } from "./palette";
import { Plot } from "./plot";
import { fileName, saveCsv, savePng } from "./save";
import { StageHeight } from "./stage";
import type { Cell, Table as Values } from "./table";
import { useWords, type Words } from "./words";

/** The part of a query's state that a figure needs. */
export interface Asked<T> {
  data: T | undefined;
  error: unknown;
  isFetching: boolean;
  isPlaceholderData: boolean;
  refetch(): unknown;
}

export interface FigureProps<T> {
  /** Identifies the figure in the address and in file names. */
  id: string;
  title: string;
  /** The explanation of the numbers; undefined if they need none. */
  definition?: string | undefined;
  /** Range, time zone and the like, to be written into saved files. */
  about?: string;
  /** What the numbers leave out of account, such as a filter of the page. */
  caveat?: string | undefined;
  query: Asked<T>;
  draw(data: T, words: Words): Drawing;
  /** Dependencies of `draw` other than the values. */
  deps?: readonly unknown[];
  /** Shown before the buttons. */
  controls?: ReactNode;
  height?: number;
  /** Whether `height` is only the minimum, and the figure grows with its drawing. */
  grows?: boolean;
  /** Whether series can be hidden. */
  legend?: boolean;
  /** Whether to reserve room for a sentence below the chart. */
  note?: boolean;
  /** The text that is shown if there are no values. */
  none?: string;
  level?: 2 | 3;
  /** What the numbers count, shown beside the title. It is for figures that do not show it themselves. */
  unit?: string;
  /** Shown at the end of the row of buttons. */
  actions?: ReactNode;
  /** Shown instead of the title, in the same size. */
  heading?: ReactNode;
}

const params = { tables: textParam };

const idsOf = (tables: string) => tables.split(",").filter(Boolean);

export function Figure<T>(props: FigureProps<T>) {
  const {
    id,
    title,
    definition,
    about = "",
    caveat,
    query,
    draw,
    deps = [],
    controls,
    height = 260,
    grows = false,
    legend = false,
    note = false,
    none,
    level = 2,
    unit,
    actions,
    heading,
  } = props;
  const texts = useTexts();
  const words = useWords();
  const palette = usePalette();
  const [{ tables }, change] = useParams(params);
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const { data, error } = query;
  const drawing = useMemo(() => (data === undefined ? null : draw(data, words)), [data, words, ...deps]);
  const asTable = idsOf(tables).includes(id);
  const space = `calc(${height + (note ? 24 : 0)}px${legend ? " + var(--legend)" : ""})`;
  const file = (extension: string) => fileName([title, about], extension);

  const content = () => {
    if (error && !drawing) {
      return (
        <Box mih={space} py="xs">
          <Failure error={error} retry={() => void query.refetch()} />
        </Box>
      );
    }
    if (!drawing) {
      return <Skeleton height={space} role="status" aria-label={texts.common.loading} />;
    }
    if (asTable) {
      return <ValueTable table={drawing.table} words={words} height={space} label={title} />;
    }
    if (drawing.empty) {
      return (
        <Box className={styles.center} h={space}>
          <Text c="dimmed" size="sm">
            {none ?? words.texts.none}
          </Text>
        </Box>
      );
    }
    return (
      <>
        {legend && <Legend names={drawing.legend ?? []} rest={drawing.rest ?? []} hidden={hidden} setHidden={setHidden} />}
        <Box
          className={styles.stage}
          __vars={{ "--stage": `${height}px` }}
          data-grows={grows || undefined}
          {...(drawing.minWidth && { tabIndex: 0, role: "group", "aria-label": title })}
        >
          {drawing.view ? (
            <Box flex={1} miw={0}>
              <StageHeight value={height}>{drawing.view}</StageHeight>
            </Box>
          ) : (
            <Plot drawing={drawing} height={height} hidden={hidden} {...(drawing.aside ? { width: "min(180px, 40%)" } : {})} />
          )}
          {drawing.aside}
        </Box>
        {note && <div className={styles.note}>{drawing.note}</div>}
      </>
    );
  };

  return (
    <Paper withBorder className={styles.figure} component="section" aria-label={title} data-figure={id}>
      <div className={styles.head}>
        <div className={styles.title}>
          {heading ?? (
            <Title order={level} fz="md" fw={600} lineClamp={2} title={title}>
              {title}
            </Title>
          )}
          {unit && (
            <Text span size="xs" c="dimmed" fw={400} className={styles.unit} title={unit}>
              {unit}
            </Text>
          )}
          {definition && <Definition of={title} text={definition} />}
        </div>
        {controls && <div className={styles.controls}>{controls}</div>}
        <ActionIcon.Group ml="auto">
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={asTable ? words.texts.asChart(title) : words.texts.asTable(title)}
            aria-pressed={asTable}
            onClick={() =>
              change(
                ({ tables }) => {
                  const others = idsOf(tables).filter((other) => other !== id);
                  return { tables: (asTable ? others : [...others, id]).join(",") };
                },
                { replace: true },
              )
            }
          >
            {asTable ? <IconChartBar size={16} /> : <IconTable size={16} />}
          </ActionIcon>
          <Menu
            position="bottom-end"
            target={
              <ActionIcon variant="subtle" color="gray" aria-label={words.texts.download(title)} disabled={!drawing || drawing.empty}>
                <IconDownload size={16} />
              </ActionIcon>
            }
            items={() => (
              <>
                <Menu.Item onClick={() => drawing && saveCsv(drawing, file("csv"))}>{words.texts.csv}</Menu.Item>
                <Menu.Item onClick={() => drawing && void savePng(drawing, title, about, palette, hidden, file("png"))}>
                  {words.texts.png}
                </Menu.Item>
              </>
            )}
          />
          {actions}
        </ActionIcon.Group>
        {caveat && <div className={styles.caveat}>{caveat}</div>}
      </div>
      <div className={styles.body} aria-busy={query.isFetching}>
        <div className={query.isPlaceholderData ? styles.stale : undefined}>{content()}</div>
        {Boolean(error) && drawing && (
          <Text size="xs" c="dimmed" pos="absolute" bottom={0} right={16}>
            {words.texts.old}{" "}
            <Button variant="transparent" size="compact-xs" onClick={() => void query.refetch()}>
              {texts.common.retry}
            </Button>
          </Text>
        )}
      </div>
    </Paper>
  );
}

/** The meaning of a number, behind a button. */
export function Definition({ of, text }: { of: string; text: string }) {
  const { texts } = useWords();
  return (
    <Popover width={320} position="bottom-start" shadow="md" withArrow trapFocus returnFocus>
      <Popover.Target>
        <ActionIcon variant="subtle" color="gray" size="sm" aria-label={texts.definition(of)}>
          <IconInfoCircle size={15} />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown>
        <Text size="sm" fw={400} style={{ whiteSpace: "pre-line" }}>
          {text}
        </Text>
      </Popover.Dropdown>
    </Popover>
  );
}

function Legend({
  names,
  rest,
  hidden,
  setHidden,
}: {
  names: readonly string[];
  rest: readonly string[];
  hidden: ReadonlySet<string>;
  setHidden(next: ReadonlySet<string>): void;
}) {
  const palette = usePalette();
  const { texts } = useWords();
  const toggle = (name: string) => {
    const next = new Set(hidden);
    if (!next.delete(name)) {
      next.add(name);
    }
    setHidden(next.size < names.length ? next : new Set());
  };
  return (
    <div className={styles.legend}>
      {names.map((name, index) => (
        <button
          key={name}
          type="button"
          className={`mantine-focus-auto ${styles.key}`}
          aria-pressed={!hidden.has(name)}
          onClick={() => toggle(name)}
          title={name}
        >
          <span
            className={styles.dot}
            style={{ background: name === texts.others || rest.includes(name) ? palette.rest : colorOf(palette, index) }}
          />
          <span className={styles.keyName}>{name}</span>
        </button>
      ))}
    </div>
  );
}

function ValueTable({ table, words, height, label }: { table: Values; words: Words; height: string; label: string }) {
  const { format } = words;
  const shares = table.columns.map(({ kind }, column) => {
    const values = kind === "percent" ? table.rows.map((row) => row[column]) : [];
    const texts = format.percents(values.filter((value) => typeof value === "number"));
    return values.map((value) => (typeof value === "number" ? texts.shift() : null));
  });
  const show = (value: Cell, row: number, column: number) => {
    if (typeof value !== "number") {
      return value ?? "–";
    }
    return table.columns[column]?.kind === "seconds" ? format.duration(value) : (shares[column]?.[row] ?? format.decimal(value));
  };
  return (
    <ScrollArea h={height} type="auto" scrollbarSize={6} viewportProps={{ tabIndex: 0, role: "group", "aria-label": label }}>
      <Table stickyHeader className={styles.table} verticalSpacing={6}>
        <Table.Thead>
          <Table.Tr>
            {table.columns.map((column, at) => (
              <Table.Th key={`${at} ${column.label}`} ta={column.kind ? "right" : "left"}>
                {column.label}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {table.rows.map((row, at) => (
            <Table.Tr key={`${at} ${row[0]}`}>
              {row.map((value, column) => (
                <Table.Td key={`${column} ${table.columns[column]?.label}`} ta={table.columns[column]?.kind ? "right" : "left"}>
                  {show(value, at, column)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollArea>
  );
}
