// Single numbers, each with its change since the previous period and a small curve. The first ones
// are about people: the number of devices, and how many of them have updated. The other tiles send
// their queries when they are scrolled into view.

import { SimpleGrid } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import type { Bucket, RequestSeries } from "svc-sdk";
import type { Asked } from "../../charts/figure";
import { Tile, type TileValues } from "../../charts/tile";
import { useWords } from "../../charts/words";
import { useProjectKey } from "../../core/project";
import type { Range } from "../../core/range";
import { useTexts } from "../../core/texts";
import { useUsage } from "../../resource/usage";
import { useApplied } from "./filter";
import { ofNone, useAdoption, useDevices, useFeedbackSeries, useLevels, useLogSeries, useRatings, useSeries } from "./queries";

const announcementEndpoints = ["ANNOUNCEMENT_LIST", "ANNOUNCEMENT_LATEST"];

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** Returns the number of requests in each period, of the given endpoints or of all. */
function countsOf({ data, series }: RequestSeries, endpoints?: readonly string[]): number[] {
  const chosen = endpoints && (series ?? []).filter(({ key }) => endpoints.includes(key));
  return data.map(({ count }, at) => (chosen ? sum(chosen.map((one) => one.data[at]?.count ?? 0)) : count));
}

/** Combines two query results into one, with the values of both and the error of either. */
function both<A, B>(one: UseQueryResult<A>, other: UseQueryResult<B>, values: (a: A, b: B) => TileValues): Asked<TileValues> {
  return {
    data: one.data !== undefined && other.data !== undefined ? values(one.data, other.data) : undefined,
    error: one.error ?? other.error,
    isFetching: one.isFetching || other.isFetching,
    isPlaceholderData: one.isPlaceholderData || other.isPlaceholderData,
    refetch: () => Promise.all([one.error && one.refetch(), other.error && other.refetch()]),
  };
}

/**
 * Returns a function that counts the requests to the given endpoints, or to all: in the range, and
 * in the previous period.
 */
function useCounted(range: Range) {
  const { format } = useWords();
  const series = useSeries(range, "endpoint");
  const before = useSeries(range, "endpoint", range.previous);
  return (endpoints?: readonly string[]) => ({
    query: both(series, before, (now, then) => {
      const count = sum(countsOf(now, endpoints));
      return { figure: format.number(count), now: count, before: sum(countsOf(then, endpoints)) };
    }),
    curve: series.data && countsOf(series.data, endpoints),
  });
}

/** Adds to the detail of a number that no filter of the page applies to it. */
function useUnfiltered(): (detail?: string) => string {
  const { filter } = useTexts().statistics;
  const { caveat } = useApplied(ofNone);
  return (detail) => [detail, caveat && filter.notApplied].filter(Boolean).join(" · ");
}

export function Tiles({ range }: { range: Range }) {
  const { statistics: texts } = useTexts();
  const { format } = useWords();
  const [project] = useProjectKey();
  const counted = useCounted(range);
  const devices = useDevices(range);
  const usage = useUsage(project);
  const adoption = useAdoption(range, ofNone);
  const unfiltered = useUnfiltered();
  const latest = usage.data?.latest;
  /** The number of the last day that is over, or of the day after it if the first events came then. */
  const devicesOf = (days: Bucket[]): TileValues => {
    const [over, last] = days.slice(-2) as [Bucket, Bucket];
    if (over.count > 0) {
      const day = range.name ? texts.yesterday : format.day(over.bucket, range.offset);
      return { figure: format.number(over.count), detail: unfiltered(day), now: null };
    }
    const day = range.name ? texts.today : format.day(last.bucket, range.offset);
    return last.count > 0
      ? { figure: format.number(last.count), detail: unfiltered(day), now: null }
      : { figure: texts.notKnown, detail: unfiltered(texts.needsEvents), now: null };
  };
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }} spacing="md">
      <Tile
        title={texts.devices}
        definition={texts.definitions.devices}
        query={{ ...devices, data: devices.data && devicesOf(devices.data) }}
        curve={devices.data?.map(({ count }) => count)}
      />
      <Tile
        title={texts.topVersion}
        definition={texts.definitions.topVersion}
        query={{
          ...usage,
          data: usage.data && {
            figure: latest ? format.percent(latest.share, 0) : texts.noVersion,
            detail: unfiltered(latest ? texts.onVersion(latest.version) : undefined),
            now: null,
          },
        }}
        curve={adoption.data?.series.find(({ version }) => version === latest?.version)?.data.map(({ count }) => count)}
      />
      <Tile title={texts.checks} definition={texts.definitions.checks} {...counted(["VERSION_CHECK_UPDATE"])} />
      <Tile title={texts.requests} definition={texts.definitions.requests} {...counted()} />
    </SimpleGrid>
  );
}

/** The tiles for announcements, errors and ratings. */
export function MoreTiles({ range }: { range: Range }) {
  const { statistics: texts } = useTexts();
  const { format } = useWords();
  const counted = useCounted(range);
  const unfiltered = useUnfiltered();
  const levels = useLevels(range);
  const levelsBefore = useLevels(range.previous);
  const ratings = useRatings(range);
  const ratingsBefore = useRatings(range.previous);
  const logs = useLogSeries(range);
  const feedback = useFeedbackSeries(range);
  const errorsOf = (data: { by_level: { level: number; count: number }[] }) => data.by_level.find(({ level }) => level === 3)?.count ?? 0;
  return (
    <SimpleGrid cols={{ base: 2, md: 3 }} spacing="md">
      <Tile
        title={texts.errors}
        definition={texts.definitions.errors}
        query={both(levels, levelsBefore, (now, then) => ({
          figure: format.number(errorsOf(now)),
          detail: unfiltered(),
          now: errorsOf(now),
          before: errorsOf(then),
        }))}
        curve={logs.data?.data.map((entry) => entry.levels["3"] ?? 0)}
        more="worse"
      />
      <Tile
        title={texts.rating}
        definition={texts.definitions.rating}
        query={both(ratings, ratingsBefore, (now, then) => ({
          figure: now.average_rating === null ? texts.noRating : format.decimal(now.average_rating),
          detail: unfiltered(texts.ratings(format.number(now.total - now.unrated))),
          now: now.average_rating,
          before: then.average_rating,
          difference: true,
        }))}
        curve={feedback.data?.data.map((entry) => (entry.rating_count ? entry.rating_sum / entry.rating_count : null))}
        more="better"
      />
      <Tile title={texts.announcements} definition={texts.definitions.announcements} {...counted(announcementEndpoints)} />
    </SimpleGrid>
  );
}
