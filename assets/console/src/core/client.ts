// The interface of the server, through the published client library.

import type { AdminNamespace } from "svc-sdk";
import { SvcApiError, SvcClient } from "svc-sdk";
import { noteTime } from "./clock";
import { noteFound, noteLost } from "./server";
import { expire, keepLogin, session } from "./session";

/** An answer that has arrived as a whole; one that was refused has the id of its request in the body, since errors keep no headers. */
async function whole(response: Response): Promise<Response> {
  const text = await response.text();
  let body = text;
  if (!response.ok) {
    try {
      body = JSON.stringify({ ...(JSON.parse(text) as object), request_id: response.headers.get("x-request-id") });
    } catch {
      // A proxy answered with something else: it stays as it is.
    }
  }
  const { status, statusText, headers } = response;
  return new Response(body || null, { status, statusText, headers });
}

// Statuses of a proxy that cannot reach its server.
const withoutServer = new Set([502, 503, 504]);

/** The login that a request carries, or "". */
function loginOf(init?: RequestInit): string {
  return new Headers(init?.headers).get("authorization")?.replace(/^Bearer /, "") ?? "";
}

// Paths of requests that have a body but change nothing.
const questions = /\/(analysis\/\w+|update-check-simulation|markdown-preview|translate|test)$/;
// Addresses where a new record is made: a second one of the same words is a mistake.
const beginnings = /\/(projects|versions|announcements|feedbacks|logs|locales|cards|backends|api-keys|uploads\/[^/]+\/complete)$/;

// The keys of changes that may have been made, though their answer was lost.
const unanswered = new Map<string, string>();

/**
 * What tells a change from others: one that is asked for again in the same words, before its answer
 * was seen, is the same one. Null where the words do not tell, as those of a switch that goes back and forth.
 */
function changeOf(address: string, { method, body, headers }: RequestInit): string | null {
  const state = new Headers(headers).get("if-match");
  return state || (method === "POST" && beginnings.test(address)) ? [method, address, state, body].join("\n") : null;
}

/** A text that nobody else makes up; `crypto.randomUUID` is not there without TLS. */
const newKey = () => crypto.getRandomValues(new Uint32Array(4)).join("-");

/** Sends a change that is made once, however often it arrives: browsers, too, send again what got no answer. */
async function sendOnce(address: string, init: RequestInit): Promise<Response> {
  const change = changeOf(address, init);
  const key = (change && unanswered.get(change)) || newKey();
  if (change) {
    unanswered.set(change, key);
  }
  const headers = new Headers(init.headers);
  headers.set("idempotency-key", key);
  const response = await whole(await fetch(address, { ...init, headers }));
  if (change && !isWithoutServer(response)) {
    unanswered.delete(change);
  }
  return response;
}

function isWithoutServer({ status, headers }: Response): boolean {
  return withoutServer.has(status) && !headers.has("x-request-id");
}

async function read(address: string, init: RequestInit): Promise<Response> {
  const response = await fetch(address, init);
  return response.ok ? response : whole(response);
}

async function send(input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
  const address = String(input);
  const login = loginOf(init);
  const changes = login && init.method !== "GET" && !questions.test(address);
  let response: Response;
  try {
    response = await (changes ? sendOnce : read)(address, init);
  } catch (error) {
    if (!init.signal?.aborted) {
      noteLost();
    }
    throw error;
  }
  if (isWithoutServer(response)) {
    noteLost();
    return response;
  }
  noteFound();
  noteTime(response);
  // A 401 may also mean that the typed current password is wrong. /auth/me tells the two apart.
  if (response.status === 401 && login && !(init.method === "PATCH" && address.endsWith("/auth/admin-profile"))) {
    expire(login);
  }
  return response;
}

const clients = new Map<string, SvcClient>();

function newClient(projectKey: string, options: { timeoutMs?: number; retries?: number; fetch?: typeof send } = {}): SvcClient {
  return new SvcClient({
    baseUrl: `${location.origin}/api/v1`,
    projectKey,
    token: () => session()?.token ?? "",
    platform: null,
    sendClientTime: false,
    retries: 1,
    fetch: send,
    ...options,
  });
}

/** A client for large bodies: it waits as long as the server does, and tries nothing twice by itself. */
export function transferClientOf(projectKey: string): SvcClient {
  return newClient(projectKey, { timeoutMs: 300_000, retries: 0 });
}

/** Adds the login to a public request, so that the server does not count it as traffic of an app. */
function sendUncounted(input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set("authorization", `Bearer ${session()?.token ?? ""}`);
  return send(input, { ...init, headers });
}

/** The public methods of a project, for previews that the statistics do not count. */
export function appViewOf(projectKey: string): SvcClient["public"] {
  return newClient(projectKey, { fetch: sendUncounted }).public;
}

/** The client that is bound to a project; "" for none. */
export function clientOf(projectKey: string): SvcClient {
  let client = clients.get(projectKey);
  if (!client) {
    client = newClient(projectKey);
    clients.set(projectKey, client);
  }
  return client;
}

/** Logs in, and keeps the login for all clients of this browser. */
export async function logIn(username: string, password: string): Promise<void> {
  // A client that logs in keeps that login for itself.
  const { access_token, user } = await newClient("").login(username, password);
  keepLogin(access_token, user.username);
}

/** Methods with the administrator's login, bound to a project. */
export type Admin = AdminNamespace;

/** Id of the request that failed, as in the server's log, or null. */
export function requestIdOf(error: unknown): string | null {
  const body = error instanceof SvcApiError ? error.body : null;
  const id = body && typeof body === "object" ? (body as Record<string, unknown>)["request_id"] : null;
  return typeof id === "string" ? id : null;
}

/** Status of the answer that an error is made of; 0 when there was none. */
export function statusOf(error: unknown): number {
  return error instanceof SvcApiError ? error.status : 0;
}

/** What the server said, one text for each rule that failed. */
export function messagesOf(error: unknown): string[] {
  if (error instanceof SvcApiError && error.body && typeof error.body === "object") {
    const { message } = error.body as { message?: string | string[] };
    if (message) {
      return [message].flat();
    }
  }
  return [error instanceof Error ? error.message : String(error)];
}
