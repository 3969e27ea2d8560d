// A small service that uses svc: its page shows which version of the app is
// current, takes feedback, counts visits, and reports its own errors.
//
//   SVC_URL=https://svc.example.com/api/v1 SVC_PROJECT=acme node server.mjs

import { createServer } from "node:http";
import { SvcApiError, SvcClient } from "svc-sdk";

const client = new SvcClient({
  baseUrl: process.env.SVC_URL,
  projectKey: process.env.SVC_PROJECT,
  appVersion: "1.0.0",
  appIdentifier: "example-service/1.0.0",
});
client.logs.install();

const routes = {
  async "GET /"() {
    client.public.track("page_viewed", { path: "/" });
    const { decision, target } = await client.updates.check();
    return decision === "none" ? "You have the newest version." : `Version ${target.version} is out (${decision}).`;
  },
  async "POST /feedback"(text) {
    await client.public.createFeedback({ content: text });
    return "Thank you.";
  },
  async "GET /broken"() {
    throw new TypeError("this page is broken");
  },
};

const server = createServer(async (request, response) => {
  const parts = [];
  for await (const part of request) {
    parts.push(part);
  }
  const route = routes[`${request.method} ${request.url}`];
  if (!route) {
    response.writeHead(404).end("Not here.");
    return;
  }
  try {
    response.end(await route(Buffer.concat(parts).toString()));
  } catch (error) {
    if (!(error instanceof SvcApiError)) {
      client.logs.capture(error, { source: "http" });
    }
    response.writeHead(500).end("Something broke; we know about it.");
  }
});
server.listen(Number(process.env.PORT ?? 0), "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));

process.on("SIGTERM", async () => {
  server.close();
  server.closeAllConnections();
  await client.close();
});
