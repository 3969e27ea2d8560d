// The login of this browser: in memory and in local storage, the same in all tabs. Whether it
// still holds is for the server to say, since the clock of this machine may be wrong.

import { useSyncExternalStore } from "react";
import { recall, remember, watch } from "./storage";

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

/** The login, or null when there is none; the server may have ended it meanwhile. */
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

/** Keeps a login for later requests, also of other tabs. */
export function keepLogin(token: string, username: string): void {
  expired = false;
  remember(key, JSON.stringify({ token, username } satisfies Session));
  notify();
}

/** Forgets the login everywhere in this browser. */
export function logOut(): void {
  expired = false;
  parsed = null;
  remember(key, null);
  notify();
}

/** Notes that the server no longer accepts a login; one that was replaced meanwhile does not matter. */
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

/** The login, kept up to date. */
export function useSession(): Session | null {
  return useSyncExternalStore(watchSession, session);
}

/** Whether the server refused the login that is kept. */
export function useExpired(): boolean {
  return useSyncExternalStore(watchSession, () => expired);
}
