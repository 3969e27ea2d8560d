// The login of this browser, in memory and in local storage, shared by all tabs. Only the server
// decides whether it is still valid, because the clock of this machine may be wrong.

import { useSyncExternalStore } from "react";
import { recentKey } from "./recent";
import { recall, remember, watch } from "./storage";
import { unsentKey } from "./unsent";

const key = "login";

export interface Session {
  token: string;
  username: string;
}

let expired = false;
const listeners = new Set<() => void>();
let parsed: { text: string; session: Session | null } | null = null;

function read(text: string): Session | null {
  try {
    const { token, username } = JSON.parse(text) as Partial<Session>;
    return typeof token === "string" && typeof username === "string" ? { token, username } : null;
  } catch {
    return null;
  }
}

/** Returns the login, or null if there is none. The server may already have ended it. */
export function session(): Session | null {
  const text = recall(key);
  if (!text) {
    return null;
  }
  if (parsed?.text !== text) {
    parsed = { text, session: read(text) };
  }
  return parsed.session;
}

/** Stores a login for later requests, including those of other tabs. */
export function keepLogin(token: string, username: string): void {
  expired = false;
  remember(key, JSON.stringify({ token, username } satisfies Session));
  notify();
}

/** Deletes the login in all tabs of this browser, the names of recently opened records, and unsent texts. */
export function logOut(): void {
  expired = false;
  parsed = null;
  remember(key, null);
  remember(recentKey, null);
  remember(unsentKey, null);
  notify();
}

/** Records that the server no longer accepts a login. It does nothing if that login has been replaced since. */
export function expire(token: string): void {
  if (session()?.token === token && !expired) {
    expired = true;
    notify();
  }
}

function notify(): void {
  for (const listener of listeners) {
    listener();
  }
}

/** Calls back when the login changes, here or in another tab. */
export function watchSession(listener: () => void): () => void {
  listeners.add(listener);
  const unwatch = watch(key, () => {
    expired = false;
    listener();
  });
  return () => {
    listeners.delete(listener);
    unwatch();
  };
}

/** Returns the login. The component is rendered again when it changes. */
export function useSession(): Session | null {
  return useSyncExternalStore(watchSession, session);
}

/** Returns whether the server has refused the stored login. */
export function useExpired(): boolean {
  return useSyncExternalStore(watchSession, () => expired);
}
