// The output of each kind of chart for some values: the picture, a description for screen readers,
// and the same values as a table.

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
  /** Whether there is room for details that a small picture omits. */
  wide: boolean;
}

export interface Drawing {
  /** One or two sentences that describe the picture. */
  label: string;
  table: Table;
  /** Whether there is nothing to draw. */
  empty: boolean;
  /** The option for ECharts. It is also needed for charts shown in another way, to download the picture. */
  option(look: Look): Option;
  /** Shapes used in the option. */
  shapes?: Shapes;
  /** Names of series that can be hidden, in the order of their colours. */
  legend?: readonly string[];
  /** The names among them that have the colour of minor values. */
  rest?: readonly string[];
  /** Minimum width in pixels; in a narrower place the picture scrolls instead of shrinking. */
  minWidth?: number;
  /** The periods of the horizontal axis if it is one of time, so that a part of it can be selected. */
  periods?: Periods;
  /** Shown instead of a drawn picture. */
  view?: ReactNode;
  /** Shown beside the picture. */
  aside?: ReactNode;
  /** A sentence or a legend below the picture, for example about omitted values. */
  note?: ReactNode;
}
