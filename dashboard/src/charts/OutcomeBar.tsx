import css from "./charts.module.css";
import { OUTCOME, OUTCOMES, type Slices } from "./outcomes";
import { count } from "@/lib/format";

/** What calls came to, as one bar over the whole width. Says itself to screen readers. */
export function OutcomeBar({ slices, height = 8 }: { slices: Slices; height?: number }) {
  const total = OUTCOMES.reduce((sum, key) => sum + slices[key], 0);
  const words = OUTCOMES.filter((key) => slices[key] > 0).map(
    (key) => `${OUTCOME[key].label} ${count(slices[key])}`,
  );
  return (
    <span
      className={css.bar}
      style={{ blockSize: height }}
      role="img"
      aria-label={words.join(", ") || "no calls"}
    >
      {total > 0 &&
        OUTCOMES.filter((key) => slices[key] > 0).map((key) => (
          <span
            key={key}
            title={`${OUTCOME[key].label}: ${count(slices[key])}`}
            style={{ flexGrow: slices[key], background: OUTCOME[key].colour }}
          />
        ))}
    </span>
  );
}

/** The key to the colours, with the count of each: a legend that is also the sum. */
export function OutcomeKey({ slices }: { slices: Slices }) {
  return (
    <ul className={css.key}>
      {OUTCOMES.map((key) => (
        <li key={key} title={OUTCOME[key].definition}>
          <i style={{ background: OUTCOME[key].colour }} />
          {OUTCOME[key].label} <b>{count(slices[key])}</b>
        </li>
      ))}
    </ul>
  );
}
