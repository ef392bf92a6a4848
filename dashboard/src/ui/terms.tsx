/** What every figure means: its definition, its denominator, and as of when. One text for all pages. */
import type { ReactNode } from "react";
import { clock } from "@/lib/time";
import { Explain } from "./Explain";

/** Figures of settled calls say as of when. */
function AsOf({ ms }: { ms: number | undefined }) {
  return ms === undefined ? null : <> Calls that had ended and arrived by {clock(ms)} UTC are judged.</>;
}

const TERMS = {
  calls: {
    label: "Calls",
    text: (
      <>
        Finished <code>tools/call</code> requests that started in the range, whatever they came to.
      </>
    ),
  },
  first_call: {
    label: "First-call success",
    text: (
      <>
        <strong>The share of calls that gave the model what it wanted.</strong> Good calls, less the expected
        number that the model reworded because the answer missed; divided by settled calls outside crowded
        sessions. The truth lies between <em>strict</em> (nothing of the same tool came after) and{" "}
        <em>lenient</em> (every good call counts): hashes cannot tell a rewording from the next item of a
        list.
      </>
    ),
  },
  strict: {
    label: "Strict",
    text: (
      <>Good calls with no retry and no follow-up behind them ÷ settled calls outside crowded sessions.</>
    ),
  },
  lenient: { label: "Lenient", text: <>Good calls (ok, and not empty) ÷ settled calls.</> },
  p95: {
    label: "p95 latency",
    text: (
      <>
        95 of 100 calls took at most this long, from request to result (nearest rank, all calls in the range).
      </>
    ),
  },
  session_cost: {
    label: "Cost per session",
    text: (
      <>
        What the model pays to read an average session: response cost ÷ sessions, plus the list of tools that
        each session reads before it asks anything. Tokens are UTF-16 units ÷ 4, at the account’s price.
        Unknown when more than a tenth of the calls are in crowded sessions.
      </>
    ),
  },
  cost: {
    label: "Response cost",
    text: <>Response sizes in tokens (UTF-16 units ÷ 4) at the account’s price for a million input tokens.</>,
  },
  outcomes: {
    label: "Outcomes",
    text: (
      <>
        What calls came to: ok and not empty, ok but empty, arguments refused, the tool’s own error, or a
        crash. The five add up to the calls.
      </>
    ),
  },
  response: {
    label: "Mean answer",
    text: (
      <>
        Size of the answer as the model reads it, in UTF-16 units, per call. Four units are about one token.
      </>
    ),
  },
  sessions: {
    label: "Sessions",
    text: (
      <>Sessions with at least one matching call. A session is one run of a producer, or one conversation.</>
    ),
  },
  error_rate: {
    label: "Errors",
    text: <>Bad arguments, tool errors and crashes ÷ settled calls.</>,
  },
  empty_rate: { label: "Empties", text: <>Answers that were ok and empty ÷ settled calls.</> },
  schema: {
    label: "Listing cost",
    text: (
      <>
        What it costs that models read this tool’s entry in the list: its size in tokens × the sessions that
        had it, at the account’s price.
      </>
    ),
  },
} as const satisfies Record<string, { label: string; text: ReactNode }>;

export type TermName = keyof typeof TERMS;

/** The plain name of a figure. */
export function termLabel(of: TermName): string {
  return TERMS[of].label;
}

/** Figures that only count settled calls. */
const SETTLED = new Set<TermName>(["first_call", "strict", "lenient", "error_rate", "empty_rate"]);

/** A figure's name, explaining itself. */
export function Term({ of, label, asOf }: { of: TermName; label?: ReactNode; asOf?: number | undefined }) {
  return (
    <Explain term={label ?? TERMS[of].label}>
      {TERMS[of].text}
      {SETTLED.has(of) && <AsOf ms={asOf} />}
    </Explain>
  );
}
