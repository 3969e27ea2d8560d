// The address is the state: each page keeps filters, range, open record and the like in its
// search parameters, as plain texts. A parameter reads its text and falls back to its default,
// so that any address opens something sensible.

import { useSearch } from "@tanstack/react-router";
import { useCallback, useMemo } from "react";
import { useGo } from "./go";

/** Search parameters as they stand in the address. */
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

/** How a value stands in the address. */
export interface Param<T> {
  parse(text: string | undefined): T;
  /** The text of a value; undefined for the default, which the address leaves out. */
  format(value: T): string | undefined;
}

export const textParam: Param<string> = { parse: (text) => text ?? "", format: (value) => value || undefined };

export const switchParam: Param<boolean> = { parse: (text) => text === "1", format: (value) => (value ? "1" : undefined) };

/** A whole number that is at least the default. */
export function numberParam(initial: number, most = Number.MAX_SAFE_INTEGER): Param<number> {
  return {
    parse(text) {
      const value = Number(text);
      return text && Number.isInteger(value) && value >= initial && value <= most ? value : initial;
    },
    format: (value) => (value === initial ? undefined : String(value)),
  };
}

/** One of some texts, of which the first is the default. */
export function choiceParam<const T extends string>(choices: readonly [T, ...T[]]): Param<T> {
  return {
    parse: (text) => choices.find((choice) => choice === text) ?? choices[0],
    format: (value) => (value === choices[0] ? undefined : value),
  };
}

/** A structure as JSON; `accept` makes a valid value of whatever stands there. */
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

/** The new values of some parameters, or a function that returns them for all values that the address has now. */
type Change<Values, Parts> = (parts: Parts | ((now: Values) => Parts), how?: { replace?: boolean }) => void;

/** Changes search parameters of the address, each to a text or away. */
export type ChangeAddress = Change<Search, Record<string, string | undefined>>;

/** What changes the address, for components that do not show what it says: they are not drawn again with it. */
export function useChangeAddress(): ChangeAddress {
  const go = useGo();
  return useCallback<ChangeAddress>(
    (parts, { replace = false } = {}) => {
      // Two changes can follow each other before anything is drawn: the second one is made of what the first one left.
      const next = (now: Search) => ({ ...now, ...(typeof parts === "function" ? parts(now) : parts) });
      go({ to: ".", replace, search: next });
    },
    [go],
  );
}

/** The search parameters of the address, as texts, and what changes them. */
export function useAddress(): [Search, ChangeAddress] {
  return [useSearch({ strict: false }) as Search, useChangeAddress()];
}

/** One search parameter, for components that need no other: they are drawn again with this one alone. */
export function useAddressPart(name: string): string | undefined {
  return useSearch({ strict: false, select: (search) => (search as Search)[name] });
}

/**
 * Values of search parameters, and what changes some of them: in a step of the history that
 * "back" undoes, unless it replaces the last one. Declare `params` outside of the component.
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
