// The share of a release at an age.

import type { ReleaseReport } from "svc-sdk";

type Adopted = Pick<ReleaseReport, "adoption">;

/** The share in the period that is `age` seconds after the release; the last known one for a later age. */
export function shareAt({ adoption }: Adopted, age: number): number {
  const start = adoption[0]?.time ?? 0;
  return adoption.filter(({ time }) => time - start <= age).at(-1)?.share ?? 0;
}

/** The share in the newest period with update checks of the version, which may not be over. */
export function shareNow({ adoption }: Adopted): number {
  return adoption.filter(({ checks }) => checks > 0).at(-1)?.share ?? 0;
}
