import type { Overview, Point } from "@/api/types";
import { Fitted } from "@/charts/Fitted";
import { Sparkline } from "@/charts/Sparkline";
import { duration, plural, shortCount, usd } from "@/lib/format";
import { Before, Figure, Figures } from "@/ui/Figure";
import { FirstCallFigure } from "@/ui/FirstCall";
import { Term } from "@/ui/terms";
import { trend } from "./points";

/** The four figures that answer "how is it going". */
export function Headline({ overview }: { overview: Overview }) {
  const { figures, before, session_cost: cost, session_cost_before: costBefore, series } = overview;
  const asOf = overview.settled_as_of_ms;
  const first = figures.first_call;
  const over = (pick: (point: Point) => number | null | undefined) => trend(series, asOf, pick);
  return (
    <Figures led>
      <FirstCallFigure
        first={first}
        before={before.first_call}
        series={series}
        asOf={asOf}
        calls={figures.calls}
      />
      <Figure
        id="calls"
        name={<Term of="calls" asOf={asOf} />}
        value={shortCount(figures.calls)}
        before={<Before now={figures.calls} before={before.calls} write={shortCount} />}
        chart={
          <Fitted most={360}>
            {(width) => <Sparkline {...over((point) => point.calls)} width={width} height={36} />}
          </Fitted>
        }
        detail={`in ${plural(figures.sessions, "session")}`}
      />
      <Figure
        id="p95"
        name={<Term of="p95" asOf={asOf} />}
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
            {(width) => <Sparkline {...over((point) => point.p95_ms)} width={width} height={36} />}
          </Fitted>
        }
        detail={`median ${duration(figures.latency.p50_ms)} · p99 ${duration(figures.latency.p99_ms)}`}
      />
      <Figure
        id="session-cost"
        name={<Term of="session_cost" asOf={asOf} />}
        value={usd(cost.total_usd)}
        before={<Before now={cost.total_usd} before={costBefore.total_usd} write={usd} better="down" />}
        chart={
          <Fitted most={360}>
            {(width) => <Sparkline {...over((point) => point.cost_usd)} width={width} height={36} />}
          </Fitted>
        }
        detail={
          <>
            {usd(cost.schema_usd)} of it lists the tools; drawn: <Term of="cost" label="all answers" />,{" "}
            {usd(figures.response.cost_usd)}
          </>
        }
      />
    </Figures>
  );
}
