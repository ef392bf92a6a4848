import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api, data, describe } from "@/api/client";
import type { ToolMode } from "@/api/types";
import { Explain } from "@/ui/Explain";
import css from "./Mode.module.css";

const MODES: readonly [ToolMode | "", string][] = [
  ["", "estimated"],
  ["in_series", "called in series"],
  ["one_answer", "one answer expected"],
];

/** How the owner says a tool is called, which decides its estimate. */
export function Mode({
  serverId,
  tool,
  mode,
}: {
  serverId: string;
  tool: string;
  mode: ToolMode | null | undefined;
}) {
  const cache = useQueryClient();
  const change = useMutation({
    mutationFn: (next: ToolMode | null) =>
      data(
        api.PATCH("/v1/servers/{server_id}/tool-modes", {
          params: { path: { server_id: serverId } },
          body: { tool, mode: next },
        }),
      ),
    onSuccess: () => cache.invalidateQueries({ queryKey: ["server", serverId] }),
  });
  const shown = change.isPending ? change.variables : (mode ?? null);
  return (
    <fieldset className={css.mode}>
      <legend>
        <Explain term="Follow-ups of this tool">
          Left to itself, the share of rewordings among follow-ups is estimated. Say <em>called in series</em>{" "}
          for a tool that goes through ids or pages (the estimate is then <em>lenient</em>), or{" "}
          <em>one answer expected</em> where a second question means that the first answer missed (then{" "}
          <em>strict</em>).
        </Explain>
      </legend>
      {MODES.map(([value, label]) => (
        <label key={value} className={css.choice}>
          <input
            type="radio"
            name="mode"
            checked={(shown ?? "") === value}
            disabled={change.isPending}
            onChange={() => {
              change.mutate(value === "" ? null : value);
            }}
          />
          {label}
        </label>
      ))}
      {change.isError && (
        <p className={css.error} role="alert">
          {describe(change.error)}
        </p>
      )}
    </fieldset>
  );
}
