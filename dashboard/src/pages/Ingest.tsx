import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { ingestQuery, keysQuery, serverQuery } from "@/api/queries";
import type { AcceptedDay, IngestHealth, IngestKey, RejectedRow } from "@/api/types";
import { ago, count, percent } from "@/lib/format";
import { useNow, useTitle } from "@/lib/hooks";
import { full, iso, moment } from "@/lib/time";
import { Filters } from "@/shell/Filters";
import { PageHead } from "@/shell/PageHead";
import { CsvButton, DataTable, type Column } from "@/ui/DataTable";
import { Figure, Figures } from "@/ui/Figure";
import { Name } from "@/ui/Name";
import { Panel } from "@/ui/Panel";
import { QueryView } from "@/ui/QueryView";
import { Empty } from "@/ui/states";
import { Term } from "@/ui/terms";
import forms from "./forms.module.css";
import { KeyName } from "./ingest/KeyName";
import { Tail } from "./ingest/Tail";

const route = getRouteApi("/s/$serverId");

/** What arrived and what was refused: nothing is dropped in silence. */
export function IngestPage() {
  const { serverId } = route.useParams();
  const search = route.useSearch();
  const server = useQuery(serverQuery(serverId));
  const ingest = useQuery(ingestQuery(serverId, search));
  const keys = useQuery(keysQuery(serverId));
  useTitle("Ingest health", server.data?.name ?? "");
  return (
    <>
      <PageHead title="Ingest health">
        <Filters serverId={serverId} only="range" />
      </PageHead>
      <div className={forms.stack}>
        <QueryView query={ingest} what="what arrived" lines={8}>
          {(health) => (
            <>
              <Headline health={health} />
              <Rejections health={health} keys={keys.data ?? []} />
            </>
          )}
        </QueryView>
        <Tail key={serverId} serverId={serverId} keys={keys.data ?? []} />
        <QueryView query={ingest} what="what was accepted" lines={4}>
          {(health) => <Accepted health={health} keys={keys.data ?? []} />}
        </QueryView>
      </div>
    </>
  );
}

function Headline({ health }: { health: IngestHealth }) {
  const now = useNow();
  return (
    <Figures>
      <Figure
        id="accepted"
        name={<Term of="accepted" />}
        value={count(health.accepted)}
        detail="calls, startups and agreements"
      />
      <Figure
        id="rejected"
        name={<Term of="rejected" />}
        value={count(health.rejected)}
        detail="each by the first rule it broke"
      />
      <Figure
        id="rejected-share"
        name={<Term of="rejected_share" />}
        value={percent(health.rejected_share)}
        detail="of all payloads on these days"
      />
      <Figure
        id="newest"
        name={<Term of="newest_payload" />}
        value={ago(health.newest_payload_ms, now)}
        detail={health.newest_payload_ms == null ? "nothing ever arrived" : full(health.newest_payload_ms)}
      />
    </Figures>
  );
}

function Rejections({ health, keys }: { health: IngestHealth; keys: readonly IngestKey[] }) {
  const columns: Column<RejectedRow>[] = [
    { key: "day", header: "Day", cell: (r) => r.day, csv: (r) => r.day, sort: (r) => r.day },
    {
      key: "rule",
      header: "Rule",
      cell: (r) => <code>{r.rule}</code>,
      csv: (r) => r.rule,
      sort: (r) => r.rule,
    },
    {
      key: "producer",
      header: "Producer",
      cell: (r) => <Name short>{r.producer}</Name>,
      csv: (r) => r.producer,
      sort: (r) => r.producer,
    },
    { key: "key", header: "Key", cell: (r) => <KeyName id={r.key_id} keys={keys} />, csv: (r) => r.key_id },
    {
      key: "count",
      header: "Payloads",
      end: true,
      cell: (r) => count(r.count),
      csv: (r) => r.count,
      sort: (r) => r.count,
    },
    {
      key: "last",
      header: "Last",
      cell: (r) => <span title={full(r.last_ms)}>{moment(r.last_ms)}</span>,
      csv: (r) => iso(r.last_ms),
      sort: (r) => r.last_ms,
    },
  ];
  return (
    <Panel
      title="Rejected, by rule and producer"
      note="Counted, never kept: a rejected payload may hold anything."
      actions={<CsvButton name="rejections" columns={columns} rows={health.rejections} />}
    >
      {health.rejections.length === 0 ? (
        <Empty title="Nothing was rejected on these days" />
      ) : (
        <DataTable
          caption="Rejected payloads"
          columns={columns}
          rows={health.rejections}
          rowKey={(r) => [r.day, r.key_id, r.producer, r.rule].join("\n")}
        />
      )}
    </Panel>
  );
}

function Accepted({ health, keys }: { health: IngestHealth; keys: readonly IngestKey[] }) {
  const columns: Column<AcceptedDay>[] = [
    { key: "day", header: "Day", cell: (r) => r.day, csv: (r) => r.day, sort: (r) => r.day },
    {
      key: "key",
      header: "Key",
      wide: true,
      cell: (r) => <KeyName id={r.key_id} keys={keys} />,
      csv: (r) => r.key_id,
    },
    {
      key: "calls",
      header: "Calls",
      end: true,
      cell: (r) => count(r.calls),
      csv: (r) => r.calls,
      sort: (r) => r.calls,
    },
    {
      key: "startups",
      header: "Startups",
      end: true,
      cell: (r) => count(r.startups),
      csv: (r) => r.startups,
      sort: (r) => r.startups,
    },
    {
      key: "agreements",
      header: "Agreements",
      end: true,
      cell: (r) => count(r.agreements),
      csv: (r) => r.agreements,
      sort: (r) => r.agreements,
    },
    {
      key: "last",
      header: "Last",
      cell: (r) => <span title={full(r.last_ms)}>{moment(r.last_ms)}</span>,
      csv: (r) => iso(r.last_ms),
      sort: (r) => r.last_ms,
    },
  ];
  return (
    <Panel
      title="Accepted, by day and key"
      actions={<CsvButton name="accepted" columns={columns} rows={health.accepted_days} />}
    >
      {health.accepted_days.length === 0 ? (
        <Empty title="Nothing arrived on these days" />
      ) : (
        <DataTable
          caption="Accepted payloads"
          columns={columns}
          rows={health.accepted_days}
          rowKey={(r) => `${r.day}\n${r.key_id}`}
        />
      )}
    </Panel>
  );
}
