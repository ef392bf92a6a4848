import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { api, data, describe, fieldError } from "@/api/client";
import { keysQuery, serverQuery } from "@/api/queries";
import type { IngestKey } from "@/api/types";
import { count } from "@/lib/format";
import { useTitle } from "@/lib/hooks";
import { day, full, iso } from "@/lib/time";
import { PageHead } from "@/shell/PageHead";
import { Button } from "@/ui/Button";
import { Copy } from "@/ui/Copy";
import { CsvButton, DataTable, type Column } from "@/ui/DataTable";
import { Dialog } from "@/ui/Dialog";
import { Field } from "@/ui/Field";
import { Name } from "@/ui/Name";
import { Panel } from "@/ui/Panel";
import { QueryView } from "@/ui/QueryView";
import { Empty, Failed } from "@/ui/states";
import forms from "./forms.module.css";
import { FirstPayload, Install } from "./install/Install";
import { keepSecret, secretOf } from "./install/secret";
import css from "./Keys.module.css";

const route = getRouteApi("/s/$serverId");

/** The server's ingest keys, and how to use one. */
export function KeysPage() {
  const { serverId } = route.useParams();
  const server = useQuery(serverQuery(serverId));
  const keys = useQuery(keysQuery(serverId));
  useTitle("Keys and install", server.data?.name ?? "");

  // The newest key whose secret this page still knows.
  const known = keys.data?.findLast((key) => key.revoked_ms == null && secretOf(key.id) !== undefined);
  const secret = known && secretOf(known.id);

  return (
    <>
      <PageHead title="Keys and install" />
      <div className={forms.stack}>
        <FirstPayload serverId={serverId} />
        {secret && <Secret secret={secret} />}
        <Panel title="Install">
          <Install secret={secret} />
        </Panel>
        <Panel title="Keys" note="A key only writes, and only to this server.">
          <QueryView query={keys} what="the keys">
            {(items) => <KeyList serverId={serverId} items={items} />}
          </QueryView>
        </Panel>
      </div>
    </>
  );
}

/** Shown once: only its hash is stored. */
function Secret({ secret }: { secret: string }) {
  return (
    <section className={css.secret} aria-label="New key">
      <p>
        <strong>This is the only time this key is shown.</strong> Copy it now; the server keeps a hash of it.
      </p>
      <p className={css.line}>
        <code data-testid="secret">{secret}</code>
        <Copy text={secret} label="Copy key" />
      </p>
    </section>
  );
}

function KeyList({ serverId, items }: { serverId: string; items: IngestKey[] }) {
  const cache = useQueryClient();
  const [revoking, setRevoking] = useState<IngestKey | null>(null);
  const columns: Column<IngestKey>[] = [
    {
      key: "name",
      header: "Name",
      cell: (key) => <Name short>{key.name}</Name>,
      csv: (key) => key.name,
      sort: (key) => key.name,
    },
    {
      key: "prefix",
      header: "Begins with",
      cell: (key) => <code>{key.prefix}…</code>,
      csv: (key) => key.prefix,
    },
    {
      key: "limit_per_minute",
      header: "Payloads a minute",
      end: true,
      cell: (key) => count(key.limit_per_minute),
      csv: (key) => key.limit_per_minute,
      sort: (key) => key.limit_per_minute,
    },
    {
      key: "created_ms",
      header: "Made",
      cell: (key) => <span title={full(key.created_ms)}>{day(key.created_ms)}</span>,
      csv: (key) => iso(key.created_ms),
      sort: (key) => key.created_ms,
    },
    {
      key: "state",
      header: "State",
      cell: (key) =>
        key.revoked_ms == null ? (
          <span className={css.works}>works</span>
        ) : (
          <span className={css.revoked} title={full(key.revoked_ms)}>
            revoked {day(key.revoked_ms)}
          </span>
        ),
      csv: (key) => (key.revoked_ms == null ? "works" : `revoked ${iso(key.revoked_ms)}`),
    },
    {
      key: "actions",
      header: "Actions",
      bare: true,
      end: true,
      cell: (key) =>
        key.revoked_ms == null && (
          <Button
            kind="danger"
            small
            aria-label={`Revoke ${key.name}`}
            onClick={() => {
              setRevoking(key);
            }}
          >
            Revoke
          </Button>
        ),
    },
  ];
  return (
    <>
      {items.length === 0 ? (
        <Empty title="No key yet">Make one below: nothing can arrive without it.</Empty>
      ) : (
        <>
          <DataTable caption="Ingest keys" columns={columns} rows={items} rowKey={(key) => key.id} />
          <p className={css.download}>
            <CsvButton name="keys" columns={columns} rows={items} />
          </p>
        </>
      )}
      <NewKey serverId={serverId} />
      {revoking && (
        <Revoke
          ingestKey={revoking}
          onClose={() => {
            setRevoking(null);
          }}
          onDone={async () => {
            setRevoking(null);
            await cache.invalidateQueries(keysQuery(serverId));
          }}
        />
      )}
    </>
  );
}

function NewKey({ serverId }: { serverId: string }) {
  const cache = useQueryClient();
  const [name, setName] = useState("");
  const create = useMutation({
    mutationFn: () =>
      data(
        api.POST("/v1/servers/{server_id}/keys", {
          params: { path: { server_id: serverId } },
          body: { name: name.trim() },
        }),
      ),
    onSuccess: async (made) => {
      keepSecret(made.key.id, made.secret);
      setName("");
      await cache.invalidateQueries(keysQuery(serverId));
      document.querySelector("#main")?.scrollIntoView();
    },
  });
  const wrong = fieldError(create.error, "name");
  return (
    <form
      className={`${forms.inline} ${css.make}`}
      onSubmit={(event) => {
        event.preventDefault();
        create.mutate();
      }}
    >
      <Field
        label="Another key"
        placeholder="production"
        error={wrong ?? (create.error ? describe(create.error) : undefined)}
        value={name}
        maxLength={100}
        required
        autoComplete="off"
        onChange={(event) => {
          setName(event.target.value);
        }}
      />
      <Button type="submit" busy={create.isPending} disabled={name.trim() === ""}>
        Make a key
      </Button>
    </form>
  );
}

function Revoke({
  ingestKey,
  onClose,
  onDone,
}: {
  ingestKey: IngestKey;
  onClose: () => void;
  onDone: () => Promise<void>;
}) {
  const revoke = useMutation({
    mutationFn: () => api.DELETE("/v1/keys/{key_id}", { params: { path: { key_id: ingestKey.id } } }),
    onSuccess: onDone,
  });
  return (
    <Dialog title="Revoke this key?" onClose={onClose}>
      <div className={forms.form}>
        <p className={forms.text}>
          Whatever sends with <Name>{ingestKey.name}</Name> (<code>{ingestKey.prefix}…</code>) is refused from
          that moment on. This cannot be undone.
        </p>
        {revoke.isError && <Failed what="Could not revoke it" detail={describe(revoke.error)} />}
        <div className={forms.buttons}>
          <Button onClick={onClose}>Keep it</Button>
          <Button
            kind="danger"
            busy={revoke.isPending}
            onClick={() => {
              revoke.mutate();
            }}
          >
            Revoke
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
