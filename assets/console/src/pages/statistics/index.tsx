// Requests of apps by kind, time, region and version.

import { Box, Group, SimpleGrid, Stack, Title } from "@mantine/core";
import { RangeBar, RangeText } from "../../charts/rangebar";
import { useTexts } from "../../core/texts";
import { useRange } from "../../core/userange";
import { ApiHelpButton } from "../../resource/page";
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
  const { range, setRange, refresh } = useRange(names);
  return (
    <Stack gap="md">
      <Group justify="space-between" gap="xs">
        <Box>
          <Title order={1} size="h2" tabIndex={-1}>
            {texts.frame.pages.statistics}
          </Title>
          <RangeText range={range} />
        </Box>
        <Group gap="xs">
          <ApiHelpButton operations={operations} />
          <RangeBar range={range} setRange={setRange} refresh={refresh} names={names} />
        </Group>
      </Group>
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
    </Stack>
  );
}
