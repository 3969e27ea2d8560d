// The result of drawing a chart: the picture, a description for screen readers, and the same values
// as a table.

import type { EChartsCoreOption } from "echarts/core";
import type { ReactNode } from "react";
import type { Palette } from "./palette";
import type { Periods } from "./select";
import type { Table } from "./table";

export type Option = EChartsCoreOption;

/** The shapes of a map. */
export type Shapes = "world" | "china";

/** Parameters of a drawing. */
export interface Look {
  palette: Palette;
  /** Names of the hidden series. */
  hidden: ReadonlySet<string>;
  /** Size of the picture in pixels. */
  width: number;
  height: number;
  /** Whether the picture is wide enough for details that a small one omits. */
  wide: boolean;
}

export interface Drawing {
  /** One or two sentences that describe the picture. */
  label: string;
  table: Table;
  /** Whether there is nothing to draw. */
  empty: boolean;
  /** Returns the option for ECharts. Charts that are not drawn by ECharts also need it, to download their picture. */
  option(look: Look): Option;
  /** Shapes used in the option. */
  shapes?: Shapes;
  /** Names of series that can be hidden, in the order of their colours. */
  legend?: readonly string[];
  /** The names in `legend` whose series has the colour of minor values. */
  rest?: readonly string[];
  /** Minimum width in pixels. In a narrower place, the picture scrolls instead of shrinking. */
  minWidth?: number;
  /** Called with the name of the part of the picture that was pressed. */
  press?(name: string): void;
  /** The periods on the horizontal axis, if that is a time axis. Users can then select a part of it. */
  periods?: Periods;
  /** Shown instead of a picture drawn by ECharts. */
  view?: ReactNode;
  /** Shown beside the picture. */
  aside?: ReactNode;
  /** A sentence or a legend below the picture, for example about omitted values. */
  note?: ReactNode;
}
