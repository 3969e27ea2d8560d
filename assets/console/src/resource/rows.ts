// How many records a page of a list holds: as many as fit into the window, or a number that the
// user chose, remembered for all lists of this browser.

import { useMemo, useState } from "react";
import { numberParam, type Search } from "../core/address";
import { useRemembered } from "../core/storage";

/** Below this width tables have one column, which shows the main fields. */
export const phone = "(max-width: 48em)";

/** The numbers to choose from. */
export const counts = ["25", "50", "100"] as const;

/** Value of the choice "as many as fit". */
export const fit = "fit";

/** Greatest limit of the interface. */
const most = 100;
/** Fewer are not worth a page of their own, even if the page has to scroll. */
const least = 8;

/** Heights in pixels; those of rows are the same as in table.module.css. */
const heights = { row: 36, finger: 45, double: 57, around: 230, aroundOnPhone: 330 };

/** Returns how many rows fit into the window, below `above` pixels that only this page has. */
function fitting(lines: 1 | 2, above: number): number {
  const narrow = matchMedia(phone).matches;
  const row = lines === 2 || narrow ? heights.double : matchMedia("(pointer: coarse)").matches ? heights.finger : heights.row;
  const room = innerHeight - above - (narrow ? heights.aroundOnPhone : heights.around);
  return Math.min(Math.max(Math.floor(room / row), least), most);
}

const rowsParam = numberParam(1, most);

export interface Rows {
  pageSize: number;
  /** `fit`, or one of `counts`. */
  choice: string;
  choose(choice: string): void;
}

/**
 * The number of records per page. A window that changes its size does not change the rows that are
 * being read. The address of a later page contains the number, so that it shows the same rows in
 * every window.
 */
export function useRows({ page, rows }: Search, lines: 1 | 2, above: number): Rows {
  const [remembered, remember] = useRemembered("rows");
  const [fitted] = useState(() => fitting(lines, above));
  const choice = counts.find((count) => count === remembered) ?? fit;
  const pageSize = page && rows ? rowsParam.parse(rows) : choice === fit ? fitted : Number(choice);
  return useMemo(() => ({ pageSize, choice, choose: (next) => remember(next === fit ? null : next) }), [pageSize, choice, remember]);
}

/** The parameters of the address for a page. */
export function pageParts(page: number, pageSize: number): Record<"page" | "rows", string | undefined> {
  return page === 1 ? { page: undefined, rows: undefined } : { page: String(page), rows: String(pageSize) };
}
