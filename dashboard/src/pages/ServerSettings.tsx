import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { api, data, describe, fieldError } from "@/api/client";
import { retentionQuery, serverQuery } from "@/api/queries";
import type { Server } from "@/api/types";
import { plural } from "@/lib/format";
import { useTitle } from "@/lib/hooks";
import { full } from "@/lib/time";
import { PageHead } from "@/shell/PageHead";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { Field } from "@/ui/Field";
import { Name } from "@/ui/Name";
import { Panel } from "@/ui/Panel";
import { QueryView } from "@/ui/QueryView";
import { Failed } from "@/ui/states";
import forms from "./forms.module.css";

const route = getRouteApi("/s/$serverId");

/** Name, retention and the end of a server. */
export function ServerSettingsPage() {
  const { serverId } = route.useParams();
  const server = useQuery(serverQuery(serverId));
  useTitle("Settings", server.data?.name ?? "");
  return (
    <>
      <PageHead title="Settings" />
      <QueryView query={server} what="the settings" lines={4}>
        {(found) => (
          <div className={forms.stack}>
            <Panel title="This server" note={`added ${full(found.created_ms)}`}>
              <Form key={found.id} server={found} />
              {found.retention_days != null && <Applied serverId={found.id} />}
            </Panel>
            <Panel title="Forget this server">
              <Forget server={found} />
            </Panel>
          </div>
        )}
      </QueryView>
    </>
  );
}

function Form({ server }: { server: Server }) {
  const cache = useQueryClient();
  const [name, setName] = useState(server.name);
  const [days, setDays] = useState(server.retention_days == null ? "" : String(server.retention_days));
  const save = useMutation({
    mutationFn: () =>
      data(
        api.PATCH("/v1/servers/{server_id}", {
          params: { path: { server_id: server.id } },
          body: { name: name.trim(), retention_days: days === "" ? null : Number(days) },
        }),
      ),
    onSuccess: async (saved) => {
      cache.setQueryData(serverQuery(server.id).queryKey, saved);
      await cache.invalidateQueries({ queryKey: ["servers"] });
    },
  });
  const [wrongName, wrongDays] = [fieldError(save.error, "name"), fieldError(save.error, "retention_days")];
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
          label="Name"
          value={name}
          error={wrongName}
          maxLength={100}
          required
          autoComplete="off"
          onChange={(event) => {
            setName(event.target.value);
          }}
        />
      </div>
      <div className={forms.inline}>
        <Field
          label="Days that calls are kept"
          hint="1 to 36,500. Left empty, calls are kept for good. What is older is deleted from disk within a day."
          type="number"
          min={1}
          max={36500}
          value={days}
          error={wrongDays}
          onChange={(event) => {
            setDays(event.target.value);
          }}
        />
      </div>
      {save.isError && !wrongName && !wrongDays && (
        <Failed what="Could not save" detail={describe(save.error)} />
      )}
      <p className={forms.line}>
        <Button kind="primary" type="submit" busy={save.isPending}>
          Save
        </Button>
        <span role="status">{save.isSuccess && "Saved."}</span>
      </p>
    </form>
  );
}

/** When the retention was applied last, and what went. */
function Applied({ serverId }: { serverId: string }) {
  const { data: state } = useQuery(retentionQuery(serverId));
  const last = state?.last_run;
  if (!last) return <p className={forms.text}>Not applied yet.</p>;
  if (last.failed) {
    return (
      <p className={forms.text}>
        Could not be applied {full(last.at_ms)}; it is tried again within the hour.
      </p>
    );
  }
  return (
    <p className={forms.text}>
      Applied {full(last.at_ms)}: {plural(last.deleted.calls, "call")} from before {full(last.before_ms)}{" "}
      deleted.
    </p>
  );
}

function Forget({ server }: { server: Server }) {
  const [asking, setAsking] = useState(false);
  return (
    <div className={forms.form}>
      <p className={forms.text}>Deletes the server, its keys, its settings and everything it ever sent.</p>
      <p>
        <Button
          kind="danger"
          onClick={() => {
            setAsking(true);
          }}
        >
          Forget this server…
        </Button>
      </p>
      {asking && (
        <Confirm
          server={server}
          onClose={() => {
            setAsking(false);
          }}
        />
      )}
    </div>
  );
}

function Confirm({ server, onClose }: { server: Server; onClose: () => void }) {
  const cache = useQueryClient();
  const navigate = useNavigate();
  const [typed, setTyped] = useState("");
  const forget = useMutation({
    mutationFn: () => api.DELETE("/v1/servers/{server_id}", { params: { path: { server_id: server.id } } }),
    onSuccess: async () => {
      await navigate({ to: "/servers" });
      cache.removeQueries({ queryKey: ["server", server.id] });
      await cache.invalidateQueries({ queryKey: ["servers"] });
    },
  });
  return (
    <Dialog title="Forget this server?" onClose={onClose}>
      <form
        className={forms.form}
        onSubmit={(event) => {
          event.preventDefault();
          forget.mutate();
        }}
      >
        <p className={forms.text}>
          Everything that <Name>{server.name}</Name> ever sent is deleted from disk. This cannot be undone.
        </p>
        <Field
          label="Type its name to go on"
          value={typed}
          autoComplete="off"
          onChange={(event) => {
            setTyped(event.target.value);
          }}
        />
        {forget.isError && <Failed what="Could not forget it" detail={describe(forget.error)} />}
        <div className={forms.buttons}>
          <Button onClick={onClose}>Keep it</Button>
          <Button kind="danger" type="submit" busy={forget.isPending} disabled={typed !== server.name}>
            Forget it
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
