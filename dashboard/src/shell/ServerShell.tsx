import { useQuery } from "@tanstack/react-query";
import { Link, Outlet, getRouteApi, useRouterState } from "@tanstack/react-router";
import {
  Activity,
  ChevronsUpDown,
  GitCompareArrows,
  History,
  KeyRound,
  LayoutDashboard,
  ListTree,
  Menu as MenuIcon,
  Radio,
  Scale,
  Settings,
  Wrench,
  X,
} from "lucide-react";
import { useState } from "react";
import { serverQuery } from "@/api/queries";
import { Button } from "@/ui/Button";
import { Name } from "@/ui/Name";
import { QueryView } from "@/ui/QueryView";
import { Mark } from "./Brand";
import css from "./Shell.module.css";
import { UserMenu } from "./UserMenu";

const route = getRouteApi("/s/$serverId");

/** `apart` begins a group: what happened, whether tools fit together, what feeds it. */
const PAGES = [
  { to: "/s/$serverId", label: "Overview", icon: LayoutDashboard },
  { to: "/s/$serverId/tools", label: "Tools", icon: Wrench },
  { to: "/s/$serverId/sessions", label: "Sessions", icon: ListTree },
  { to: "/s/$serverId/changes", label: "Changes", icon: History },
  { to: "/s/$serverId/agreements", label: "Agreements", icon: Scale, apart: true },
  { to: "/s/$serverId/overlaps", label: "Overlaps", icon: GitCompareArrows },
  { to: "/s/$serverId/producers", label: "Producers", icon: Radio },
  { to: "/s/$serverId/ingest", label: "Ingest health", icon: Activity, apart: true },
  { to: "/s/$serverId/keys", label: "Keys and install", icon: KeyRound },
  { to: "/s/$serverId/settings", label: "Settings", icon: Settings },
] as const;

/** The frame of a server's pages. Links keep the range and filters of the address. */
export function ServerShell() {
  const { serverId } = route.useParams();
  const server = useQuery(serverQuery(serverId));
  const path = useRouterState({ select: (state) => state.location.pathname });
  // The menu of a narrow page belongs to the page it was opened on.
  const [openOn, setOpenOn] = useState<string | null>(null);
  const open = openOn === path;

  const name = server.data ? <Name short>{server.data.name}</Name> : <span>…</span>;
  const links = (
    <nav className={css.nav} aria-label="Pages of this server">
      <ul>
        {PAGES.map(({ to, label, icon: Icon, ...page }) => (
          <li key={to} className={"apart" in page ? css.apart : undefined}>
            <Link
              to={to}
              params={{ serverId }}
              search={({ last_days, from, to: until, tools, clients }) => ({
                ...(last_days && { last_days }),
                ...(from && until && { from, to: until }),
                ...(tools && { tools }),
                ...(clients && { clients }),
              })}
              activeOptions={{ exact: to === "/s/$serverId", includeSearch: false }}
              className={css.link}
            >
              <Icon size={15} aria-hidden="true" />
              {label}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );

  return (
    <div className={css.server}>
      <a href="#main" className={css.skip}>
        Skip to the page
      </a>
      <header className={css.mobile} data-print="hide">
        <Button
          kind="quiet"
          small
          aria-expanded={open}
          aria-label={open ? "Close the menu" : "Open the menu"}
          onClick={() => {
            setOpenOn(open ? null : path);
          }}
        >
          {open ? <X size={18} aria-hidden="true" /> : <MenuIcon size={18} aria-hidden="true" />}
        </Button>
        <span className={css.name}>{name}</span>
        <Link to="/servers" className={css.brand} aria-label="All servers">
          <Mark />
        </Link>
      </header>
      {open && (
        <div className={css.drawer} data-print="hide">
          {links}
          <UserMenu />
        </div>
      )}
      <aside className={css.side} aria-label="Navigation" data-print="hide">
        <div className={css.stuck}>
          <Link to="/servers" className={css.brand}>
            <Mark /> MCPulse
          </Link>
          <Link to="/servers" className={css.switch} aria-label="All servers">
            {name}
            <ChevronsUpDown size={14} aria-hidden="true" />
          </Link>
          {links}
          <div className={css.foot}>
            <UserMenu />
          </div>
        </div>
      </aside>
      <main id="main" className={css.page} tabIndex={-1}>
        {server.data ? (
          <Outlet />
        ) : (
          <QueryView query={server} what="this server" lines={8}>
            {() => null}
          </QueryView>
        )}
      </main>
    </div>
  );
}
