// Access to the server's API through the published client library.

import type { AdminNamespace } from "svc-sdk";
import { SvcApiError, SvcClient } from "svc-sdk";
import { noteTime } from "./clock";
import { sentence } from "./sentence";
import { noteFound, noteLost } from "./server";
import { expire, keepLogin, session } from "./session";

/**
 * Returns the response after its body has been read completely. If it is an error, the ID of the
 * request is added to the body, because the library's errors do not keep headers.
 */
async function whole(response: Response): Promise<Response> {
  const text = await response.text();
  let body = text;
  if (!response.ok) {
    try {
      body = JSON.stringify({ ...(JSON.parse(text) as object), request_id: response.headers.get("x-request-id") });
    } catch {
      // The body comes from a proxy and is not JSON, so leave it unchanged.
    }
  }
  const { status, statusText, headers } = response;
  return new Response(body || null, { status, statusText, headers });
}

// Statuses with which a proxy responds if it cannot reach the server.
const withoutServer = new Set([502, 503, 504]);

/** Returns the login token that a request carries, or "". */
function loginOf(init?: RequestInit): string {
  return new Headers(init?.headers).get("authorization")?.replace(/^Bearer /, "") ?? "";
}

// Addresses of requests that have a body but change nothing.
const questions = /\/(analysis\/\w+|update-check-simulation|markdown-preview|translate|test)$/;
// Addresses of requests that create a record. Creating two records with the same content is
// probably a mistake, so such a request is identified by its content.
const beginnings = /\/(projects|versions|announcements|feedbacks|logs|locales|cards|backends|hooks|api-keys|uploads\/[^/]+\/complete)$/;

// The idempotency keys of changes that got no response. The server may have made these changes.
const unanswered = new Map<string, string>();

/**
 * Returns a text that identifies a change. A request with the same text, sent before the first
 * response has arrived, is a repetition of that change. The result is null if the content does not
 * identify the change, as for a switch that is toggled back and forth.
 */
function changeOf(address: string, { method, body, headers }: RequestInit): string | null {
  const state = new Headers(headers).get("if-match");
  return state || (method === "POST" && beginnings.test(address)) ? [method, address, state, body].join("\n") : null;
}

/** Returns a unique text. `crypto.randomUUID` is not available without TLS. */
const newKey = () => crypto.getRandomValues(new Uint32Array(4)).join("-");

/**
 * Sends a change with an idempotency key, so that the server makes it only once. Users repeat a
 * request that got no response, and so do browsers.
 */
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
  // A change of the profile gets a 401 for a wrong current password, too, so it does not end the
  // login. The form uses /auth/me to distinguish the two.
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

/**
 * Returns a client for requests with large bodies. It waits as long as the server does, and does
 * not retry by itself.
 */
export function transferClientOf(projectKey: string): SvcClient {
  return newClient(projectKey, { timeoutMs: 300_000, retries: 0 });
}

/** Adds the login to a public request, so that the server does not count the request as traffic of an app. */
function sendUncounted(input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set("authorization", `Bearer ${session()?.token ?? ""}`);
  return send(input, { ...init, headers });
}

/** Returns the public methods of a project. It is for previews, which the statistics must not count. */
export function appViewOf(projectKey: string): SvcClient["public"] {
  return newClient(projectKey, { fetch: sendUncounted }).public;
}

/** Returns the client that is bound to a project. If the key is "", the client is bound to none. */
export function clientOf(projectKey: string): SvcClient {
  let client = clients.get(projectKey);
  if (!client) {
    client = newClient(projectKey);
    clients.set(projectKey, client);
  }
  return client;
}

/** Logs in and stores the login for all clients of this browser. */
export async function logIn(username: string, password: string): Promise<void> {
  // A client that logs in would keep the token to itself, so use a new one.
  const { access_token, user } = await newClient("").login(username, password);
  keepLogin(access_token, user.username);
}

/** Methods with the administrator's login, bound to a project. */
export type Admin = AdminNamespace;

/** Returns the ID of the failed request, as in the server's log, or null if it is not known. */
export function requestIdOf(error: unknown): string | null {
  const body = error instanceof SvcApiError ? error.body : null;
  const id = body && typeof body === "object" ? (body as Record<string, unknown>)["request_id"] : null;
  return typeof id === "string" ? id : null;
}

/** Returns the status of the response that caused an error, or 0 if there was no response. */
export function statusOf(error: unknown): number {
  return error instanceof SvcApiError ? error.status : 0;
}

/** Returns the server's messages in a form for people, one for each violated rule. */
export function messagesOf(error: unknown): string[] {
  return rawMessagesOf(error).map(sentence);
}

/** Returns the server's messages as they were sent. A message about a field begins with the name of the field. */
export function rawMessagesOf(error: unknown): string[] {
  if (error instanceof SvcApiError && error.body && typeof error.body === "object") {
    const { message } = error.body as { message?: string | string[] };
    if (message) {
      return [message].flat();
    }
  }
  return [error instanceof Error ? error.message : String(error)];
}
