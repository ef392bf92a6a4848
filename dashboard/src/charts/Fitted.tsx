import type { ReactNode } from "react";
import { useWidth } from "@/lib/hooks";
import css from "./charts.module.css";

/** Draws a chart as wide as there is room, up to `most`. */
export function Fitted({ most, children }: { most: number; children: (width: number) => ReactNode }) {
  const [ref, width] = useWidth<HTMLSpanElement>();
  return (
    <span ref={ref} className={css.fitted}>
      {width > 0 && children(Math.min(width, most))}
    </span>
  );
}
