// The environment of the tests: the real server, and origins in front of it that serve pages, pass
// all other requests on, and record requests.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const password = "correct horse battery";

/** Starts the server named by SVC_BINARY. */
export async function startServer() {
  const binary = process.env.SVC_BINARY;
  if (!binary) {
    throw new Error("SVC_BINARY must name the server: go build -o FILE svc");
  }
  const data = mkdtempSync(join(tmpdir(), "svc-browser-"));
  const child = spawn(binary, ["serve", "--data", join(data, "data"), "--listen", "127.0.0.1:0", "--public-rate-limit", "0"], {
    env: { PATH: process.env.PATH, HOME: data, ADMIN_PASSWORD: password },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const log = [];
  const url = await new Promise((resolve, reject) => {
    createInterface(child.stderr).on("line", (line) => {
      log.push(line);
      const entry = line.startsWith("{") ? JSON.parse(line) : {};
      entry.msg === "listening" && resolve(entry.url);
    });
    child.once("exit", () => reject(new Error("the server ended:\n" + log.join("\n"))));
  });
  const call = async (method, path, body, token) => {
    const response = await fetch(url + "/api/v1" + path, {
      method,
      headers: { "content-type": "application/json", ...(token && { authorization: "Bearer " + token }) },
      body: body && JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) {
      throw new Error(`${method} ${path}: ${response.status} ${text}`);
    }
    return JSON.parse(text);
  };
  const { access_token: token } = await call("POST", "/auth/login", { username: "admin", password });
  let projects = 0;
  return {
    url,
    password,
    /** Sends a request as the administrator. */
    admin: (method, path, body) => call(method, path, body, token),
    /** Creates a project that is used by no other test. */
    async project() {
      const key = "page-" + ++projects;
      await call("POST", "/admin/projects", { project_key: key, name: key }, token);
      return key;
    },
    async stop() {
      child.kill();
      await once(child, "exit");
      rmSync(data, { recursive: true, force: true });
    },
  };
}

const blank = "<!doctype html><meta charset=utf-8><title>page</title>";
const shipped = ["svc-sdk.js", "svc-sdk.global.js", "svc-sdk.transfers.js"];

/**
 * An origin with pages: /page is empty, /script loads the library with a script element, /module
 * loads it as a module in `sdk`, and `pages` holds pages added by a test. All other requests go to
 * the server and are recorded in `asked` once it has answered; `answer` may answer them instead.
 */
export async function startOrigin(server) {
  const origin = { asked: [], pages: {}, answer: () => undefined };
  const library = (name) => readFileSync(fileURLToPath(new URL("../" + name, import.meta.url)));
  const pages = {
    "/page": blank,
    "/script": blank + '<script src="/lib/svc-sdk.global.js"></script>',
    "/module": blank + '<script type="module">import * as sdk from "/lib/svc-sdk.js"; window.sdk = sdk;</script>',
  };
  const serve = async (asked, response) => {
    const { pathname } = new URL(asked.url, "http://host");
    const page = pages[pathname] ?? origin.pages[pathname];
    if (page !== undefined || pathname === "/favicon.ico") {
      response.writeHead(page === undefined ? 204 : 200, { "content-type": pathname.endsWith(".js") ? "text/javascript" : "text/html" }).end(page);
      return;
    }
    const file = pathname.replace(/^\/lib\/(svc-sdk)(-[0-9a-f]{16})?/, "$1");
    if (shipped.includes(file)) {
      response.writeHead(200, { "content-type": "text/javascript" }).end(library(file));
      return;
    }
    const chunks = [];
    for await (const chunk of asked) {
      chunks.push(chunk);
    }
    const body = Buffer.concat(chunks);
    const { method, url, headers } = asked;
    const entry = { method, path: url, headers, body: body.toString() };
    const instead = method === "OPTIONS" ? undefined : await origin.answer(entry);
    if (instead) {
      origin.asked.push(entry);
      const allowed = { "access-control-allow-origin": headers.origin ?? "*", "access-control-expose-headers": "Retry-After", "access-control-allow-credentials": "true" };
      instead.status ? response.writeHead(instead.status, { ...allowed, ...instead.headers }).end(instead.body ?? "") : response.destroy();
      return;
    }
    const target = new URL(url, server.url);
    const passed = request(target, { method, headers: { ...headers, host: target.host, connection: "close" } }, (answer) => {
      origin.asked.push(entry);
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
    });
    passed.on("error", () => response.destroy());
    passed.end(body);
  };
  const http = createServer((asked, response) => serve(asked, response).catch(() => response.destroy()));
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  origin.url = `http://127.0.0.1:${http.address().port}`;
  /** The same place under a name that is no secure context. */
  origin.insecure = `http://page.test:${http.address().port}`;
  origin.api = origin.url + "/api/v1";
  /** Requests for a path that begins or ends in a text, without preflights. */
  origin.requests = (part) => origin.asked.filter(({ method, path }) => method !== "OPTIONS" && path.split("?")[0].includes(part));
  origin.stop = () => {
    http.closeAllConnections();
    http.close();
  };
  return origin;
}

/** Waits until a condition holds, for at most a minute. */
export async function until(condition, what = "it") {
  for (const end = Date.now() + 60000; ; ) {
    const value = await condition();
    if (value) {
      return value;
    }
    if (Date.now() > end) {
      throw new Error(`waited for a minute: ${what} has not happened`);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Ids of the events of all bodies that a server took. */
export const eventIds = (requests) => requests.flatMap(({ body }) => JSON.parse(body).events.map((event) => event.event_id));

/** Names of the events of all bodies. */
export const eventNames = (requests) => requests.flatMap(({ body }) => JSON.parse(body).events.map((event) => event.name));
