// Links and navigation between pages. The router reads its routes from a table, so its types do not
// know the paths. The functions in this file check paths and search parameters instead.

import { Link, type LinkComponentProps, useRouter } from "@tanstack/react-router";
import { useCallback } from "react";
import type { Search } from "./address";
import type { Path } from "./pages";

export interface Target {
  /** The target; "." is the current page. */
  to: Path | ".";
  /** The search parameters of the target. By default there are none. Undefined and empty ones are omitted. */
  search?: Parts | ((now: Search) => Parts) | undefined;
  replace?: boolean | undefined;
}

type Parts = Record<string, string | undefined>;

const present = (parts: Parts): Search => Object.fromEntries(Object.entries(parts).filter(([, value]) => value)) as Search;

/** Converts a target to the options of the router. */
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
