import type { ClientOfTool, FirstCall } from "@/api/types";
import { Bounds } from "@/charts/Bounds";
import { percent } from "@/lib/format";
import css from "./ClientDots.module.css";
import { boundsText } from "./FirstCall";
import { Name } from "./Name";

/** Fewer calls than this make a dot hollow: one call more or less would move it far. */
const FEW = 20;

/** Whether a client is worse with the tool than all are together, by more than its interval. */
function isBelow(one: FirstCall, all: FirstCall): boolean {
  return one.interval != null && all.first_call_success != null && one.interval.high < all.first_call_success;
}

/**
 * First-call success of a tool with a dot per client on the same axis, so that a tool one client gets wrong is
 * seen without a click; that client is named. Dots of few calls are hollow.
 */
export function ClientDots({
  value,
  clients,
  width = 112,
}: {
  value: FirstCall;
  clients: readonly ClientOfTool[];
  width?: number;
}) {
  const dots = clients.filter((client) => client.first_call.first_call_success != null);
  const words = dots
    .map((client) => `${client.client} ${percent(client.first_call.first_call_success)}`)
    .join(", ");
  const [behind] = dots
    .filter((client) => client.calls >= FEW && isBelow(client.first_call, value))
    .toSorted((a, b) => (a.first_call.first_call_success ?? 0) - (b.first_call.first_call_success ?? 0));
  return (
    <span
      className={css.cell}
      title={[boundsText(value), words && `By client: ${words}`].filter(Boolean).join("\n")}
    >
      <span className={css.share}>{percent(value.first_call_success)}</span>
      <span className={css.axis}>
        <Bounds
          strict={value.strict ?? null}
          estimate={value.first_call_success ?? null}
          lenient={value.lenient ?? null}
          low={value.interval?.low}
          high={value.interval?.high}
          width={width}
          height={14}
        />
        <svg width={width} height={14} className={css.dots} aria-hidden="true">
          {dots.map((client) => (
            <circle
              key={client.client}
              cx={2 + (client.first_call.first_call_success ?? 0) * (width - 4)}
              cy={7}
              r={3.5}
              className={client.calls < FEW ? css.hollow : css.dot}
            />
          ))}
        </svg>
        {behind && (
          <span className={css.behind} aria-hidden="true">
            <Name short>{behind.client}</Name> {percent(behind.first_call.first_call_success, 0)}
          </span>
        )}
      </span>
      <span className="visually-hidden">
        , {boundsText(value)}
        {words && `; by client: ${words}`}
      </span>
    </span>
  );
}
