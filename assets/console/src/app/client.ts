// The interface of the server, through the published client library.

import type { AdminNamespace } from "svc-sdk";
import { SvcApiError, SvcClient } from "svc-sdk";
import { noteFound, noteLost } from "./server";
import { expire, keepLogin, session } from "./session";

/** Puts the id of a refused request into its body, since errors keep the body but no headers. */
async function withRequestId(response: Response): Promise<Response> {
  const id = response.headers.get("x-request-id");
  const text = await response.text();
  let body: unknown = text;
  try {
    body = { ...(JSON.parse(text) as object), request_id: id };
  } catch {
    // A proxy answered with something else: it stays as it is.
  }
  return new Response(typeof body === "string" ? body : JSON.stringify(body), {
    status: response.status,
    statusText: response.statusText,
    headers: response.headers,
  });
}

// Answers of a proxy whose server is away.
const withoutServer = new Set([502, 503, 504]);

/** The login that a request carries, or "". */
function loginOf(init?: RequestInit): string {
  return new Headers(init?.headers).get("authorization")?.replace(/^Bearer /, "") ?? "";
}

async function send(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(input, init);
  } catch (error) {
    if (!init?.signal?.aborted) {
      noteLost();
    }
    throw error;
  }
  if (withoutServer.has(response.status) && !response.headers.has("x-request-id")) {
    noteLost();
    return response;
  }
  noteFound();
  if (response.ok) {
    return response;
  }
  const login = loginOf(init);
  // The current password that somebody typed may be wrong, too: /auth/me tells which it is.
  if (response.status === 401 && login && !(init?.method === "PATCH" && response.url.endsWith("/auth/admin-profile"))) {
    expire(login);
  }
  return withRequestId(response);
}

const clients = new Map<string, SvcClient>();

function newClient(projectKey: string, options: { timeoutMs?: number; retries?: number } = {}): SvcClient {
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
