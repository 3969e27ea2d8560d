// Records for tests.

import type { Server } from "./server";

/** Creates logs with the contents "entry 01", "entry 02" and so on; the last one is the newest. */
export async function seedLogs(
  server: Server,
  project: string,
  count: number,
  more: (index: number) => object = () => ({}),
): Promise<void> {
  for (let index = 1; index <= count; index++) {
    await server.call(
      "POST",
      `/public/${project}/logs`,
      { level: index % 4, content: `entry ${String(index).padStart(2, "0")}`, source: "sync", ...more(index) },
      "",
    );
  }
}

/** Sends feedback like an app and returns it. */
export function sendFeedback(server: Server, project: string, body: object): Promise<{ id: string }> {
  return server.call("POST", `/public/${project}/feedbacks`, body, "");
}
