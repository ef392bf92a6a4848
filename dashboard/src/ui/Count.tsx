import { count } from "@/lib/format";
import css from "./Count.module.css";

/** A count in a column where most are nought: those that are not stand out. */
export function Count({ of }: { of: number }) {
  return <span className={of === 0 ? css.none : undefined}>{count(of)}</span>;
}
