import type { Change } from "@/api/types";
import type { ChangeMark } from "@/charts/OutcomeChart";

const KIND: Record<Change["kind"], string> = {
  first_surface: "First list of tools",
  surface: "New list of tools",
  producer: "New producer version",
};

export function changeTitle({ kind }: Change): string {
  return KIND[kind];
}

/** "2 added, wording changed": what a change was, in few words. */
export function changeWords(change: Change): string {
  if (change.kind === "producer") return "new producer";
  const parts: [number, string][] = [
    [change.added.length, "added"],
    [change.removed.length, "removed"],
    [change.renamed.length, "renamed"],
    [change.schema_changed.length, "schema"],
    [change.wording_changed.length, "wording"],
    [change.policy_changed.length, "policy"],
  ];
  return parts
    .filter(([times]) => times > 0)
    .map(([times, what]) => (times === 1 ? what : `${String(times)} ${what}`))
    .join(", ");
}

/** Where changes stand on a time axis. The first list of tools is none: there was nothing before it. */
export function changeMarks(changes: readonly Change[]): ChangeMark[] {
  return changes
    .filter((change) => change.kind !== "first_surface")
    .map((change) => ({ at: change.at_ms, label: changeWords(change) }));
}
