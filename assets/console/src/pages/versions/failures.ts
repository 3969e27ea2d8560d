// The share of failing users over time.

import type { HealthBucket, RolloutHealthRule } from "svc-sdk";

/** The number of points from which several buckets are drawn as one point. */
const many = 72;

const hour = 3600;

/** Returns the start of the last bucket with users of the version. */
const lastOf = (series: readonly HealthBucket[]) => Math.max(0, ...series.filter(({ exposure }) => exposure > 0).map(({ t }) => t));

/** Returns the users of the baseline, and those of them who have failed, until the last bucket with users of the version. */
export function baselineOf({
  series,
  baseline_exposure: users,
  baseline_failures: failed,
}: RolloutHealthRule): [users: number, failed: number] {
  const last = lastOf(series);
  const later = series.filter(({ t }) => t > last);
  return [
    later.reduce((sum, bucket) => sum - bucket.baseline_exposure, users),
    later.reduce((sum, bucket) => sum - bucket.baseline_failures, failed),
  ];
}

/**
 * Returns the shares of the users who have failed, of the version and of its baseline, counted from
 * the first bucket until the end of each period. Periods without users repeat the share before them.
 * The last period is the last one with users of the version, because none are counted after the end of
 * its rollout.
 */
export function failures(all: readonly HealthBucket[], width: number) {
  const last = lastOf(all);
  const series = all.filter(({ t }) => t <= last);
  const times: number[] = [];
  const shares: number[] = [];
  const others: number[] = [];
  const first = series[0]?.t ?? 0;
  const step = (last - first) / width > many ? Math.max(width, hour) : width;
  let [users, failed, baseline, fewer, at] = [0, 0, 0, 0, 0];
  for (let time = first - (first % step); series.length > 0 && time <= last; time += step) {
    for (let bucket = series[at]; bucket && bucket.t < time + step; bucket = series[++at]) {
      users += bucket.exposure;
      failed += bucket.failures;
      baseline += bucket.baseline_exposure;
      fewer += bucket.baseline_failures;
    }
    times.push(time);
    shares.push(users ? failed / users : 0);
    others.push(baseline ? fewer / baseline : 0);
  }
  return { times, shares, others };
}
