import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
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
  // What was chosen and is not answered yet: shown at once, so that the choice follows the click or the arrow key.
  const [chosen, setChosen] = useState<ToolMode | null>();
  const change = useMutation({
    mutationFn: (next: ToolMode | null) =>
      data(
        api.PATCH("/v1/servers/{server_id}/tool-modes", {
          params: { path: { server_id: serverId } },
          body: { tool, mode: next },
        }),
      ),
    // One after the other: the last choice is the last to arrive.
    scope: { id: `mode ${serverId} ${tool}` },
    onSuccess: () => cache.invalidateQueries({ queryKey: ["server", serverId] }),
    onSettled: (_answer, _error, next) => {
      setChosen((now) => (now === next ? undefined : now));
    },
  });
  const shown = chosen === undefined ? mode : chosen;
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
            onChange={() => {
              const next = value === "" ? null : value;
              setChosen(next);
              change.mutate(next);
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
