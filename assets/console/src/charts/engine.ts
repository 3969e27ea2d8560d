// The ECharts charts in use, in a separate bundle that is loaded with the first chart. Everything
// is drawn on a canvas, because the other renderer sets style attributes, which the
// Content-Security-Policy forbids.

import { BarChart, HeatmapChart, LineChart, MapChart, PieChart, SankeyChart } from "echarts/charts";
import { CalendarComponent, GeoComponent, GridComponent, TooltipComponent, VisualMapComponent } from "echarts/components";
import { type EChartsType, init, registerMap, use } from "echarts/core";
import { LabelLayout } from "echarts/features";
import { CanvasRenderer } from "echarts/renderers";
import type { Geometry, Position } from "geojson";
import type { GeometryCollection, Topology } from "topojson-specification";
import type { Shapes } from "./drawing";
import { mapNames } from "./map";

use([
  BarChart,
  HeatmapChart,
  LineChart,
  MapChart,
  PieChart,
  SankeyChart,
  CalendarComponent,
  GeoComponent,
  GridComponent,
  TooltipComponent,
  VisualMapComponent,
  CanvasRenderer,
  LabelLayout,
]);

export type Chart = EChartsType;

/** Creates a chart of the given size in pixels inside an element. */
export function open(element: HTMLElement, width: number, height: number): Chart {
  const host = document.createElement("div");
  element.replaceChildren(host);
  return init(host, null, { renderer: "canvas", width, height });
}

const known = new Map<Shapes, Promise<void>>();

/** Loads the shapes of a map. */
export function load(shapes: Shapes): Promise<void> {
  let loading = known.get(shapes);
  if (!loading) {
    loading = shapes === "world" ? loadWorld() : loadChina();
    known.set(shapes, loading);
    loading.catch(() => known.delete(shapes));
  }
  return loading;
}

async function register(name: Shapes, topology: unknown, object: string, nameOf: (id: string) => string | undefined): Promise<void> {
  const { feature } = await import("topojson-client");
  const shapes = topology as Topology<Record<string, GeometryCollection>>;
  const { features } = feature(shapes, shapes.objects[object]!);
  registerMap(mapNames[name], {
    type: "FeatureCollection",
    features: features.flatMap((shape) => {
      const key = nameOf(String(shape.id));
      return key === undefined ? [] : [{ ...shape, geometry: unwrapped(shape.geometry), properties: { name: key } }];
    }),
  } as never);
}

/**
 * Returns a shape in one piece. Without this, a shape that crosses the 180th meridian would stretch
 * across the whole map.
 */
function unwrapped(geometry: Geometry): Geometry {
  const ring = (points: Position[]) => {
    const crosses = points.some(([x], at) => at > 0 && Math.abs(x! - points[at - 1]![0]!) > 180);
    return crosses ? points.map(([x, y]): Position => [x! < 0 ? x! + 360 : x!, y!]) : points;
  };
  if (geometry.type === "Polygon") {
    return { ...geometry, coordinates: geometry.coordinates.map(ring) };
  }
  return geometry.type === "MultiPolygon"
    ? { ...geometry, coordinates: geometry.coordinates.map((polygon) => polygon.map(ring)) }
    : geometry;
}

async function loadWorld(): Promise<void> {
  const [world, { countryOf }] = await Promise.all([import("world-atlas/countries-110m.json"), import("./countries")]);
  // Antarctica has no visitors and takes a fifth of the picture.
  await register("world", world.default, "countries", (id) => (id === "010" ? undefined : (countryOf(id) ?? `#${id}`)));
}

async function loadChina(): Promise<void> {
  const china = await import("./china.json");
  await register("china", china.default, "provinces", (id) => id);
}
