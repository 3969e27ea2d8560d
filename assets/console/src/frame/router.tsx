// Maps addresses to pages. Pages are loaded when they are first shown.

import { createRootRoute, createRoute, createRouter, lazyRouteComponent, Outlet, redirect } from "@tanstack/react-router";
import { formatSearch, parseSearch, type Search } from "../core/address";
import { optionsOf } from "../core/go";
import type { SubPath } from "../core/pages";
import { loaded } from "../core/part";
import { session } from "../core/session";
import { loadTexts } from "../core/texts";
import type { PageTexts } from "../texts/loads";
import { BrokenPage } from "./broken";
import { Frame } from "./frame";
import { MissingPage } from "./missing";

// The root accepts any search parameters. Each parameter is validated where it is used; see
// address.ts.
const root = createRootRoute({ component: Outlet, validateSearch: (search): Search => search as Search });

const login = createRoute({ getParentRoute: () => root, path: "/login", component: lazyRouteComponent(() => import("./login")) });

const admin = createRoute({
  getParentRoute: () => root,
  path: "/admin",
  component: Frame,
  beforeLoad: ({ location }) => {
    if (!session()) {
      throw redirect(optionsOf({ to: "/login", search: { returnTo: location.href }, replace: true }));
    }
  },
});

type PageModule = () => Promise<{ default: () => React.ReactNode }>;

/** The module of each page, followed by the texts that the page uses. */
const pages: Record<SubPath, [PageModule, ...PageTexts[]]> = {
  "/": [() => import("../pages/today"), "today"],
  "/instance": [() => import("../pages/overview"), "overview", "today"],
  "/announcements": [() => import("../pages/announcements"), "announcements"],
  "/projects": [() => import("../pages/projects"), "projects"],
  "/projects/codehost": [() => import("../pages/projects/codehost"), "codehost"],
  "/projects/hooks": [() => import("../pages/hooks"), "hooks"],
  "/versions": [() => import("../pages/versions"), "versions"],
  "/versions/distribution": [() => import("../pages/versions/distribution"), "distribution", "rollouts", "versions", "settings"],
  "/versions/feeds": [() => import("../pages/versions/feeds"), "feeds", "versions", "assets"],
  "/versions/release": [() => import("../pages/versions/release"), "versions", "rollouts", "assets", "charts"],
  "/tokens": [() => import("../pages/tokens"), "tokens"],
  "/settings": [() => import("../pages/settings/administrator"), "settings"],
  "/settings/codehost-app": [() => import("../pages/settings/codehost-app"), "settings"],
  "/settings/translation": [() => import("../pages/settings/translation"), "settings"],
  "/settings/storage": [() => import("../pages/settings/storage"), "settings"],
  "/settings/hooks": [() => import("../pages/settings/hooks"), "hooks"],
  "/settings/terms": [() => import("../pages/settings/terms"), "settings"],
  "/about": [() => import("../pages/about"), "about"],
  "/analytics": [() => import("../pages/statistics"), "statistics", "charts"],
  "/feedbacks": [() => import("../pages/feedbacks"), "feedbacks", "codehost"],
  "/events": [() => import("../pages/events/overview"), "events", "charts"],
  "/events/definitions": [() => import("../pages/events/definitions"), "events"],
  "/events/funnel": [() => import("../pages/events/funnel"), "events", "charts"],
  "/events/retention": [() => import("../pages/events/retention"), "events", "charts"],
  "/events/paths": [() => import("../pages/events/paths"), "events", "charts"],
  "/events/explore": [() => import("../pages/events/explore"), "events", "charts"],
  "/events/dashboard": [() => import("../pages/events/dashboard"), "events", "charts"],
  "/files": [() => import("../pages/files"), "files"],
  "/logs": [() => import("../pages/logs"), "logs"],
  "/logs/group": [() => import("../pages/logs/group"), "logs", "charts"],
  "/logs/groups": [() => import("../pages/logs/groups"), "logs"],
};

async function loadPage(load: PageModule, texts: PageTexts[]): ReturnType<PageModule> {
  const [page] = await Promise.all([loaded(load), loadTexts(...texts)]);
  return page;
}

const children = Object.entries(pages).map(([path, [load, ...texts]]) =>
  createRoute({ getParentRoute: () => admin, path, component: lazyRouteComponent(() => loadPage(load, texts)) }),
);

export const router = createRouter({
  routeTree: root.addChildren([login, admin.addChildren(children)]),
  parseSearch,
  stringifySearch: formatSearch,
  defaultPreload: "intent",
  defaultErrorComponent: BrokenPage,
  defaultNotFoundComponent: MissingPage,
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
