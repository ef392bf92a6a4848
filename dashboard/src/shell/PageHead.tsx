import type { ReactNode } from "react";
import css from "./PageHead.module.css";

/** The title of a page, what it says of itself, and its filters. */
export function PageHead({
  title,
  children,
  note,
}: {
  title: ReactNode;
  note?: ReactNode;
  children?: ReactNode;
}) {
  return (
    <header className={css.head}>
      <div className={css.line}>
        <h1>{title}</h1>
        {note != null && <div className={css.note}>{note}</div>}
      </div>
      {children}
    </header>
  );
}
