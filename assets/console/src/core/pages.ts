// The pages of the console: paths, names, groups in the side bar, and shortcuts.

import {
  IconApps,
  IconChartFunnel,
  IconChartLine,
  IconFiles,
  IconInfoCircle,
  IconKey,
  IconLayoutDashboard,
  IconListDetails,
  IconMessage2,
  IconServer2,
  IconSettings,
  IconSpeakerphone,
  IconVersions,
} from "@tabler/icons-react";
import type { Texts } from "../texts/en";

export type PageName = keyof Texts["frame"]["pages"];

/** The paths of pages below /admin. */
export type SubPath =
  | "/"
  | "/about"
  | "/analytics"
  | "/announcements"
  | "/events"
  | "/events/dashboard"
  | "/events/definitions"
  | "/events/explore"
  | "/events/funnel"
  | "/events/paths"
  | "/events/retention"
  | "/feedbacks"
  | "/files"
  | "/instance"
  | "/logs"
  | "/logs/group"
  | "/logs/groups"
  | "/projects"
  | "/projects/codehost"
  | "/projects/hooks"
  | "/settings"
  | "/settings/codehost-app"
  | "/settings/hooks"
  | "/settings/storage"
  | "/settings/terms"
  | "/settings/translation"
  | "/tokens"
  | "/versions"
  | "/versions/distribution"
  | "/versions/feeds"
  | "/versions/release";

export type Path = "/login" | "/admin" | `/admin${Exclude<SubPath, "/">}`;

export interface PageEntry {
  name: PageName;
  path: Path;
  icon: typeof IconApps;
  group: keyof Texts["frame"]["groups"];
  /** The second key of the shortcut that opens the page, after "g". It is a letter of the page's English name. */
  key: string;
  /** Whether the page shows data of a single project. */
  ofProject: boolean;
}

export const pages: readonly PageEntry[] = [
  { name: "overview", path: "/admin", icon: IconLayoutDashboard, group: "start", key: "t", ofProject: true },
  { name: "statistics", path: "/admin/analytics", icon: IconChartLine, group: "start", key: "s", ofProject: true },
  { name: "projects", path: "/admin/projects", icon: IconApps, group: "publish", key: "p", ofProject: false },
  { name: "versions", path: "/admin/versions", icon: IconVersions, group: "publish", key: "v", ofProject: true },
  { name: "files", path: "/admin/files", icon: IconFiles, group: "publish", key: "f", ofProject: true },
  { name: "announcements", path: "/admin/announcements", icon: IconSpeakerphone, group: "publish", key: "a", ofProject: true },
  { name: "events", path: "/admin/events", icon: IconChartFunnel, group: "users", key: "n", ofProject: true },
  { name: "feedbacks", path: "/admin/feedbacks", icon: IconMessage2, group: "users", key: "b", ofProject: true },
  { name: "logs", path: "/admin/logs", icon: IconListDetails, group: "users", key: "l", ofProject: true },
  { name: "instance", path: "/admin/instance", icon: IconServer2, group: "site", key: "i", ofProject: false },
  { name: "tokens", path: "/admin/tokens", icon: IconKey, group: "site", key: "k", ofProject: false },
  { name: "settings", path: "/admin/settings", icon: IconSettings, group: "site", key: "e", ofProject: false },
  { name: "about", path: "/admin/about", icon: IconInfoCircle, group: "site", key: "o", ofProject: false },
];

/** Pages below other pages, with the names for the window title. */
export const subPages: readonly { path: Path; name: keyof Texts["frame"]["settings"] }[] = [
  { path: "/admin/settings", name: "administrator" },
  { path: "/admin/settings/codehost-app", name: "codehostApp" },
  { path: "/admin/settings/translation", name: "translation" },
  { path: "/admin/settings/storage", name: "storage" },
  { path: "/admin/settings/hooks", name: "hooks" },
  { path: "/admin/settings/terms", name: "terms" },
];

/** Returns the page that a path belongs to. If several pages match, it is the one with the longest path. */
export function pageOf(path: string): PageEntry | undefined {
  const above = pages.filter((page) => path === page.path || (page.path !== "/admin" && path.startsWith(`${page.path}/`)));
  return above.at(-1) ?? (path === "/admin/" ? pages[0] : undefined);
}
