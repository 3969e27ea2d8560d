// Removes charts.

import type { Chart } from "./engine";

/**
 * Removes a chart. If painting takes too long, the library continues in the next frame, and would
 * fail there because the chart no longer exists. Painting the empty chart first ends that.
 */
export function close(chart: Chart): void {
  const painting = chart.getZr();
  painting.clear();
  painting.refreshImmediately(true);
  chart.dispose();
}
