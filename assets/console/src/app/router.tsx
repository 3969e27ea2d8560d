// Which page an address shows. Pages are loaded when they are first shown.

import { createRootRoute, createRoute, createRouter, lazyRouteComponent, Outlet, redirect } from "@tanstack/react-router";
import { formatSearch, parseSearch, type Search } from "./address";
import { BrokenPage } from "./broken";
import { Frame } from "./frame";
import { MissingPage } from "./missing";
import { isReachable, untilFound } from "./server";
import { session } from "./session";

// Each parameter is validated where it is used, see address.ts.
const root = createRootRoute({ component: Outlet, validateSearch: (search): Search => search as Search });

const login = createRoute({ getParentRoute: () => root, path: "/login", component: lazyRouteComponent(() => import("../pages/login")) });

const admin = createRoute({
  getParentRoute: () => root,
  path: "/admin",
  component: Frame,
  beforeLoad: ({ location }) => {
    if (!session()) {
      throw redirect({ to: "/login", search: { returnTo: location.href } as never, replace: true });
    }
  },
});

type PageModule = () => Promise<{ default: () => React.ReactNode }>;

const pages: Record<string, PageModule> = {
  "/": () => import("../pages/overview"),
  "/announcements": () => import("../pages/announcements"),
  "/projects": () => import("../pages/projects"),
  "/projects/codehost": () => import("../pages/projects/codehost"),
  "/versions": () => import("../pages/versions"),
  "/tokens": () => import("../pages/tokens"),
  "/settings": () => import("../pages/settings/administrator"),
  "/settings/codehost-app": () => import("../pages/settings/codehost-app"),
  "/settings/translation": () => import("../pages/settings/translation"),
  "/settings/storage": () => import("../pages/settings/storage"),
  "/settings/terms": () => import("../pages/settings/terms"),
  "/about": () => import("../pages/about"),
  "/analytics": () => import("../pages/statistics"),
  "/feedbacks": () => import("../pages/feedbacks"),
  "/events": () => import("../pages/events/overview"),
  "/events/definitions": () => import("../pages/events/definitions"),
  "/events/funnel": () => import("../pages/events/funnel"),
  "/events/retention": () => import("../pages/events/retention"),
  "/events/paths": () => import("../pages/events/paths"),
  "/events/explore": () => import("../pages/events/explore"),
  "/events/dashboard": () => import("../pages/events/dashboard"),
  "/files": () => import("../pages/files"),
  "/logs": () => import("../pages/logs"),
};

/** Loads a page, as soon as the server can be reached. */
async function loaded(load: PageModule): ReturnType<PageModule> {
  try {
    return await load();
  } catch (error) {
    if (await isReachable()) {
      throw error;
    }
    await untilFound();
    return load();
  }
}

const children = Object.entries(pages).map(([path, load]) =>
  createRoute({ getParentRoute: () => admin, path, component: lazyRouteComponent(() => loaded(load)) }),
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
