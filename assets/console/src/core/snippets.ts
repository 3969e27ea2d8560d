// Code for getting started in CI and in an app.

import type { Calls } from "./examples";

const path = (project: string) => encodeURIComponent(project);

/** Returns the call with which CI publishes a release. It needs the scope versions:write. */
export function publishing(project: string): Calls {
  return {
    key: true,
    curl: {
      method: "PUT",
      path: `/admin/projects/${path(project)}/versions/by-version/1.0.0`,
      body: { title: "First release", content: "- Works." },
    },
    typescript: 'await client.admin.upsertVersion("1.0.0", { title: "First release", content: "- Works." });',
    go: '_, err = client.Admin.UpsertVersion(ctx, "1.0.0", svcsdk.VersionFields{\n\tTitle:   svcsdk.Set("First release"),\n\tContent: svcsdk.Set("- Works."),\n})',
    python: 'client.admin.upsert_version("1.0.0", title="First release", content="- Works.")',
    rust: 'client\n    .admin()\n    .upsert_version("1.0.0", &VersionFields::new().title("First release").content("- Works."))?;',
  };
}

/** Returns the call with which an app checks for a newer version. */
export function updating(project: string): Calls {
  return {
    curl: { path: `/public/${path(project)}/versions/check-update`, body: { current_comparable_version: "0.9.0" } },
    typescript:
      'const update = await client.updates.check({ currentVersion: "0.9.0" });\nconsole.log(update.decision, update.target?.version);',
    go: 'update, err := client.Updates.Check(ctx, &svcsdk.CheckOptions{CurrentVersion: "0.9.0"})\nif err == nil {\n\tfmt.Println(update.Decision)\n}',
    python: 'update = client.updates.check(current_version="0.9.0")\nprint(update.decision)',
    rust: 'let update = client.updates().check(&CheckOptions::new().current_version("0.9.0"))?;\nprintln!("{:?}", update.decision);',
  };
}

/** Returns the call that creates an announcement. It needs the scope announcements:write. */
export function announcing(project: string): Calls {
  const [title, content] = ["Maintenance", "We are back at 10:00 UTC."];
  return {
    key: true,
    curl: { path: `/admin/projects/${path(project)}/announcements`, body: { title, content } },
    typescript: `await client.admin.createAnnouncement({ title: "${title}", content: "${content}" });`,
    go: `_, err = client.Admin.CreateAnnouncement(ctx, svcsdk.AnnouncementCreate{\n\tTitle:   "${title}",\n\tContent: "${content}",\n})`,
    python: `client.admin.create_announcement(title="${title}", content="${content}")`,
    rust: `client\n    .admin()\n    .create_announcement(&AnnouncementFields::new().title("${title}").content("${content}"))?;`,
  };
}
