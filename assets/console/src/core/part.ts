// Parts of the program that are loaded on demand. Most of them are loaded in advance, when the
// first page is shown and the browser is idle.

import type { QueryClient } from "@tanstack/react-query";
import { type ComponentType, createElement, useEffect, useSyncExternalStore } from "react";
import { isReachable, untilFound } from "./server";

/**
 * Loads a part of the program. If the request fails, as can happen on a bad connection, it waits
 * until the server is reachable and tries again.
 */
export async function loaded<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch {
    if (!(await isReachable())) {
      await untilFound();
    }
    return load();
  }
}

// Parts to load in advance, in this order.
const ahead: (() => Promise<unknown>)[] = [];

/** Schedules a part to be loaded in advance. */
export function later(load: () => Promise<unknown>): void {
  ahead.push(load);
}

const whenIdle: (run: () => void) => void =
  "requestIdleCallback" in window ? (run) => requestIdleCallback(run) : (run) => setTimeout(run, 100);

/** Loads the scheduled parts one after the other while no queries are running. The returned function stops it. */
export function loadAhead(queries: QueryClient): () => void {
  let stopped = false;
  const step = () => {
    if (stopped) {
      return;
    }
    // Load nothing while the user waits for data.
    const next = queries.isFetching() === 0 && document.readyState === "complete" ? ahead.shift() : undefined;
    if (next) {
      // Ignore an error: if the part is needed later, loading fails again and the error is shown
      // then.
      next()
        .catch(() => undefined)
        .then(() => whenIdle(step));
    } else {
      timer = setTimeout(() => whenIdle(step), 300);
    }
  };
  let timer = setTimeout(() => whenIdle(step), 300);
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}

/** A part of the program that is loaded in advance or on demand. */
export interface Part<T> {
  load(): Promise<T>;
  /** Returns the loaded value or the error; null until loading has ended. */
  now(): { value: T } | { error: unknown } | null;
  watch(listener: () => void): () => void;
}

export function part<T>(load: () => Promise<T>): Part<T> {
  let state: { value: T } | { error: unknown } | null = null;
  let coming: Promise<T> | undefined;
  const listeners = new Set<() => void>();
  const end = (result: typeof state) => {
    state = result;
    for (const listener of listeners) {
      listener();
    }
  };
  const self: Part<T> = {
    load() {
      if (!coming) {
        coming = loaded(load);
        coming.then(
          (value) => end({ value }),
          (error) => end({ error }),
        );
      }
      return coming;
    },
    now: () => state,
    watch(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  later(self.load);
  return self;
}

/** Returns the value of a part, or null until it has been loaded. If `wanted` is true, loading starts immediately. */
export function usePart<T>(part: Part<T>, wanted = true): T | null {
  const now = useSyncExternalStore(part.watch, part.now);
  useEffect(() => {
    if (wanted) {
      part.load().catch(() => undefined);
    }
  }, [part, wanted]);
  if (now && "error" in now && wanted) {
    throw now.error;
  }
  return now && "value" in now ? now.value : null;
}

/** Returns a component whose code is loaded later. It renders nothing until then. */
export function lazily<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  const component = part(load);
  return function Lazily(props: P) {
    const Component = usePart(component);
    return Component && createElement(Component, props);
  };
}
