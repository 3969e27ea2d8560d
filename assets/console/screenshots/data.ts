// Data of a server that the screenshots show instead of the demo.

import type { Server } from "../tests/server";
import { project } from "./scenes";

/** Creates a project without records or, for "few", with a record of each kind. */
export async function fill(server: Server, amount: string): Promise<void> {
  await server.call("POST", "/admin/projects", { project_key: project, name: "Quillmere" });
  if (amount !== "few") {
    return;
  }
  const admin = `/admin/projects/${project}`;
  const app = `/public/${project}`;
  await server.call("POST", `${admin}/versions`, { version: "1.0.0", comparable_version: "1.0.0", title: "First release" });
  await server.call("POST", `${admin}/announcements`, { title: "Welcome", content: "Thank you for trying it." });
  await server.call("POST", `${app}/versions/check-update`, { current_version: "1.0.0" }, "");
  await server.call("POST", `${app}/feedbacks`, { content: "Works well.", rating: 5 }, "");
  await server.call("POST", `${app}/logs`, { level: 3, content: "cannot open the library" }, "");
  await server.call("POST", `${app}/events`, { distinct_id: "first", events: [{ event_id: "1", name: "app_opened" }] }, "");
}
