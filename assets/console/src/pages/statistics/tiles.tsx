// Six numbers, each with its change since the previous period and a small curve.

import { SimpleGrid } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import type { EndpointCount } from "svc-sdk";
import type { Asked } from "../../charts/figure";
import { Tile, type TileValues } from "../../charts/tile";
import { useWords } from "../../charts/words";
import type { Range } from "../../core/range";
import { useTexts } from "../../core/texts";
import { useAdoption, useClientVersions, useErrorCurve, useLevels, useOverview, useRatingCurve, useRatings, useSeries } from "./queries";

const announcementEndpoints = ["ANNOUNCEMENT_LIST", "ANNOUNCEMENT_LATEST"];

function countOf(list: readonly EndpointCount[], endpoints: readonly string[]): number {
  return list.reduce((sum, { endpoint, count }) => (endpoints.includes(endpoint) ? sum + count : sum), 0);
}

/** Combines two responses: their values, and any error. */
function both<A, B>(one: UseQueryResult<A>, other: UseQueryResult<B>, values: (a: A, b: B) => TileValues): Asked<TileValues> {
  return {
    data: one.data !== undefined && other.data !== undefined ? values(one.data, other.data) : undefined,
    error: one.error ?? other.error,
    isFetching: one.isFetching || other.isFetching,
    isPlaceholderData: one.isPlaceholderData || other.isPlaceholderData,
    refetch: () => Promise.all([one.error && one.refetch(), other.error && other.refetch()]),
  };
}

export function Tiles({ range }: { range: Range }) {
  const { statistics: texts } = useTexts();
  const { format } = useWords();
  const overview = useOverview(range);
  const before = useOverview(range.previous);
  const series = useSeries(range, "endpoint");
  const adoption = useAdoption(range);
  const versions = useClientVersions(range, 12);
  const versionsBefore = useClientVersions(range.previous, 100);
  const levels = useLevels(range);
  const levelsBefore = useLevels(range.previous);
  const ratings = useRatings(range);
  const ratingsBefore = useRatings(range.previous);
  const errorCurve = useErrorCurve(range);
  const ratingCurve = useRatingCurve(range);

  const buckets = series.data?.data ?? [];
  const curveOf = (endpoints: readonly string[]) => {
    const chosen = (series.data?.series ?? []).filter(({ key }) => endpoints.includes(key));
    return buckets.map((_, at) => chosen.reduce((sum, one) => sum + (one.data[at]?.count ?? 0), 0));
  };
  const errorsOf = (data: { by_level: { level: number; count: number }[] }) => data.by_level.find(({ level }) => level === 3)?.count ?? 0;
  const counted = (endpoints: readonly string[]) =>
    both(overview, before, (now, then) => {
      const count = countOf(now.by_endpoint, endpoints);
      return { figure: format.number(count), now: count, before: countOf(then.by_endpoint, endpoints) };
    });

  return (
    <SimpleGrid cols={{ base: 2, md: 3, lg: 6 }} spacing="md">
      <Tile
        title={texts.requests}
        definition={texts.definitions.requests}
        query={both(overview, before, (now, then) => ({ figure: format.number(now.total), now: now.total, before: then.total }))}
        curve={buckets.map(({ count }) => count)}
      />
      <Tile
        title={texts.checks}
        definition={texts.definitions.checks}
        query={counted(["VERSION_CHECK_UPDATE"])}
        curve={curveOf(["VERSION_CHECK_UPDATE"])}
      />
      <Tile
        title={texts.announcements}
        definition={texts.definitions.announcements}
        query={counted(announcementEndpoints)}
        curve={curveOf(announcementEndpoints)}
      />
      <Tile
        title={texts.topVersion}
        definition={texts.definitions.topVersion}
        query={both(versions, versionsBefore, (now, then) => {
          const top = now.data[0];
          return {
            figure: top?.version ?? texts.noVersion,
            ...(top && { detail: texts.shareOfChecks(format.percent(top.count / now.total, 0)) }),
            now: top?.count ?? null,
            before: top && (then.data.find(({ version }) => version === top.version)?.count ?? 0),
          };
        })}
        curve={adoption.data?.series[0]?.data.map(({ count }) => count)}
      />
      <Tile
        title={texts.errors}
        definition={texts.definitions.errors}
        query={both(levels, levelsBefore, (now, then) => ({
          figure: format.number(errorsOf(now)),
          now: errorsOf(now),
          before: errorsOf(then),
        }))}
        curve={errorCurve.data}
        more="worse"
      />
      <Tile
        title={texts.rating}
        definition={texts.definitions.rating}
        query={both(ratings, ratingsBefore, (now, then) => ({
          figure: now.average_rating === null ? texts.noRating : format.decimal(now.average_rating),
          detail: texts.ratings(format.number(now.total - now.unrated)),
          now: now.average_rating,
          before: then.average_rating,
          difference: true,
        }))}
        curve={ratings.data?.average_rating === null ? [] : ratingCurve.data}
        more="better"
      />
    </SimpleGrid>
  );
}
