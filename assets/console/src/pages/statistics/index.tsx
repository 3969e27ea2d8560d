// Requests of apps by kind, time, region and version.

import { SimpleGrid, Stack } from "@mantine/core";
import { RangeText } from "../../charts/rangetext";
import { SelectionProvider } from "../../charts/select";
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
import { Tiles } from "./tiles";

const operations = [
  "getRequestOverview",
  "getRequestSeries",
  "getVersionAdoption",
  "listClientVersions",
  "listPlatformVersions",
  "getRequestHeatmap",
  "getLogLevels",
  "getFeedbackRatings",
];

const names = ["24h", "7d", "30d", "90d", "1y"] as const;

export default function StatisticsPage() {
  const texts = useTexts();
  const state = useRange(names);
  const { range } = state;
  return (
    <Stack gap="md">
      <PageHead
        title={texts.frame.pages.statistics}
        about={<RangeText range={range} />}
        tools={<RangeBar state={state} names={names} />}
        operations={operations}
      />
      <SelectionProvider value={state.setBetween}>
        <Tiles range={range} />
        <Trend range={range} />
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
          <Platforms range={range} />
          <Origins range={range} />
        </SimpleGrid>
        <MapFigure range={range} />
        <Adoption range={range} />
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
          <ClientVersions range={range} />
          <SystemVersions range={range} />
          <Endpoints range={range} />
          <Stack gap="md">
            <Levels range={range} />
          </Stack>
        </SimpleGrid>
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
          <Ratings range={range} />
          <Week range={range} />
        </SimpleGrid>
        <CalendarFigure range={range} />
      </SelectionProvider>
    </Stack>
  );
}
