// Parts of the program are loaded when they are wanted, and most of them ahead of that: as soon
// as the first page is there and the browser has time.

import type { QueryClient } from "@tanstack/react-query";
import { type ComponentType, createElement, useEffect, useSyncExternalStore } from "react";
import { isReachable, untilFound } from "./server";

/** Loads something of the program, as soon as the server can be reached; a bad line may lose one request. */
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

// Loads to run ahead of time, in this order.
const ahead: (() => Promise<unknown>)[] = [];

/** Has something loaded ahead. */
export function later(load: () => Promise<unknown>): void {
  ahead.push(load);
}

const whenIdle: (run: () => void) => void =
  "requestIdleCallback" in window ? (run) => requestIdleCallback(run) : (run) => setTimeout(run, 100);

/** Loads what is wanted next, one after the other, when nothing is asked for any more. The result stops it. */
export function loadAhead(queries: QueryClient): () => void {
  let stopped = false;
  const step = () => {
    if (stopped) {
      return;
    }
    // Requests that a person waits for come first.
    const next = queries.isFetching() === 0 && document.readyState === "complete" ? ahead.shift() : undefined;
    if (next) {
      // A part that fails to load now reports that when it is needed.
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

/** Something of the program that is loaded ahead, or when it is wanted. */
export interface Part<T> {
  load(): Promise<T>;
  /** What is there; null before. */
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

/** A part as soon as it is there, null before; it is loaded at once when it is `wanted`. */
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

/** A component that is loaded later; nothing is shown until then. */
export function lazily<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  const component = part(load);
  return function Lazily(props: P) {
    const Component = usePart(component);
    return Component && createElement(Component, props);
  };
}
