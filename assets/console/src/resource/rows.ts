// The number of records on a page of a list. It is either the number that fits into the window, or
// one that the user has chosen. The choice is remembered for all lists in this browser.

import { useMemo, useState } from "react";
import { numberParam, type Search } from "../core/address";
import { useRemembered } from "../core/storage";

/** The media query for windows in which tables have a single column with the main fields. */
export const phone = "(max-width: 48em)";

/** The numbers to choose from. */
export const counts = ["25", "50", "100"] as const;

/** Value of the choice "as many as fit". */
export const fit = "fit";

/** The maximum number of records that the API returns in a page. */
const most = 100;
/** The minimum number of records on a page in a wide window. If they do not fit, the page scrolls. */
const least = 8;
/** Height in pixels of the phone whose number of records is the minimum on all phones. */
const usualPhone = 844;

/** Heights in pixels. The heights of rows must be the same as in table.module.css. */
const heights = { row: 36, finger: 45, double: 57, triple: 77, around: 230, aroundOnPhone: 342 };

/** Heights in pixels in a wide window and on a phone. */
export interface Heights {
  wide: number;
  phone: number;
}

/** Returns the number of lines of text in a row. On a phone, the other main fields have one of their own. */
export function linesOf(lines: 1 | 2, narrow: boolean): 1 | 2 | 3 {
  return narrow ? (lines === 2 ? 3 : 2) : lines;
}

/**
 * Returns the number of rows that fit into the window. `others` are the heights of the content
 * beside the list that only this page has.
 */
function fitting(lines: 1 | 2, others: Heights): number {
  const narrow = matchMedia(phone).matches;
  const single = matchMedia("(pointer: coarse)").matches ? heights.finger : heights.row;
  const row = { 1: single, 2: heights.double, 3: heights.triple }[linesOf(lines, narrow)];
  const height = narrow ? Math.max(innerHeight, usualPhone) : innerHeight;
  const room = height - (narrow ? others.phone + heights.aroundOnPhone : others.wide + heights.around);
  return Math.min(Math.max(Math.floor(room / row), narrow ? 1 : least), most);
}

const rowsParam = numberParam(1, most);

export interface Rows {
  pageSize: number;
  /** `fit`, or one of `counts`. */
  choice: string;
  choose(choice: string): void;
}

/**
 * Returns the number of records per page. Resizing the window does not change it, because the user
 * may be reading. The address of any page but the first contains the number, so that the address
 * shows the same records in every window.
 */
export function useRows({ page, rows }: Search, lines: 1 | 2, others: Heights): Rows {
  const [remembered, remember] = useRemembered("rows");
  const [fitted] = useState(() => fitting(lines, others));
  const choice = counts.find((count) => count === remembered) ?? fit;
  const pageSize = page && rows ? rowsParam.parse(rows) : choice === fit ? fitted : Number(choice);
  return useMemo(() => ({ pageSize, choice, choose: (next) => remember(next === fit ? null : next) }), [pageSize, choice, remember]);
}

/** Returns the search parameters that select a page. */
export function pageParts(page: number, pageSize: number): Record<"page" | "rows", string | undefined> {
  return page === 1 ? { page: undefined, rows: undefined } : { page: String(page), rows: String(pageSize) };
}
