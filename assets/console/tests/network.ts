// A bad network in front of a server: responses are delayed, and some of them are lost. The parts
// of the program arrive immediately, as if cached: there are a hundred of them, which would slow a
// test down by ten seconds.

import { createServer, type Server as HttpServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Server } from "./server";

/** Delay of a response in milliseconds. */
const delay = 400;
/** One of this many requests is lost, which is 3 %. */
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
  /** Kinds of requests with lost responses. */
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
    // If a page is lost, browsers let the user reload it.
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
