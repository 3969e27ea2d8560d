// State that is kept in the address. Each page stores its filters, range, open record and the like
// as texts in search parameters. A parameter parses its text and uses a default for an invalid one,
// so that every address opens a usable page.

import { useSearch } from "@tanstack/react-router";
import { useCallback, useMemo } from "react";
import { useGo } from "./go";

/** Search parameters as texts. */
export type Search = Record<string, string>;

export function parseSearch(text: string): Search {
  return Object.fromEntries(new URLSearchParams(text));
}

export function formatSearch(search: object): string {
  const text = new URLSearchParams(
    Object.entries(search).filter(([, value]) => typeof value === "string" && value !== "") as [string, string][],
  ).toString();
  return text && `?${text}`;
}

/** Converts between a value and its text in the address. */
export interface Param<T> {
  parse(text: string | undefined): T;
  /** Returns the text of a value. It is undefined for the default, which the address omits. */
  format(value: T): string | undefined;
}

export const textParam: Param<string> = { parse: (text) => text ?? "", format: (value) => value || undefined };

export const switchParam: Param<boolean> = { parse: (text) => text === "1", format: (value) => (value ? "1" : undefined) };

/** Returns a parameter for a whole number of at least `initial`, which is the default, and at most `most`. */
export function numberParam(initial: number, most = Number.MAX_SAFE_INTEGER): Param<number> {
  return {
    parse(text) {
      const value = Number(text);
      return text && Number.isInteger(value) && value >= initial && value <= most ? value : initial;
    },
    format: (value) => (value === initial ? undefined : String(value)),
  };
}

/** Returns a parameter for one of several texts. The first text is the default. */
export function choiceParam<const T extends string>(choices: readonly [T, ...T[]]): Param<T> {
  return {
    parse: (text) => choices.find((choice) => choice === text) ?? choices[0],
    format: (value) => (value === choices[0] ? undefined : value),
  };
}

/**
 * Returns a parameter for a structure, which is stored as JSON. `accept` turns any parsed value
 * into a valid structure.
 */
export function jsonParam<T>(accept: (value: unknown) => T): Param<T> {
  const initial = JSON.stringify(accept(undefined));
  return {
    parse(text) {
      try {
        return accept(text === undefined ? undefined : JSON.parse(text));
      } catch {
        return accept(undefined);
      }
    },
    format(value) {
      const text = JSON.stringify(value);
      return text === initial ? undefined : text;
    },
  };
}

// biome-ignore lint/suspicious/noExplicitAny: parameters of all types are read and written here
type Params = Record<string, Param<any>>;
type Values<P extends Params> = { [K in keyof P]: P[K] extends Param<infer T> ? T : never };

/** Changes some parameters. It takes their new values, or a function that returns them for the current values. */
type Change<Values, Parts> = (parts: Parts | ((now: Values) => Parts), how?: { replace?: boolean }) => void;

/** Changes search parameters of the address; undefined removes one. */
export type ChangeAddress = Change<Search, Record<string, string | undefined>>;

/** Returns the function that changes the address, without rendering the component again when the address changes. */
export function useChangeAddress(): ChangeAddress {
  const go = useGo();
  return useCallback<ChangeAddress>(
    (parts, { replace = false } = {}) => {
      // Two changes may follow each other before the next render, so the second one must build on
      // the first.
      const next = (now: Search) => ({ ...now, ...(typeof parts === "function" ? parts(now) : parts) });
      go({ to: ".", replace, search: next });
    },
    [go],
  );
}

/** Returns the search parameters of the address as texts, and the function that changes them. */
export function useAddress(): [Search, ChangeAddress] {
  return [useSearch({ strict: false }) as Search, useChangeAddress()];
}

/** Returns one search parameter. The component is rendered again only when this parameter changes. */
export function useAddressPart(name: string): string | undefined {
  return useSearch({ strict: false, select: (search) => (search as Search)[name] });
}

/**
 * Returns the values of search parameters, and the function that changes some of them. A change
 * adds an entry to the history, which the back button undoes, unless it replaces the current entry.
 * Declare `params` outside of the component.
 */
export function useParams<const P extends Params>(params: P): [Values<P>, Change<Values<P>, Partial<Values<P>>>] {
  const [search, change] = useAddress();
  const values = useMemo(() => parse(params, search), [params, search]);
  const set = useCallback<Change<Values<P>, Partial<Values<P>>>>(
    (parts, how) =>
      change((now) => {
        const next = typeof parts === "function" ? parts(parse(params, now)) : parts;
        return Object.fromEntries(Object.entries(next).map(([name, value]) => [name, params[name]?.format(value as never)]));
      }, how),
    [change, params],
  );
  return [values, set];
}

function parse<P extends Params>(params: P, search: Search): Values<P> {
  return Object.fromEntries(Object.entries(params).map(([name, param]) => [name, param.parse(search[name])])) as unknown as Values<P>;
}
