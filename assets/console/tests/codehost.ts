// A code host with issues and a repository with releases, limited to the requests of the tests.

import { generateKeyPairSync } from "node:crypto";
import { createServer, type Server as HttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Server } from "./server";

interface Issue {
  title: string;
  body: string;
}

export interface Release {
  tag_name: string;
  name?: string;
  body?: string;
  prerelease?: boolean;
  assets?: { name: string; browser_download_url: string }[];
}

export class CodeHost {
  readonly issues: Issue[] = [];
  /** Releases of acme/app, newest first. */
  readonly releases: Release[] = [];
  /** Texts of the files of acme/app, by path and requested revision. */
  readonly files = new Map<string, string>();
  /** Attachments of releases of acme/app, by tag and name, such as "v1.0.0/app.zip". */
  readonly attachments = new Map<string, string>();
  /** Number of requests for an issue that will fail before one is created. */
  failing = 0;
  private constructor(private readonly http: HttpServer) {}

  static async start(): Promise<CodeHost> {
    const http = createServer();
    const host = new CodeHost(http);
    http.on("request", async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) {
        chunks.push(chunk as Buffer);
      }
      const { pathname, searchParams } = new URL(request.url!, host.url);
      const attached = host.attachments.get(pathname.split("/acme/app/releases/download/")[1] ?? "");
      if (attached !== undefined) {
        response.end(attached);
        return;
      }
      const file = host.files.get(`${pathname.split("/repos/acme/app/contents/")[1]} ${searchParams.get("ref") ?? ""}`);
      const [status, answer] =
        file === undefined
          ? host.answer(`${request.method} ${pathname}`, Buffer.concat(chunks).toString())
          : [200, { type: "file", encoding: "base64", content: Buffer.from(file).toString("base64") }];
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(answer));
    });
    await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
    return host;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.http.address() as AddressInfo).port}`;
  }

  private answer(asked: string, body: string): [status: number, answer: unknown] {
    switch (asked) {
      case "GET /repos/acme/app/installation":
        return [200, { id: 1 }];
      case "POST /app/installations/1/access_tokens":
        return [201, { token: "t", expires_at: new Date(Date.now() + 3_600_000).toISOString() }];
      case "GET /repos/acme/app/issues":
        return [200, this.issues];
      case "POST /repos/acme/app/issues":
        if (this.failing > 0) {
          this.failing--;
          return [422, {}];
        }
        this.issues.push(JSON.parse(body) as Issue);
        return [201, { number: this.issues.length, html_url: `${this.url}/acme/app/issues/${this.issues.length}` }];
      case "GET /repos/acme/app":
        return [200, { full_name: "acme/app", description: "A lamp", homepage: "https://acme.example", owner: { avatar_url: "" } }];
      case "GET /repos/acme/app/releases":
        return [200, this.releases];
      case "GET /repos/acme/app/releases/latest":
        return this.releases[0] ? [200, this.releases[0]] : [404, {}];
      default: {
        const tag = asked.split("GET /repos/acme/app/releases/tags/")[1];
        const found = this.releases.find(({ tag_name }) => tag_name === tag);
        return found ? [200, found] : [404, {}];
      }
    }
  }

  /** An empty server that uses this code host, with its app set up. */
  async server(): Promise<Server> {
    const server = await Server.start(undefined, [
      `--codehost-api-base-url=${this.url}`,
      `--codehost-web-base-url=${this.url}`,
      "--dist-base-url=https://downloads.example",
    ]);
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    await server.call("PUT", "/admin/codehost-app", {
      app_id: "7",
      private_key: privateKey.export({ type: "pkcs1", format: "pem" }),
      enabled_features: ["feedback_issue", "comment_commands"],
    });
    return server;
  }

  async remove(): Promise<void> {
    const ended = new Promise((resolve) => this.http.close(resolve));
    this.http.closeAllConnections();
    await ended;
  }
}
