import type { ClientOfTool, FirstCall } from "@/api/types";
import { Bounds } from "@/charts/Bounds";
import { percent } from "@/lib/format";
import { useNarrow } from "@/lib/hooks";
import css from "./ClientDots.module.css";
import { boundsText } from "./FirstCall";
import { Name } from "./Name";

/** Fewer calls than this make a dot hollow: one call more or less would move it far. */
const FEW = 20;
const RADIUS = 3.25;
const HEIGHT = 20;
/** Room for the mark of all clients together, above the axis. */
const ABOVE = 5;
const WIDTH = 112;
const WIDTH_NARROW = 76;

/** Heights at which dots stand that would cover each other: the middle first, then below and above in turn. */
const STEPS = [0, 5, -5, 9, -9] as const;

/** How far from the middle each dot stands, so that all can be seen. */
export function spread(xs: readonly number[]): number[] {
  const placed: { x: number; dy: number }[] = [];
  return xs.map((x) => {
    const free = STEPS.find((dy) =>
      placed.every((other) => Math.hypot(other.x - x, other.dy - dy) >= 1.6 * RADIUS),
    );
    const dy = free ?? 0;
    placed.push({ x, dy });
    return dy;
  });
}

/**
 * First-call success of a tool with a dot per client on the same axis, so that a tool one client gets wrong is
 * seen without a click; the client that insights find behind the others is named. Dots of few calls are hollow; a
 * triangle marks all clients together.
 */
export function ClientDots({
  value,
  clients,
  behind,
}: {
  value: FirstCall;
  clients: readonly ClientOfTool[];
  /** The client that REST says is behind the others, if one is. */
  behind?: string | undefined;
}) {
  const width = useNarrow() ? WIDTH_NARROW : WIDTH;
  const x = (share: number): number => 2 + share * (width - 4);
  const dots = clients.flatMap((client) => {
    const share = client.first_call.first_call_success;
    return share == null ? [] : [{ name: client.client, calls: client.calls, share, x: x(share) }];
  });
  const heights = spread(dots.map((dot) => dot.x));
  const words = dots.map(({ name, share }) => `${name} ${percent(share)}`).join(", ");
  const named = dots.find((dot) => dot.name === behind);
  return (
    <span
      className={css.cell}
      title={[boundsText(value), words && `By client: ${words}`].filter(Boolean).join("\n")}
    >
      <span className={css.share}>{percent(value.first_call_success)}</span>
      <span className={css.axis} style={{ inlineSize: width }}>
        <Bounds
          strict={value.strict ?? null}
          estimate={null}
          lenient={value.lenient ?? null}
          width={width}
          height={HEIGHT}
        />
        <svg width={width} height={HEIGHT + ABOVE} className={css.dots} aria-hidden="true">
          {value.first_call_success != null && (
            <path
              d={`M${String(x(value.first_call_success) - 4)} 0h8l-4 5.5z`}
              className={css.all}
              data-testid="all-clients"
            />
          )}
          {dots.map((dot, i) => (
            <circle
              key={dot.name}
              cx={dot.x}
              cy={ABOVE + HEIGHT / 2 + (heights[i] ?? 0)}
              r={RADIUS}
              className={dot === named ? css.worse : dot.calls < FEW ? css.hollow : css.dot}
            />
          ))}
        </svg>
        {named && (
          <span
            className={css.behind}
            style={named.share < 0.5 ? { marginInlineStart: named.x - RADIUS } : { justifyContent: "end" }}
            aria-hidden="true"
          >
            <Name short>{named.name}</Name> {percent(named.share, 0)}
          </span>
        )}
      </span>
      <span className="visually-hidden">
        , {boundsText(value)}
        {words && `; by client: ${words}`}
        {named && `; ${named.name} is behind the others`}
      </span>
    </span>
  );
}
