// Links and moves between pages. The router makes its routes from a table, so its own types know
// no paths. Here the paths and search parameters are checked.

import { Link, type LinkComponentProps, useRouter } from "@tanstack/react-router";
import { useCallback } from "react";
import type { Search } from "./address";
import type { Path } from "./pages";

export interface Target {
  /** "." is the page that is shown. */
  to: Path | ".";
  /** The search parameters there; none by default. Undefined and empty ones are left out. */
  search?: Parts | ((now: Search) => Parts) | undefined;
  replace?: boolean | undefined;
}

type Parts = Record<string, string | undefined>;

const present = (parts: Parts): Search => Object.fromEntries(Object.entries(parts).filter(([, value]) => value)) as Search;

/** The options of the router for a target. */
export function optionsOf({ to, search = {}, replace = false }: Target) {
  const parts = typeof search === "function" ? (now: Search) => present(search(now)) : present(search);
  return { to: to as string, search: parts as never, replace };
}

/** Returns the function that shows another page, or the same one with other search parameters. */
export function useGo(): (target: Target) => void {
  const router = useRouter();
  return useCallback((target) => void router.navigate(optionsOf(target)), [router]);
}

/** A link to a page. */
export function PageLink({ to, search, replace, ...rest }: Target & Omit<LinkComponentProps, keyof Target>) {
  const options = optionsOf({ to, search, replace });
  return <Link {...(rest as object)} to={options.to} search={options.search} replace={options.replace} />;
}
