import type { FirstCall } from "@/api/types";
import { count } from "@/lib/format";
import css from "./CameTo.module.css";

interface Part {
  key: "strict_calls" | "followed_calls" | "retried_calls" | "empty_calls" | "failed_calls";
  label: string;
  about: string;
  className: string | undefined;
}

const PARTS: readonly Part[] = [
  {
    key: "strict_calls",
    label: "right first time",
    about: "Good, with nothing of the same tool behind.",
    className: css.right,
  },
  {
    key: "followed_calls",
    label: "followed up",
    about: "Good, and the tool was called again with other arguments: reworded, or next in a list. Open.",
    className: css.followed,
  },
  {
    key: "retried_calls",
    label: "retried",
    about: "Good itself, but its step was not, and was tried again.",
    className: css.retried,
  },
  { key: "empty_calls", label: "empty", about: "Ok, with nothing in the answer.", className: css.empty },
  {
    key: "failed_calls",
    label: "failed",
    about: "Bad arguments, a tool error or a crash.",
    className: css.failed,
  },
];

/** What a tool's calls came to for the model, as one bar with its parts named below it. */
export function CameTo({ value }: { value: FirstCall }) {
  const parts = PARTS.filter((part) => value[part.key] > 0);
  return (
    <div>
      <div className={css.bar} aria-hidden="true">
        {parts.map((part) => (
          <span key={part.key} className={part.className} style={{ flexGrow: value[part.key] }} />
        ))}
      </div>
      <dl className={css.parts}>
        {PARTS.map((part) => (
          <div key={part.key} title={part.about}>
            <dt>
              <i className={part.className} aria-hidden="true" /> {part.label}
            </dt>
            <dd>{count(value[part.key])}</dd>
          </div>
        ))}
        <div title="Settled calls outside crowded sessions: the sum of the five.">
          <dt>of settled calls</dt>
          <dd>{count(value.sequence_calls)}</dd>
        </div>
      </dl>
    </div>
  );
}
