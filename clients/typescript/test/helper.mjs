// Helpers of the tests: the vectors, clients with a fake clock, and servers with scripted
// responses.

import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { Client } from "../dist/esm/client.js";
import { nodeHost } from "../dist/esm/node.js";
import { fakeClock } from "./play.mjs";

export const vectors = JSON.parse(readFileSync(new URL("../../vectors/vectors.json", import.meta.url), "utf8"));
if (vectors.format !== 1) {
  throw new Error(`vectors have format ${vectors.format}, this reader knows 1`);
}

/** A storage in memory that outlives a client. */
export function memoryStorage() {
  const values = new Map();
  return {
    values,
    read: (key) => values.get(key) ?? null,
    write: (key, value) => void values.set(key, value),
    remove: (key) => void values.delete(key),
  };
}

/** A client with a fake clock and without local state. */
export function testClient(options = {}, host = {}) {
  const clock = host.clock ?? fakeClock();
  const client = new Client(
    {
      baseUrl: "https://svc.example.com/api/v1",
      projectKey: "demo",
      ...options,
      analytics: { storage: memoryStorage(), flushIntervalMs: 3_600_000, ...options.analytics },
    },
    { ...nodeHost, ...host, clock },
  );
  return { client, clock };
}

/** A `fetch` that records requests; `answer` returns the Response of each one, or throws. */
export function recorder(answer = () => Response.json({})) {
  const requests = [];
  const fetch = async (url, init) => {
    const request = { url, method: init.method ?? "GET", headers: new Headers(init.headers), body: init.body ?? null };
    requests.push(request);
    return answer(request, requests.length, init);
  };
  return { requests, fetch };
}

/** A real server, which `handle(request, response, body)` answers. It is stopped after the test. */
export async function server(t, handle) {
  const hits = [];
  const listener = createServer((request, response) => {
    const parts = [];
    request.on("data", (part) => parts.push(part));
    request.on("end", () => {
      const body = Buffer.concat(parts).toString();
      hits.push({ method: request.method, url: request.url, headers: request.headers, body });
      handle(request, response, body, hits.length);
    });
  });
  await new Promise((resolve) => listener.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    listener.closeAllConnections();
    listener.close();
  });
  return { url: `http://127.0.0.1:${listener.address().port}`, hits };
}

export const json = (response, status, value, headers = {}) => {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(value));
};

/** Resolves when a condition holds. The condition is checked in every iteration of the event loop. */
export async function until(condition) {
  while (!(await condition())) {
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}
