/** The five slices of outcome, in the order in which they are always drawn and listed. */
export const OUTCOMES = ["ok", "empty", "bad_args", "tool_error", "crashed"] as const;

export type Outcome = (typeof OUTCOMES)[number];
export type Slices = Record<Outcome, number>;

export interface OutcomeText {
  label: string;
  definition: string;
  colour: string;
}

export const OUTCOME: Record<Outcome, OutcomeText> = {
  ok: {
    label: "ok",
    definition: "The tool answered, and the answer was not empty.",
    colour: "var(--ok)",
  },
  empty: {
    label: "empty",
    definition: "The tool answered without an error, but with nothing in it.",
    colour: "var(--empty)",
  },
  bad_args: {
    label: "bad arguments",
    definition: "The arguments failed validation, or there is no such tool: the handler never ran.",
    colour: "var(--bad-args)",
  },
  tool_error: {
    label: "tool error",
    definition: "The tool itself said that it failed.",
    colour: "var(--tool-error)",
  },
  crashed: {
    label: "crashed",
    definition: "Something unforeseen escaped the handler, or its result was refused.",
    colour: "var(--crashed)",
  },
};
