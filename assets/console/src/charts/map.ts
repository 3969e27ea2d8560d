// Counts by country on a world map, or by province on a map of China.

import type { Drawing, Option, Shapes } from "./drawing";
import { base, tooltip } from "./parts";
import type { Words } from "./words";

export interface Place {
  /** Two-letter code of a country, or six-digit code of a province. */
  code: string;
  name: string;
  count: number;
  /** Whether the map contains the country or province. */
  shown: boolean;
}

/**
 * Names under which the maps are registered. The map of China must not be named china, because
 * ECharts adds shapes of its own to that one.
 */
export const mapNames: Record<Shapes, string> = { world: "countries", china: "provinces" };

/** Aspect ratio of the maps. */
const aspects: Record<Shapes, number> = { world: 2.2, china: 1.3 };

/** The map of some places; `select` filters the page by the pressed one. */
export function map(
  shapes: Shapes,
  places: readonly Place[],
  measure: string,
  { texts, format }: Words,
  select?: (code: string) => void,
): Drawing {
  const byCode = new Map(places.map((place) => [place.code, place]));
  const sum = (list: readonly Place[]) => list.reduce((all, place) => all + place.count, 0);
  const shown = places.filter((place) => place.shown);
  const elsewhere = places.filter((place) => !place.shown);
  const most = Math.max(0, ...shown.map((place) => place.count));
  return {
    label: texts.mapLabel(
      measure,
      shown
        .slice(0, 5)
        .map((place) => `${place.name}: ${format.number(place.count)}`)
        .join(", "),
    ),
    empty: sum(places) === 0,
    shapes,
    ...(select && { press: (code: string) => byCode.get(code)?.shown && select(code) }),
    table: {
      columns: [{ label: shapes === "world" ? texts.country : texts.province }, { label: measure, kind: "number" }],
      rows: places.map((place) => [place.name, place.count]),
    },
    note:
      sum(elsewhere) > 0
        ? texts.notOnMap(
            format.list(elsewhere.slice(0, 4).map((place) => `${place.name} ${format.number(place.count)}`)),
            elsewhere.length > 4,
          )
        : undefined,
    option: (look): Option => ({
      ...base(look),
      tooltip: {
        ...tooltip(look),
        formatter: ({ name }: { name: string }) => {
          const place = byCode.get(name);
          const known =
            place?.name ??
            (shapes === "world"
              ? name.startsWith("#")
                ? ""
                : format.country(name)
              : (texts.provinces[name as keyof typeof texts.provinces] ?? name));
          return `${known || texts.noName}\n${format.number(place?.count ?? 0)} ${measure}`;
        },
      },
      visualMap: {
        type: "continuous",
        min: 0,
        max: Math.sqrt(most) || 1,
        show: false,
        inRange: { color: look.palette.ramp.slice(1) },
      },
      series: [
        {
          type: "map",
          map: mapNames[shapes],
          nameProperty: "name",
          selectedMode: false,
          cursor: select ? "pointer" : "default",
          aspectScale: shapes === "world" ? 0.85 : 0.78,
          layoutCenter: ["50%", "50%"],
          layoutSize: Math.min(look.width, look.height * aspects[shapes]) - 8,
          label: { show: false },
          itemStyle: { areaColor: look.palette.land, borderColor: look.palette.surface, borderWidth: 0.6 },
          emphasis: { label: { show: false }, itemStyle: { areaColor: undefined, borderColor: look.palette.text, borderWidth: 1 } },
          data: shown.map((place) => ({ name: place.code, value: Math.sqrt(place.count) })),
        },
      ],
    }),
  };
}
