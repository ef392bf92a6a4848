import type { Confidence } from "@/api/types";
import { ago } from "@/lib/format";
import { useNow } from "@/lib/hooks";
import { clock } from "@/lib/time";
import { Explain } from "@/ui/Explain";
import { cx } from "@/ui/cx";
import css from "./Live.module.css";

/** Says that the page keeps itself current, and how current it is. */
export function Live({
  report,
  query,
}: {
  report: { confidence: Confidence; settled_as_of_ms: number };
  query: { dataUpdatedAt: number; isError: boolean };
}) {
  const now = useNow();
  const age = report.confidence.newest_payload_age_ms;
  return (
    <span className={css.live}>
      <span className={cx(css.dot, query.isError && css.stale)} aria-hidden="true" />
      <Explain term={query.isError ? "not refreshing" : "live"}>
        Asked for again every few seconds while this page is in sight. Shares are of calls that had ended and
        arrived by {clock(report.settled_as_of_ms)} UTC; a call is settled 40 s after it ended and arrived.
      </Explain>
      <span>· newest payload {ago(age == null ? null : query.dataUpdatedAt - age, now)}</span>
    </span>
  );
}
