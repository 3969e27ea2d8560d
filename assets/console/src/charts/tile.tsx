// One figure: what it is, how it compares with the time before, and a small curve.

import { Button, Group, Paper, Skeleton, Text } from "@mantine/core";
import { useTexts } from "../core/texts";
import { changeOf, shareText } from "./change";
import styles from "./charts.module.css";
import { type Asked, Definition } from "./figure";
import { type Curve, Sparkline, thinned } from "./sparkline";
import { useWords } from "./words";

export interface TileValues {
  /** As people read it. */
  figure: string;
  /** Below the figure. */
  detail?: string;
  now: number | null;
  /** The same of the time before; null or absent when there is nothing to compare with. */
  before?: number | null;
  /** Compare by difference, such as for a mean, and not by share. */
  difference?: boolean;
}

interface TileProps {
  title: string;
  definition: string;
  query: Asked<TileValues>;
  /** In the order of time. */
  curve?: Curve | undefined;
  /** Whether more is better, worse or neither. */
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
      <Group gap={2} wrap="nowrap" h={22}>
        <Text fz={13} c="dimmed" truncate title={title}>
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
        <Text span size="xs" c="dimmed" truncate title={data?.detail}>
          {data?.detail}
        </Text>
      </div>
      <Sparkline values={thinned(curve ?? [], 28)} />
    </Paper>
  );
}
