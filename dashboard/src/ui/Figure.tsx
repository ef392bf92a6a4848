import { ArrowDown, ArrowUp, Minus } from "lucide-react";
import type { ReactNode } from "react";
import css from "./Figure.module.css";
import { cx } from "./cx";

/** One headline figure: its name, its value, what it was before, and how it went. */
export function Figure({
  id,
  name,
  value,
  before,
  detail,
  chart,
  lead = false,
}: {
  /** Names the figure to tests. */
  id: string;
  name: ReactNode;
  value: string;
  before?: ReactNode;
  detail?: ReactNode;
  chart?: ReactNode;
  /** Whether it leads the strip: wider, with its chart beside it. */
  lead?: boolean;
}) {
  return (
    <div className={cx(css.figure, lead && css.lead)}>
      <dt className={css.name}>{name}</dt>
      <dd className={css.value}>
        <span className={css.number} data-testid={`figure-${id}`}>
          {value}
        </span>
      </dd>
      {before != null && <dd className={css.since}>{before}</dd>}
      {chart != null && <dd className={css.chart}>{chart}</dd>}
      {detail != null && <dd className={css.detail}>{detail}</dd>}
    </div>
  );
}

/** The strip of headline figures; with `led`, the first of them leads. */
export function Figures({ led = false, children }: { led?: boolean; children: ReactNode }) {
  return <dl className={cx(css.figures, led && css.led)}>{children}</dl>;
}

/**
 * What a figure was in the window before, with an arrow for which way it went since; coloured when one way is
 * better. The arrow compares two figures of REST and computes none.
 */
export function Before({
  now,
  before,
  write,
  better,
}: {
  now: number | null | undefined;
  before: number | null | undefined;
  write: (value: number) => string;
  better?: "up" | "down";
}) {
  // From nothing, every change is a rise: that says nothing.
  if (now == null || before == null || before === 0) return null;
  const [text, was] = [write(now), write(before)];
  const way = text === was ? "same" : now > before ? "up" : "down";
  const Icon = way === "same" ? Minus : way === "up" ? ArrowUp : ArrowDown;
  const tone = better === undefined || way === "same" ? undefined : way === better ? css.good : css.bad;
  return (
    <span className={cx(css.before, tone)} title={`${was} in the equally long range before`}>
      <Icon size={12} aria-hidden="true" />
      <span className="visually-hidden">
        {way === "same" ? "unchanged" : way === "up" ? "risen" : "fallen"}
        {tone === css.good ? ", which is good," : tone === css.bad ? ", which is bad," : ""}
      </span>{" "}
      from {was}
    </span>
  );
}
