// A tile with a number, its name, its change since the previous period, and a small curve.

import { Button, Group, Paper, Skeleton, Text } from "@mantine/core";
import { useTexts } from "../core/texts";
import { changeOf, shareText } from "./change";
import styles from "./charts.module.css";
import { type Asked, Definition } from "./figure";
import { type Curve, Sparkline, thinned } from "./sparkline";
import { useWords } from "./words";

export interface TileValues {
  /** The formatted number. */
  figure: string;
  /** A second, smaller text below the number. */
  detail?: string;
  now: number | null;
  /** The number of the previous period; null or undefined if there is nothing to compare with. */
  before?: number | null;
  /** Whether to show the change as a difference instead of a percentage, for example for a mean. */
  difference?: boolean;
}

interface TileProps {
  title: string;
  definition: string;
  query: Asked<TileValues>;
  /** The values for the small curve, in chronological order. */
  curve?: Curve | undefined;
  /** Whether an increase is good or bad; undefined if it is neither. */
  more?: "better" | "worse";
}

export function Tile({ title, definition, query, curve, more }: TileProps) {
  const { common } = useTexts();
  const { texts, format } = useWords();
  const { data, error } = query;
  const change = data ? changeOf(data.now, data.before, data.difference) : null;
  const tone = more && change && "by" in change ? ((change.kind === "up") === (more === "better") ? "better" : "worse") : undefined;
  const changeText = () => {
    if (!change || change.kind === "none") {
      return "";
    }
    if (!("by" in change)) {
      return change.kind === "new" ? texts.isNew : texts.same;
    }
    const by = data?.difference ? format.decimal(change.by) : shareText(change.by, format);
    return change.kind === "up" ? texts.up(by) : texts.down(by);
  };
  return (
    <Paper withBorder className={styles.tile} component="section" aria-label={title}>
      <Group gap={2} wrap="nowrap" mih={22}>
        <Text fz={13} c="dimmed">
          {title}
        </Text>
        <Definition of={title} text={definition} />
      </Group>
      {error && !data ? (
        <Group gap={8} role="alert" h={34}>
          <Text size="sm">{texts.failed}</Text>
          <Button size="compact-xs" variant="default" onClick={() => void query.refetch()}>
            {common.retry}
          </Button>
        </Group>
      ) : (
        <div className={query.isPlaceholderData ? styles.stale : undefined}>
          <div className={styles.tileFigure} title={data?.figure}>
            {data ? data.figure : <Skeleton h={24} my={5} w={88} />}
          </div>
        </div>
      )}
      <div className={query.isPlaceholderData ? `${styles.tileRow} ${styles.stale}` : styles.tileRow}>
        <Text span size="xs" fw={500} className={styles.change} data-tone={tone} title={texts.comparedWith}>
          {changeText()}
        </Text>
        <Text span size="xs" c="dimmed">
          {data?.detail}
        </Text>
      </div>
      <Sparkline values={thinned(curve ?? [], 28)} />
    </Paper>
  );
}
