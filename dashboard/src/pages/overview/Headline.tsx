import type { Overview } from "@/api/types";
import { Bounds } from "@/charts/Bounds";
import { Fitted } from "@/charts/Fitted";
import { Sparkline } from "@/charts/Sparkline";
import { duration, percent, shortCount, usd } from "@/lib/format";
import { Before, Figure, Figures } from "@/ui/Figure";
import { Term } from "@/ui/terms";

/** The four figures that answer "how is it going". */
export function Headline({ overview }: { overview: Overview }) {
  const { figures, before, session_cost: cost, session_cost_before: costBefore, series } = overview;
  const asOf = overview.settled_as_of_ms;
  const first = figures.first_call;
  return (
    <Figures>
      <Figure
        id="calls"
        name={<Term of="calls" />}
        value={shortCount(figures.calls)}
        before={<Before now={figures.calls} before={before.calls} write={shortCount} />}
        chart={
          <Fitted most={360}>
            {(width) => <Sparkline values={series.map((point) => point.calls)} width={width} height={36} />}
          </Fitted>
        }
        detail={`in ${shortCount(figures.sessions)} sessions`}
      />
      <Figure
        id="first-call"
        name={<Term of="first_call" asOf={asOf} />}
        value={percent(first.first_call_success)}
        before={
          <Before
            now={first.first_call_success}
            before={before.first_call.first_call_success}
            write={percent}
            better="up"
          />
        }
        chart={
          <Fitted most={360}>
            {(width) => (
              <Bounds
                strict={first.strict ?? null}
                estimate={first.first_call_success ?? null}
                lenient={first.lenient ?? null}
                low={first.interval?.low}
                high={first.interval?.high}
                width={width}
                height={16}
                scale
              />
            )}
          </Fitted>
        }
        detail={
          <>
            <Term of="strict" label="strict" asOf={asOf} /> {percent(first.strict)} ·{" "}
            <Term of="lenient" label="lenient" asOf={asOf} /> {percent(first.lenient)} · of{" "}
            {shortCount(first.estimated_calls)} calls
          </>
        }
      />
      <Figure
        id="p95"
        name={<Term of="p95" />}
        value={duration(figures.latency.p95_ms)}
        before={
          <Before
            now={figures.latency.p95_ms}
            before={before.latency.p95_ms}
            write={duration}
            better="down"
          />
        }
        chart={
          <Fitted most={360}>
            {(width) => (
              <Sparkline values={series.map((point) => point.p95_ms ?? null)} width={width} height={36} />
            )}
          </Fitted>
        }
        detail={`median ${duration(figures.latency.p50_ms)} · p99 ${duration(figures.latency.p99_ms)}`}
      />
      <Figure
        id="session-cost"
        name={<Term of="session_cost" />}
        value={usd(cost.total_usd)}
        before={<Before now={cost.total_usd} before={costBefore.total_usd} write={usd} better="down" />}
        chart={
          <Fitted most={360}>
            {(width) => (
              <Sparkline values={series.map((point) => point.cost_usd)} width={width} height={36} />
            )}
          </Fitted>
        }
        detail={
          <>
            <Term of="cost" label="all responses" /> {usd(figures.response.cost_usd)} · listing tools{" "}
            {usd(cost.schema_usd)} a session
          </>
        }
      />
    </Figures>
  );
}
