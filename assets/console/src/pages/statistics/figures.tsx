// The figures of the page. Each one requests its data and draws it.

import { SegmentedControl, Switch } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import type { ReactNode } from "react";
import { calendar } from "../../charts/calendar";
import { Figure } from "../../charts/figure";
import { map } from "../../charts/map";
import { countries, platformName, provinces, regionName } from "../../charts/names";
import { useRangeText } from "../../charts/rangetext";
import { bars, doughnut, type ShareValues } from "../../charts/shares";
import { type TrendSeries, trend } from "../../charts/trend";
import { week } from "../../charts/week";
import type { Words } from "../../charts/words";
import { choiceParam, switchParam, useParams } from "../../core/address";
import { inDays, type Range } from "../../core/range";
import { useTexts } from "../../core/texts";
import { phone } from "../../resource/rows";
import { type Dimension, dimensions, useApplied, useSelect } from "./filter";
import {
  ofNone,
  ofVersions,
  useAdoption,
  useCalendar,
  useClientVersions,
  useLevels,
  useOverview,
  useRatings,
  useSeries,
  useSystemVersions,
  useWeek,
} from "./queries";

type Props = { range: Range };

const params = {
  split: choiceParam(["total", "endpoint", "platform"]),
  compare: switchParam,
  platforms: choiceParam(["doughnut", "bars"]),
  origins: choiceParam(["bars", "doughnut"]),
  endpoints: choiceParam(["bars", "doughnut"]),
  clients: choiceParam(["bars", "doughnut"]),
  systems: choiceParam(["bars", "doughnut"]),
  map: choiceParam(["world", "china"]),
  adoption: choiceParam(["count", "share"]),
};

function Choice<T extends string>({
  label,
  value,
  choices,
  onChange,
}: {
  label: string;
  value: T;
  choices: Record<T, string>;
  onChange(value: T): void;
}) {
  return (
    <SegmentedControl
      size="xs"
      aria-label={label}
      value={value}
      onChange={(next) => onChange(next as T)}
      data={Object.entries(choices).map(([key, name]) => ({ value: key, label: name as string }))}
    />
  );
}

function useForm(
  name: "platforms" | "origins" | "endpoints" | "clients" | "systems",
): [form: "bars" | "doughnut", control: ReactNode, draw: (values: ShareValues, words: Words) => ReturnType<typeof bars>] {
  const { statistics: texts } = useTexts();
  const [values, change] = useParams(params);
  const form = values[name];
  return [
    form,
    <Choice key={name} label={texts.as} value={form} choices={texts.forms} onChange={(next) => change({ [name]: next })} />,
    form === "bars" ? bars : doughnut,
  ];
}

/** What a figure is about: the range and the filters that apply to it, and those that cannot. */
function useAbout(range: Range, applied: readonly Dimension[] = dimensions) {
  const { names, caveat } = useApplied(applied);
  return { about: [useRangeText(range), ...names].join(", "), caveat };
}

export function Trend({ range }: Props) {
  const { statistics: texts } = useTexts();
  const about = useAbout(range);
  const [{ split, compare }, change] = useParams(params);
  const now = useSeries(range, split === "total" ? "endpoint" : split);
  const before = useSeries(range, "endpoint", range.previous);
  const comparing = compare && split === "total";
  return (
    <Figure
      id="trend"
      title={texts.trend}
      definition={texts.definitions.trend}
      {...about}
      query={now}
      height={280}
      legend={split !== "total" || comparing}
      deps={[split, comparing && before.data, range]}
      controls={
        <>
          <Switch
            size="xs"
            label={texts.compare}
            checked={comparing}
            disabled={split !== "total"}
            onChange={(event) => change({ compare: event.currentTarget.checked })}
          />
          <Choice label={texts.split} value={split} choices={texts.splits} onChange={(next) => change({ split: next })} />
        </>
      }
      draw={(data, words) => {
        const parts: TrendSeries[] = (data.series ?? []).map(({ key, data: points }) => ({
          name: split === "platform" ? platformName(key, words) : (texts.endpointNames[key] ?? key),
          values: points.map(({ count }) => count),
        }));
        const total = { name: comparing ? texts.now : texts.requests, values: data.data.map(({ count }) => count) };
        const past = { name: texts.before, rest: true, values: data.data.map((_, at) => before.data?.data[at]?.count ?? 0) };
        return trend(
          {
            buckets: data.data.map(({ bucket }) => bucket),
            granularity: range.granularity,
            offset: range.offset,
            now: range.end,
            series: split === "total" ? (comparing && before.data ? [total, past] : [total]) : parts,
            stacked: split !== "total",
            measure: texts.requests,
          },
          words,
        );
      }}
    />
  );
}

export function Platforms({ range }: Props) {
  const { statistics: texts } = useTexts();
  const about = useAbout(range);
  const [form, control, draw] = useForm("platforms");
  const select = useSelect("platform");
  return (
    <Figure
      id="platforms"
      title={texts.platforms}
      definition={texts.definitions.platforms}
      {...about}
      query={useOverview(range)}
      height={264}
      controls={control}
      deps={[form, select]}
      draw={({ by_platform, total }, words) =>
        draw(
          {
            parts: by_platform.map(({ platform, count }) => ({ name: platformName(platform, words), count, ...select(platform) })),
            total,
            kind: texts.platform,
            measure: texts.requests,
          },
          words,
        )
      }
    />
  );
}

export function Origins({ range }: Props) {
  const { statistics: texts } = useTexts();
  const about = useAbout(range);
  const [form, control, draw] = useForm("origins");
  const select = useSelect("region");
  return (
    <Figure
      id="origins"
      title={texts.origins}
      definition={texts.definitions.origins}
      {...about}
      query={useOverview(range)}
      height={264}
      controls={control}
      deps={[form, select]}
      draw={({ by_region, total }, words) =>
        draw(
          {
            parts: by_region.map(({ region, count }) => ({
              name: regionName(region, words),
              count,
              missing: region in words.texts.regions,
              ...select(region),
            })),
            total,
            kind: texts.origin,
            measure: texts.requests,
          },
          words,
        )
      }
    />
  );
}

export function MapFigure({ range }: Props) {
  const { statistics: texts } = useTexts();
  const about = useAbout(range);
  const [{ map: shapes }, change] = useParams(params);
  const select = useSelect("region");
  const narrow = useMediaQuery(phone, false, { getInitialValueInEffect: false });
  return (
    <Figure
      key={shapes}
      id="map"
      title={texts.map}
      definition={texts.definitions.map}
      {...about}
      query={useOverview(range)}
      height={narrow ? 240 : 380}
      note
      controls={<Choice label={texts.as} value={shapes} choices={texts.maps} onChange={(next) => change({ map: next })} />}
      deps={[shapes, select]}
      draw={({ by_region, by_province }, words) =>
        shapes === "world"
          ? map(shapes, countries(by_region, words), texts.requests, words, (code) => select(code).select())
          : map(shapes, provinces(by_province, words), texts.requests, words)
      }
    />
  );
}

export function Adoption({ range: asked }: Props) {
  const { statistics: texts } = useTexts();
  const range = inDays(asked);
  const about = useAbout(range, ofVersions);
  const [{ adoption: form }, change] = useParams(params);
  const versions = useAdoption(range);
  const all = useSeries(range, "endpoint", range, ofVersions, form === "share");
  const checks = all.data?.series?.find(({ key }) => key === "VERSION_CHECK_UPDATE")?.data;
  return (
    <Figure
      id="adoption"
      title={texts.adoption}
      definition={texts.definitions.adoption}
      {...about}
      query={versions}
      height={280}
      legend
      controls={<Choice label={texts.as} value={form} choices={texts.adoptionAs} onChange={(next) => change({ adoption: next })} />}
      deps={[form, checks, range]}
      draw={({ series }, words) =>
        trend(
          {
            buckets: series[0]?.data.map(({ bucket }) => bucket) ?? [],
            granularity: range.granularity,
            offset: range.offset,
            now: range.end,
            series: series.map(({ version, data }) => ({
              name: version,
              values: data.map(({ count }, at) => (form === "count" ? count : checks?.[at]?.count ? count / checks[at].count : 0)),
            })),
            measure: texts.checks,
            percent: form === "share",
          },
          words,
        )
      }
    />
  );
}

export function ClientVersions({ range }: Props) {
  const { statistics: texts } = useTexts();
  const about = useAbout(range, ofVersions);
  const [form, control, draw] = useForm("clients");
  return (
    <Figure
      id="client-versions"
      title={texts.clientVersions}
      definition={texts.definitions.clientVersions}
      {...about}
      query={useClientVersions(range, 12)}
      controls={control}
      deps={[form]}
      draw={({ data, total }, words) =>
        draw(
          {
            parts: data.map(({ version, count }) => ({ name: version, count })),
            total,
            kind: texts.clientVersion,
            measure: texts.checks,
            rest: words.texts.others,
          },
          words,
        )
      }
    />
  );
}

export function SystemVersions({ range }: Props) {
  const { statistics: texts } = useTexts();
  const about = useAbout(range, ofVersions);
  const [form, control, draw] = useForm("systems");
  return (
    <Figure
      id="system-versions"
      title={texts.systemVersions}
      definition={texts.definitions.systemVersions}
      {...about}
      query={useSystemVersions(range)}
      controls={control}
      deps={[form]}
      draw={({ data, total }, words) =>
        draw(
          {
            parts: data.map(({ platform, platform_version: version, count }) => {
              const name = platformName(platform, words);
              return version ? { name: `${name} ${version}`, count } : { name: texts.noSystemVersion(name), count, missing: true };
            }),
            total,
            kind: texts.systemVersion,
            measure: texts.requests,
            rest: words.texts.others,
          },
          words,
        )
      }
    />
  );
}

export function Endpoints({ range }: Props) {
  const { statistics: texts } = useTexts();
  const about = useAbout(range);
  const [form, control, draw] = useForm("endpoints");
  const select = useSelect("endpoint");
  return (
    <Figure
      id="endpoints"
      title={texts.endpoints}
      definition={texts.definitions.endpoints}
      {...about}
      query={useOverview(range)}
      controls={control}
      deps={[form, select]}
      draw={({ by_endpoint, total }, words) =>
        draw(
          {
            parts: by_endpoint.map(({ endpoint, count }) => ({
              name: texts.endpointNames[endpoint] ?? endpoint,
              count,
              ...select(endpoint),
            })),
            total,
            kind: texts.endpoint,
            measure: texts.requests,
          },
          words,
        )
      }
    />
  );
}

export function Levels({ range }: Props) {
  const { statistics: texts } = useTexts();
  const about = useAbout(range, ofNone);
  return (
    <Figure
      id="levels"
      title={texts.levels}
      definition={texts.definitions.levels}
      {...about}
      query={useLevels(range)}
      height={190}
      draw={({ by_level, total }, words) => ({
        ...bars(
          {
            parts: by_level.map(({ level, count }) => ({ name: texts.levelNames[level] ?? String(level), count })),
            total,
            kind: texts.level,
            measure: texts.logs,
          },
          words,
        ),
        // Draw the four levels even if all of them are 0.
        empty: false,
      })}
    />
  );
}

export function Ratings({ range }: Props) {
  const { statistics: texts } = useTexts();
  const about = useAbout(range, ofNone);
  return (
    <Figure
      id="ratings"
      title={texts.histogram}
      definition={texts.definitions.histogram}
      {...about}
      query={useRatings(range)}
      height={166}
      note
      draw={({ by_rating, total, unrated }, words) => ({
        ...bars(
          {
            parts: [...by_rating].reverse().map(({ rating, count }) => ({ name: texts.stars(rating), count })),
            total: total - unrated,
            kind: texts.ratingKind,
            measure: texts.feedback,
          },
          words,
        ),
        empty: false,
        note: texts.unrated(words.format.number(unrated)),
      })}
    />
  );
}

export function Week({ range }: Props) {
  const { statistics: texts } = useTexts();
  const about = useAbout(range);
  return (
    <Figure
      id="week"
      title={texts.week}
      definition={texts.definitions.week}
      {...about}
      query={useWeek(range)}
      draw={({ data }, words) => week(data, texts.requests, words)}
    />
  );
}

export function CalendarFigure({ range }: Props) {
  const { statistics: texts } = useTexts();
  const query = useCalendar(range);
  const { offset } = range;
  return (
    <Figure
      id="calendar"
      title={texts.calendar}
      definition={texts.definitions.calendar}
      query={query}
      height={170}
      deps={[offset]}
      draw={({ data }, words) =>
        calendar(
          data.map(({ bucket, count }) => ({ start: bucket, count })),
          offset,
          texts.requests,
          words,
        )
      }
    />
  );
}
