// The adoption of a release: its share of update checks at a given age.

import type { ReleaseReport } from "svc-sdk";

type Adopted = Pick<ReleaseReport, "adoption">;

/**
 * Returns the share in the period that was `age` seconds after the release. If there is no such
 * period yet, it returns the last known share.
 */
export function shareAt({ adoption }: Adopted, age: number): number {
  const start = adoption[0]?.time ?? 0;
  return adoption.filter(({ time }) => time - start <= age).at(-1)?.share ?? 0;
}
