import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useState } from "react";
import { meQuery, overviewQuery, serversQuery } from "@/api/queries";
import type { Membership, Server } from "@/api/types";
import { Sparkline } from "@/charts/Sparkline";
import { ago, shortCount } from "@/lib/format";
import { useNow, useTitle } from "@/lib/hooks";
import { PageHead } from "@/shell/PageHead";
import { Button } from "@/ui/Button";
import { FirstCallCell } from "@/ui/FirstCall";
import { Name } from "@/ui/Name";
import { QueryView } from "@/ui/QueryView";
import { Empty, Loading } from "@/ui/states";
import { CreateServer } from "./CreateServer";
import { trend } from "./overview/points";
import css from "./Servers.module.css";

/** Every server of every account in reach. */
export function Servers() {
  useTitle("Servers");
  const me = useQuery(meQuery);
  return (
    <QueryView query={me} what="your account" lines={6}>
      {({ memberships }) =>
        memberships.length === 0 ? (
          <Empty title="You belong to no account">Ask an owner of one to add you.</Empty>
        ) : (
          memberships.map((membership) => <OfAccount key={membership.account.id} membership={membership} />)
        )
      }
    </QueryView>
  );
}

function OfAccount({ membership: { account } }: { membership: Membership }) {
  const servers = useQuery(serversQuery(account.id));
  const [creating, setCreating] = useState(false);
  const create = (
    <Button
      kind="primary"
      onClick={() => {
        setCreating(true);
      }}
    >
      <Plus size={15} aria-hidden="true" /> Add a server
    </Button>
  );
  return (
    <section className={css.account} aria-label={account.name}>
      <PageHead
        title="Servers"
        note={servers.data && servers.data.length > 0 ? create : <Name>{account.name}</Name>}
      />
      <QueryView query={servers} what="the servers" lines={6}>
        {(items) =>
          items.length === 0 ? (
            <div className={css.first}>
              <h2>See what models make of your tools</h2>
              <ol className={css.steps}>
                <li>Add your MCP server here. It gets a key.</li>
                <li>Wrap it with one line of code.</li>
                <li>Call a tool. Its first call shows up here seconds later.</li>
              </ol>
              {create}
            </div>
          ) : (
            <ul className={css.list}>
              <li className={css.head} aria-hidden="true">
                <span>Server</span>
                <span>Calls, 7 days</span>
                <span>First-call success</span>
                <span>Newest payload</span>
              </li>
              {items.map((server) => (
                <ServerRow key={server.id} server={server} />
              ))}
            </ul>
          )
        }
      </QueryView>
      {creating && (
        <CreateServer
          accountId={account.id}
          onClose={() => {
            setCreating(false);
          }}
        />
      )}
    </section>
  );
}

function ServerRow({ server }: { server: Server }) {
  const overview = useQuery({ ...overviewQuery(server.id, { last_days: 7 }), refetchInterval: 15_000 });
  const now = useNow();
  const data = overview.data;
  return (
    <li className={css.row}>
      <Link to="/s/$serverId" params={{ serverId: server.id }} search={{}} className={css.name}>
        <Name>{server.name}</Name>
      </Link>
      {data ? (
        data.confidence.newest_payload_ms == null ? (
          <span className={css.waiting}>
            Nothing received yet.{" "}
            <Link to="/s/$serverId/keys" params={{ serverId: server.id }} search={{}}>
              Install
            </Link>
          </span>
        ) : (
          <>
            <span className={css.calls}>
              <Sparkline
                {...trend(data.series, data.settled_as_of_ms, (point) => point.calls)}
                width={96}
                height={24}
              />
              <span>
                {shortCount(data.figures.calls)} <span className="visually-hidden">calls in 7 days</span>
              </span>
            </span>
            <span>
              <span className={css.label}>First-call success </span>
              <FirstCallCell value={data.figures.first_call} />
            </span>
            <span className={css.age}>
              <span className={css.label}>Newest payload </span>
              {ago(overview.dataUpdatedAt - (data.confidence.newest_payload_age_ms ?? 0), now)}
            </span>
          </>
        )
      ) : (
        <span className={css.waiting}>
          {overview.isError ? (
            "Figures could not be loaded."
          ) : (
            <Loading lines={1} label={`Loading the figures of ${server.name}`} />
          )}
        </span>
      )}
    </li>
  );
}
