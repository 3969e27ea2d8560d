// Other services that the server calls: a translator and a CDN.

import { createServer, type Server as HttpServer } from "node:http";
import type { AddressInfo } from "node:net";

export class Service {
  /** Addresses for which the CDN was asked to drop its copies. */
  readonly purged: string[] = [];
  /** Whether the CDN refuses requests. */
  refusing = false;
  private constructor(private readonly http: HttpServer) {}

  static async start(): Promise<Service> {
    const http = createServer();
    const service = new Service(http);
    http.on("request", async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) {
        chunks.push(chunk as Buffer);
      }
      const answer = service.answer(request.url ?? "", JSON.parse(Buffer.concat(chunks).toString() || "{}"));
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
    });
    await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
    return service;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.http.address() as AddressInfo).port}`;
  }

  private answer(path: string, body: { files?: string[]; messages?: { content: string }[] }): unknown {
    if (path.endsWith("/purge_cache")) {
      this.purged.push(...(body.files ?? []));
      return this.refusing ? { success: false, errors: [{ code: 7, message: "too often" }] } : { success: true, result: { id: "1" } };
    }
    const texts = JSON.parse(body.messages!.at(-1)!.content.split("\n\n").at(-1)!) as Record<string, string>;
    const translated = Object.fromEntries(Object.entries(texts).map(([field, text]) => [field, `Übersetzt: ${text}`]));
    return { choices: [{ finish_reason: "stop", message: { role: "assistant", content: JSON.stringify(translated) } }] };
  }

  async remove(): Promise<void> {
    const ended = new Promise((resolve) => this.http.close(resolve));
    this.http.closeAllConnections();
    await ended;
  }
}
