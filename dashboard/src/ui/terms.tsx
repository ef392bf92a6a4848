/** What every figure means: its definition, its denominator, and as of when. One text for all pages. */
import { createContext, useContext, type ReactNode } from "react";
import { clock } from "@/lib/time";
import { Explain } from "./Explain";

/** When the answer that is being shown came; 0 where none is known. */
export const AnsweredAt = createContext(0);

/** As of when a figure holds. Those of settled calls say which calls were judged. */
function AsOf({ ms, settled }: { ms: number | undefined; settled: boolean }) {
  const answered = useContext(AnsweredAt);
  if (settled && ms !== undefined)
    return <> Calls that had ended and arrived by {clock(ms)} UTC are judged.</>;
  const at = ms ?? answered;
  return at > 0 ? <> As of {clock(at)} UTC: all that had arrived by then.</> : null;
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
  tools_used: { label: "Tools", text: <>Different tools that this session called.</> },
  retried: {
    label: "Retried",
    text: (
      <>
        Calls that failed or came back empty and were tried again with other arguments, within 30 s of the
        same session and client.
      </>
    ),
  },
  followed: {
    label: "Followed up",
    text: (
      <>
        Good calls after which the same tool was called again with other arguments: reworded, or the next of a
        list. Hashes cannot tell which.
      </>
    ),
  },
  call_is: {
    label: "Is",
    text: (
      <>
        What the call is to the one before it of the same tool, session and client: a <em>retry</em> (that one
        failed or was empty, and the arguments are others), a <em>follow-up</em> (that one was good), or a{" "}
        <em>repeat</em> of the same arguments.
      </>
    ),
  },
  call_was: {
    label: "Was then",
    text: (
      <>
        What became of the call: retried, or followed up, with the estimated probability that this was a
        rewording and not the next of a list.
      </>
    ),
  },
  response_units: {
    label: "Answers, units",
    text: <>Size of all answers of this session together, in UTF-16 units. Four are about one token.</>,
  },
  pair_times: {
    label: "Times",
    text: <>How often one tool followed directly upon the other in the same session and client.</>,
  },
  pair_share: {
    label: "Share",
    text: <>How often this one came next ÷ settled calls of the tool before it, outside crowded sessions.</>,
  },
  difference: {
    label: "Difference",
    text: (
      <>
        <em>Strict</em> after the change less <em>strict</em> before it, in percentage points, with its 99%
        interval: a change that leaves it at nought may have done nothing. Sessions are told apart by the list
        of tools they had, not by date; the share of lists cancels out.
      </>
    ),
  },
  without_error: {
    label: "Without error",
    text: <>The same for the share of settled calls that ended without an error.</>,
  },
  agreed: {
    label: "Agreed",
    text: <>Comparisons that found the same value ÷ comparisons of this field between these two tools.</>,
  },
  verdicts: {
    label: "Verdicts",
    text: <>Comparisons made inside the producer. Values never leave it: only whether they agreed.</>,
  },
  known_client: {
    label: "Client known",
    text: <>Calls whose client said its name ÷ calls. Without names, clients cannot be told apart.</>,
  },
  crowded: {
    label: "Crowded",
    text: (
      <>
        Calls in sessions busier than one conversation can be (over 60 calls in a minute or 600 in an hour) ÷
        calls. They stay out of everything that needs a sequence.
      </>
    ),
  },
  clock: {
    label: "Clock",
    text: (
      <>
        From the end of the newest call of the request to its arrival: up to some seconds is usual, as
        producers send in batches. <em>Ahead</em> means that the producer’s clock is fast; calls more than 10
        minutes ahead are rejected.
      </>
    ),
  },
  accepted: {
    label: "Payloads accepted",
    text: <>Calls, startups and agreements of these days (UTC) that are on disk.</>,
  },
  rejected: {
    label: "Payloads rejected",
    text: <>Payloads of these days that broke a rule, each counted under the first one it broke.</>,
  },
  rejected_share: {
    label: "Share rejected",
    text: <>Payloads rejected ÷ payloads accepted and rejected, on these days.</>,
  },
  newest_payload: {
    label: "Newest payload",
    text: <>When anything that was accepted last arrived, whatever the range.</>,
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
      <AsOf ms={asOf} settled={SETTLED.has(of)} />
    </Explain>
  );
}
