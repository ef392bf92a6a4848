import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { api, data, describe, fieldError } from "@/api/client";
import { serversQuery } from "@/api/queries";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { Field } from "@/ui/Field";
import { Failed } from "@/ui/states";
import css from "./forms.module.css";
import { keepSecret } from "./install/secret";

/** A new server and its first key, in one step: the secret is shown on the page that follows. */
export function CreateServer({ accountId, onClose }: { accountId: string; onClose: () => void }) {
  const cache = useQueryClient();
  const navigate = useNavigate();
  const [name, setName] = useState("");
  const create = useMutation({
    mutationFn: async () => {
      const server = await data(
        api.POST("/v1/accounts/{account_id}/servers", {
          params: { path: { account_id: accountId } },
          body: { name: name.trim() },
        }),
      );
      const made = await data(
        api.POST("/v1/servers/{server_id}/keys", {
          params: { path: { server_id: server.id } },
          body: { name: "first key" },
        }),
      );
      return { server, made };
    },
    onSuccess: async ({ server, made }) => {
      keepSecret(made.key.id, made.secret);
      await navigate({ to: "/s/$serverId/keys", params: { serverId: server.id }, search: {} });
    },
    // The server may be there even when its key failed.
    onSettled: () => cache.invalidateQueries(serversQuery(accountId)),
  });
  const wrong = fieldError(create.error, "name");

  return (
    <Dialog title="Add a server" onClose={onClose}>
      <form
        className={css.form}
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate();
        }}
      >
        <Field
          label="Name"
          hint="As you call it among yourselves, such as orders or docs-search."
          error={wrong}
          value={name}
          maxLength={100}
          required
          autoComplete="off"
          onChange={(event) => {
            setName(event.target.value);
          }}
        />
        {create.isError && !wrong && <Failed what="Could not add it" detail={describe(create.error)} />}
        <div className={css.buttons}>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={create.isPending} disabled={name.trim() === ""}>
            Add and make a key
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
