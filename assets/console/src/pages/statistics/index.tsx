// Requests of apps by kind, time, region and version.

import { SimpleGrid, Stack } from "@mantine/core";
import { RangeText } from "../../charts/rangetext";
import { WhenSeen } from "../../charts/seen";
import { SelectionProvider } from "../../charts/select";
import { useProjectKey } from "../../core/project";
import { useTexts } from "../../core/texts";
import { useRange } from "../../core/userange";
import { PageHead } from "../../resource/head";
import { RangeBar } from "../../resource/rangebar";
import {
  Adoption,
  CalendarFigure,
  ClientVersions,
  Endpoints,
  Levels,
  MapFigure,
  Origins,
  Platforms,
  Ratings,
  SystemVersions,
  Trend,
  Week,
} from "./figures";
import { FilterBar, useFilter } from "./filter";
import { useSeries } from "./queries";
import { FirstCheck } from "./start";
import styles from "./statistics.module.css";
import { MoreTiles, Tiles } from "./tiles";

const operations = [
  "getVersionUsage",
  "getRequestOverview",
  "getRequestSeries",
  "getVersionAdoption",
  "listClientVersions",
  "listPlatformVersions",
  "getRequestHeatmap",
  "getLogLevels",
  "getFeedbackRatings",
  "getLogSeries",
  "getFeedbackSeries",
  "getEventOverview",
];

const names = ["24h", "7d", "30d", "90d", "1y"] as const;

export default function StatisticsPage() {
  const texts = useTexts();
  const state = useRange(names);
  const { range } = state;
  const [project] = useProjectKey();
  const now = useSeries(range, "endpoint");
  const before = useSeries(range, "endpoint", range.previous);
  const filtered = Object.keys(useFilter()).length > 0;
  const known = filtered || !(now.isPending || before.isPending);
  const empty = !filtered && [now, before].every(({ data }) => data?.data.every(({ count }) => count === 0));
  return (
    <Stack gap="md">
      <PageHead
        title={texts.frame.pages.statistics}
        about={<RangeText range={range} />}
        tools={<RangeBar state={state} names={names} />}
        operations={operations}
      />
      <SelectionProvider value={state.setBetween}>
        {empty ? (
          <FirstCheck project={project} />
        ) : (
          <>
            <FilterBar />
            <Tiles range={range} />
            <Adoption range={range} />
            <Trend range={range} />
          </>
        )}
        {/* The answer decides what is above, and therefore where this is. It is invisible until then, and drawn anew when that changes. */}
        <Stack key={`${known} ${empty}`} gap="md" className={known ? undefined : styles["unplaced"]}>
          <WhenSeen height={{ phone: 376, wide: 158 }}>
            <MoreTiles range={range} />
          </WhenSeen>
          <WhenSeen height={{ phone: 536, wide: 244 }}>
            <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
              <Levels range={range} />
              <Ratings range={range} />
            </SimpleGrid>
          </WhenSeen>
          {!empty && (
            <>
              <WhenSeen height={{ phone: 1202, wide: 798 }}>
                <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
                  <Platforms range={range} />
                  <Origins range={range} />
                </SimpleGrid>
                <MapFigure range={range} />
              </WhenSeen>
              <WhenSeen height={{ phone: 788, wide: 317 }}>
                <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
                  <ClientVersions range={range} />
                  <SystemVersions range={range} />
                </SimpleGrid>
              </WhenSeen>
              <WhenSeen height={{ phone: 732, wide: 317 }}>
                <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
                  <Endpoints range={range} />
                  <Week range={range} />
                </SimpleGrid>
              </WhenSeen>
              <WhenSeen height={{ phone: 240, wide: 224 }}>
                <CalendarFigure range={range} />
              </WhenSeen>
            </>
          )}
        </Stack>
      </SelectionProvider>
    </Stack>
  );
}
