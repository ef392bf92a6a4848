import type { ReactNode } from "react";
import type { Confidence } from "@/api/types";
import { ago, count, percent, plural } from "@/lib/format";
import { useNow } from "@/lib/hooks";
import { Explain } from "@/ui/Explain";
import { cx } from "@/ui/cx";
import css from "./DataConfidence.module.css";

/** Shares past which a figure should be doubted: the tenth of DESIGN for crowding, a tenth for the others. */
const DOUBT = 0.1;

/** How far the figures above can be trusted. */
export function DataConfidence({ confidence, fetchedAt }: { confidence: Confidence; fetchedAt: number }) {
  const now = useNow();
  const c = confidence;
  const newest = c.newest_payload_age_ms == null ? null : fetchedAt - c.newest_payload_age_ms;
  return (
    <dl className={css.list}>
      <Line
        term="Client known"
        value={percent(c.known_client_share)}
        note={`${count(c.known_client_calls)} of ${plural(c.calls, "call")}`}
        doubt={c.known_client_share != null && c.known_client_share < 1 - DOUBT}
      >
        Calls whose client said its name ÷ calls. Without names, clients cannot be told apart.
      </Line>
      <Line
        term="In crowded sessions"
        value={percent(c.crowded_share)}
        note={`${count(c.crowded_calls)} of ${plural(c.calls, "call")}`}
        doubt={c.crowded_share != null && c.crowded_share > DOUBT}
      >
        Calls in sessions busier than one conversation can be ÷ calls. They stay out of everything that needs
        a sequence. The producer’s option <code>sessions: conversation</code> tells conversations apart.
      </Line>
      <Line
        term="Payloads rejected"
        value={percent(c.rejected_share)}
        note={`${count(c.rejected_payloads)}, with ${count(c.accepted_payloads)} accepted`}
        doubt={c.rejected_payloads > 0}
      >
        Payloads of the whole server that broke a rule ÷ all that arrived. Ingest health lists the rules.
      </Line>
      <Line
        term="Sessions seen"
        value={count(c.sessions)}
        note={`${count(c.sessions_without_startup)} without a startup`}
        doubt={false}
      >
        Sessions with a matching call. Those without a startup never said which tools they have, and count for
        no schema cost.
      </Line>
      <Line
        term="Newest payload"
        value={newest === null ? "never" : ago(newest, now)}
        note="of the whole server"
        doubt={false}
      >
        When anything last arrived, whatever the range and filters.
      </Line>
    </dl>
  );
}

function Line({
  term,
  value,
  note,
  doubt,
  children,
}: {
  term: string;
  value: string;
  note: string;
  doubt: boolean;
  children: ReactNode;
}) {
  return (
    <div className={css.line}>
      <dt>
        <Explain term={term}>{children}</Explain>
      </dt>
      <dd className={cx(css.value, doubt && css.doubt)}>
        {doubt && <span className="visually-hidden">doubtful: </span>}
        {value}
      </dd>
      <dd className={css.note}>{note}</dd>
    </div>
  );
}
