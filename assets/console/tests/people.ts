// Six users who open an app. Four look at something, two buy. Every second user has the dark theme. The first two
// came within the hour, the others two days ago.

import type { Server } from "./server";

const day = 86_400;

export async function people(server: Server, project: string): Promise<void> {
  const now = Math.floor(Date.now() / 1000);
  for (const person of [0, 1, 2, 3, 4, 5]) {
    const at = person < 2 ? now - 1800 : now - 2 * day;
    const properties = { theme: person % 2 ? "light" : "dark" };
    const names = ["open", ...(person >= 2 ? ["view"] : []), ...(person >= 4 ? ["buy"] : [])];
    await server.call(
      "POST",
      `/public/${project}/events`,
      {
        distinct_id: `person-${person}`,
        session_id: `session-${person}`,
        platform: "windows 11",
        events: names.map((name, step) => ({ event_id: `${person}-${name}`, name, occurred_at: at + step * 60, properties })),
      },
      "",
    );
  }
}
