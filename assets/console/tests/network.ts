// A bad network in front of a server: answers come late, and a share of them never comes. The parts of the
// program come in time, as from a cache: they are a hundred, and would make a test wait for ten seconds.

import { createServer, type Server as HttpServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Server } from "./server";

/** Milliseconds that an answer takes longer. */
const delay = 400;
/** Of this many requests one is lost: 3 %. */
const share = 33;

type Kind = "page" | "program" | "read" | "change";

function kindOf(method: string, path: string): Kind {
  if (path.startsWith("/console/")) {
    return "program";
  }
  if (!path.startsWith("/api/")) {
    return "page";
  }
  return method === "GET" ? "read" : "change";
}

export class BadNetwork {
  /** Kinds of requests whose answers were lost. */
  readonly lost: Kind[] = [];
  /** Requests of each kind so far. */
  private readonly counts = { page: 0, program: 0, read: 0, change: 0 };
  private constructor(
    private readonly http: HttpServer,
    private readonly server: Server,
  ) {}

  static async start(server: Server): Promise<BadNetwork> {
    const http = createServer();
    const network = new BadNetwork(http, server);
    http.on("request", (asked, answer) => void network.carry(asked, answer));
    await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
    return network;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.http.address() as AddressInfo).port}`;
  }

  login(): Promise<string> {
    return this.server.login();
  }

  private async carry(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    const { method = "", url = "" } = asked;
    const kind = kindOf(method, url);
    // Browsers offer to load a page again by themselves.
    const lost = kind !== "page" && this.counts[kind]++ % share === 0;
    const { hostname, port } = new URL(this.server.url);
    const passed = request({ hostname, port, method, path: url, headers: asked.headers }, (response) => {
      setTimeout(
        () => {
          if (lost) {
            // The server has carried out the request.
            this.lost.push(kind);
            asked.socket.destroy();
            response.resume();
          } else {
            answer.writeHead(response.statusCode!, response.rawHeaders);
            response.pipe(answer);
          }
        },
        kind === "program" ? 0 : delay,
      );
    });
    passed.on("error", () => asked.socket.destroy());
    asked.pipe(passed);
  }

  async remove(): Promise<void> {
    const ended = new Promise((resolve) => this.http.close(resolve));
    this.http.closeAllConnections();
    await ended;
  }
}
