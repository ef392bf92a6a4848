/** Every page and its address. Pages load when they are first opened. */
import type { QueryClient } from "@tanstack/react-query";
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
  type RouterHistory,
} from "@tanstack/react-router";
import { insightsQuery, overviewQuery } from "./api/queries";
import { nameOf, partOf } from "./lib/path";
import { parseSearch, readFilters, readSort, stringifySearch } from "./lib/search";
import { SignIn } from "./pages/SignIn";
import { PageFailed, PageNotFound } from "./pages/PageFailed";
import { Servers } from "./pages/Servers";
import { ServerShell } from "./shell/ServerShell";
import { Shell } from "./shell/Shell";
import { Loading } from "./ui/states";

const root = createRootRouteWithContext<{ cache: QueryClient }>()({
  component: Outlet,
  notFoundComponent: PageNotFound,
});

const signIn = createRoute({
  getParentRoute: () => root,
  path: "/sign-in",
  // Only a path of this site: a link must not send anybody elsewhere after signing in.
  validateSearch: ({ next }: Record<string, unknown>): { next?: string } =>
    typeof next === "string" && /^\/(?![/\\])/u.test(next) ? { next } : {},
  component: SignIn,
});

const index = createRoute({
  getParentRoute: () => root,
  path: "/",
  beforeLoad: () => {
    // eslint-style rules want an Error here, but this is how the router is told.
    // oxlint-disable-next-line typescript/only-throw-error
    throw redirect({ to: "/servers", replace: true });
  },
});

const plain = createRoute({ getParentRoute: () => root, id: "plain", component: Shell });

const servers = createRoute({ getParentRoute: () => plain, path: "/servers", component: Servers });

const settings = createRoute({
  getParentRoute: () => plain,
  path: "/settings",
  component: lazyRouteComponent(() => import("./pages/AccountSettings"), "AccountSettings"),
});

const server = createRoute({
  getParentRoute: () => root,
  path: "/s/$serverId",
  validateSearch: (raw: Record<string, unknown>) => ({ ...readFilters(raw), ...readSort(raw) }),
  component: ServerShell,
});

const overview = createRoute({
  getParentRoute: () => server,
  path: "/",
  // Asked for while the page's code is on its way, and not after it: nothing waits for the answers here.
  loaderDeps: ({ search }) => readFilters({ ...search }),
  loader: ({ context: { cache }, params: { serverId }, deps }) => {
    void cache.prefetchQuery(overviewQuery(serverId, deps));
    void cache.prefetchQuery(insightsQuery(serverId, deps));
  },
  component: lazyRouteComponent(() => import("./pages/Overview"), "OverviewPage"),
});
const tools = createRoute({
  getParentRoute: () => server,
  path: "tools",
  component: lazyRouteComponent(() => import("./pages/Tools"), "ToolsPage"),
});

const tool = createRoute({
  getParentRoute: () => server,
  path: "tools/$tool",
  params: {
    parse: ({ tool: part }) => ({ tool: nameOf(part) }),
    stringify: ({ tool: name }) => ({ tool: partOf(name) }),
  },
  component: lazyRouteComponent(() => import("./pages/Tool"), "ToolPage"),
});
const sessions = createRoute({
  getParentRoute: () => server,
  path: "sessions",
  component: lazyRouteComponent(() => import("./pages/Sessions"), "SessionsPage"),
});
const session = createRoute({
  getParentRoute: () => server,
  path: "sessions/$sessionId",
  component: lazyRouteComponent(() => import("./pages/Session"), "SessionPage"),
});
const changes = createRoute({
  getParentRoute: () => server,
  path: "changes",
  component: lazyRouteComponent(() => import("./pages/Changes"), "ChangesPage"),
});
const agreements = createRoute({
  getParentRoute: () => server,
  path: "agreements",
  component: lazyRouteComponent(() => import("./pages/Agreements"), "AgreementsPage"),
});
const overlaps = createRoute({
  getParentRoute: () => server,
  path: "overlaps",
  component: lazyRouteComponent(() => import("./pages/Overlaps"), "OverlapsPage"),
});
const producers = createRoute({
  getParentRoute: () => server,
  path: "producers",
  component: lazyRouteComponent(() => import("./pages/Producers"), "ProducersPage"),
});
const ingest = createRoute({
  getParentRoute: () => server,
  path: "ingest",
  component: lazyRouteComponent(() => import("./pages/Ingest"), "IngestPage"),
});
const keys = createRoute({
  getParentRoute: () => server,
  path: "keys",
  component: lazyRouteComponent(() => import("./pages/Keys"), "KeysPage"),
});
const serverSettings = createRoute({
  getParentRoute: () => server,
  path: "settings",
  component: lazyRouteComponent(() => import("./pages/ServerSettings"), "ServerSettingsPage"),
});

const tree = root.addChildren([
  index,
  signIn,
  plain.addChildren([servers, settings]),
  server.addChildren([
    overview,
    tools,
    tool,
    sessions,
    session,
    changes,
    agreements,
    overlaps,
    producers,
    ingest,
    keys,
    serverSettings,
  ]),
]);

/** `history` is given by tests; a browser has its own. */
export function makeRouter(cache: QueryClient, history?: RouterHistory) {
  return createRouter({
    routeTree: tree,
    context: { cache },
    ...(history && { history }),
    parseSearch,
    stringifySearch,
    // What no page reads from the address is not there: validation would otherwise only add.
    search: { strict: true },
    scrollRestoration: true,
    defaultPreload: "intent",
    defaultErrorComponent: PageFailed,
    defaultPendingComponent: () => <Loading lines={8} />,
  });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof makeRouter>;
  }
}
