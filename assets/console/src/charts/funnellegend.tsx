// The legend of the two parts of a funnel's bars, and the result of the whole funnel.

import styles from "./charts.module.css";
import type { FunnelStepValues } from "./funnel";
import { colorOf, usePalette } from "./palette";
import type { Words } from "./words";

export function FunnelLegend({ steps, words: { texts, format } }: { steps: readonly FunnelStepValues[]; words: Words }) {
  const palette = usePalette();
  const last = steps.at(-1);
  return (
    <div className={styles.legendNote}>
      <span>
        <span className={styles.swatch} style={{ background: colorOf(palette, 0) }} />
        {texts.funnelReached}
      </span>
      <span>
        <span className={`${styles.swatch} ${styles.hatched}`} />
        {texts.funnelDropped}
      </span>
      <span>{texts.funnelStep}</span>
      <strong>
        {texts.funnelSummary(
          format.percent(last?.total ?? 0),
          format.number(steps[0]?.users ?? 0),
          last && last.totalMedian !== null ? format.span(last.totalMedian) : "",
        )}
      </strong>
    </div>
  );
}
