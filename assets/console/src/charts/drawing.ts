// The result of each kind of chart: its drawing, a description for screen readers, and the same values as a table.

import type { EChartsCoreOption } from "echarts/core";
import type { ReactNode } from "react";
import type { Palette } from "./palette";
import type { Table } from "./table";

export type Option = EChartsCoreOption;

/** Which shapes a map shows. */
export type Shapes = "world" | "china";

/** How a chart is to be drawn. */
export interface Look {
  palette: Palette;
  /** Names of the series that are switched off. */
  hidden: ReadonlySet<string>;
  /** Size of the picture in pixels. */
  width: number;
  height: number;
  /** Wide enough for what a small one leaves out. */
  wide: boolean;
}

export interface Drawing {
  /** One or two sentences instead of the picture. */
  label: string;
  table: Table;
  /** Whether there is nothing to see. */
  empty: boolean;
  /** For ECharts; also of what is shown in another way, for the picture that is downloaded. */
  option(look: Look): Option;
  /** Shapes that the option names. */
  shapes?: Shapes;
  /** Names of series that can be switched off, in the order of their colours. */
  legend?: readonly string[];
  /** Pixels below which the picture is scrolled and not made smaller. */
  minWidth?: number;
  /** Shown in place of a drawn picture. */
  view?: ReactNode;
  /** Beside the picture. */
  aside?: ReactNode;
  /** One sentence below, such as what the picture leaves out. */
  note?: string | undefined;
}
