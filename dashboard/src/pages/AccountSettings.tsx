import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, data, describe, fieldError } from "@/api/client";
import { meQuery, tokensQuery } from "@/api/queries";
import type { AccessToken, Membership } from "@/api/types";
import { useTitle } from "@/lib/hooks";
import { day, full, iso } from "@/lib/time";
import { PageHead } from "@/shell/PageHead";
import { Button } from "@/ui/Button";
import { Copy } from "@/ui/Copy";
import { CsvButton, DataTable, type Column } from "@/ui/DataTable";
import { Field } from "@/ui/Field";
import { Name } from "@/ui/Name";
import { Panel } from "@/ui/Panel";
import { QueryView } from "@/ui/QueryView";
import { Empty, Failed } from "@/ui/states";
import forms from "./forms.module.css";
import css from "./Keys.module.css";

/** The price of tokens and the access tokens of every account in reach. */
export function AccountSettings() {
  useTitle("Account");
  const me = useQuery(meQuery);
  return (
    <>
      <PageHead title="Account" note={me.data && <Name>{me.data.user.email}</Name>} />
      <QueryView query={me} what="your account" lines={4}>
        {({ memberships }) => (
          <div className={forms.stack}>
            {memberships.map((membership) => (
              <OfAccount key={membership.account.id} membership={membership} />
            ))}
          </div>
        )}
      </QueryView>
    </>
  );
}

function OfAccount({ membership }: { membership: Membership }) {
  const { account, role } = membership;
  const tokens = useQuery(tokensQuery(account.id));
  return (
    <>
      <Panel
        title={account.name}
        anchor="account"
        note={`you are ${role === "member" ? "a member" : `an ${role}`}`}
      >
        <Price membership={membership} />
      </Panel>
      <Panel title="Access tokens" note="They read through REST what their maker may read.">
        <QueryView query={tokens} what="the access tokens">
          {(items) => <Tokens accountId={account.id} items={items} />}
        </QueryView>
      </Panel>
    </>
  );
}

function Price({ membership: { account, role } }: { membership: Membership }) {
  const cache = useQueryClient();
  const [price, setPrice] = useState(String(account.usd_per_million_tokens));
  const save = useMutation({
    mutationFn: () =>
      data(
        api.PATCH("/v1/accounts/{account_id}", {
          params: { path: { account_id: account.id } },
          body: { usd_per_million_tokens: Number(price) },
        }),
      ),
    onSuccess: async () => {
      // Every cost changes with the price.
      await cache.invalidateQueries();
    },
  });
  const wrong = fieldError(save.error, "usd_per_million_tokens");
  return (
    <form
      className={forms.form}
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <div className={forms.inline}>
        <Field
          label="US dollars for a million input tokens"
          hint={
            role === "member" ? "Only admins and owners can change it." : "What costs are worked out with."
          }
          error={wrong ?? (save.error ? describe(save.error) : undefined)}
          type="number"
          min={0}
          max={10000}
          step="any"
          required
          disabled={role === "member"}
          value={price}
          onChange={(event) => {
            setPrice(event.target.value);
          }}
        />
        <Button type="submit" busy={save.isPending} disabled={role === "member"}>
          Save
        </Button>
        <span role="status">{save.isSuccess && "Saved."}</span>
      </div>
    </form>
  );
}

function Tokens({ accountId, items }: { accountId: string; items: AccessToken[] }) {
  const cache = useQueryClient();
  const [name, setName] = useState("");
  const refresh = () => cache.invalidateQueries(tokensQuery(accountId));
  const create = useMutation({
    mutationFn: () =>
      data(
        api.POST("/v1/accounts/{account_id}/tokens", {
          params: { path: { account_id: accountId } },
          body: { name: name.trim(), scopes: ["read"] },
        }),
      ),
    onSuccess: async () => {
      setName("");
      await refresh();
    },
  });
  const revoke = useMutation({
    mutationFn: (token_id: string) =>
      api.DELETE("/v1/accounts/{account_id}/tokens/{token_id}", {
        params: { path: { account_id: accountId, token_id } },
      }),
    onSuccess: refresh,
  });
  const columns: Column<AccessToken>[] = [
    {
      key: "name",
      header: "Name",
      cell: (token) => <Name short>{token.name}</Name>,
      csv: (token) => token.name,
      sort: (token) => token.name,
    },
    {
      key: "prefix",
      header: "Begins with",
      cell: (token) => <code>{token.prefix}…</code>,
      csv: (token) => token.prefix,
    },
    {
      key: "scopes",
      header: "May",
      cell: (token) => token.scopes.join(", "),
      csv: (token) => token.scopes.join(" "),
    },
    {
      key: "created",
      header: "Made",
      cell: (token) => <span title={full(token.created_ms)}>{day(token.created_ms)}</span>,
      csv: (token) => iso(token.created_ms),
      sort: (token) => token.created_ms,
    },
    {
      key: "state",
      header: "State",
      cell: (token) =>
        token.revoked_ms != null ? (
          <span className={css.revoked}>revoked {day(token.revoked_ms)}</span>
        ) : token.expires_ms == null ? (
          <span className={css.works}>works</span>
        ) : (
          `until ${day(token.expires_ms)}`
        ),
      csv: (token) =>
        token.revoked_ms != null
          ? `revoked ${iso(token.revoked_ms)}`
          : token.expires_ms == null
            ? "works"
            : `until ${iso(token.expires_ms)}`,
    },
    {
      key: "actions",
      header: "Actions",
      bare: true,
      end: true,
      cell: (token) =>
        token.revoked_ms == null && (
          <Button
            kind="danger"
            small
            aria-label={`Revoke ${token.name}`}
            busy={revoke.isPending && revoke.variables === token.id}
            onClick={() => {
              revoke.mutate(token.id);
            }}
          >
            Revoke
          </Button>
        ),
    },
  ];
  return (
    <>
      {create.data && (
        <section className={css.secret} aria-label="New access token">
          <p>
            <strong>This is the only time this token is shown.</strong> Copy it now; the server keeps a hash
            of it.
          </p>
          <p className={css.line}>
            <code>{create.data.secret}</code>
            <Copy text={create.data.secret} label="Copy token" />
          </p>
        </section>
      )}
      {items.length === 0 ? (
        <Empty title="No access token yet" />
      ) : (
        <>
          <DataTable caption="Access tokens" columns={columns} rows={items} rowKey={(token) => token.id} />
          <p className={css.download}>
            <CsvButton name="access-tokens" columns={columns} rows={items} />
          </p>
        </>
      )}
      {revoke.isError && <Failed what="Could not revoke it" detail={describe(revoke.error)} />}
      <form
        className={`${forms.inline} ${css.make}`}
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate();
        }}
      >
        <Field
          label="New token, to read with"
          placeholder="weekly report"
          error={fieldError(create.error, "name") ?? (create.error ? describe(create.error) : undefined)}
          value={name}
          maxLength={100}
          required
          autoComplete="off"
          onChange={(event) => {
            setName(event.target.value);
          }}
        />
        <Button type="submit" busy={create.isPending} disabled={name.trim() === ""}>
          Make a token
        </Button>
      </form>
    </>
  );
}
