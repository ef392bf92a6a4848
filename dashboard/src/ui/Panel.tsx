import { useId, type ReactNode } from "react";
import css from "./Panel.module.css";
import { cx } from "./cx";

/** A titled part of a page. A heading and a hairline; no box. */
export function Panel({
  title,
  note,
  actions,
  children,
  className,
}: {
  title: ReactNode;
  /** A quiet line beside the title. */
  note?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
  className?: string | undefined;
}) {
  const id = useId();
  return (
    <section className={cx(css.panel, className)} aria-labelledby={id}>
      <header className={css.header}>
        <h2 id={id}>{title}</h2>
        {note != null && <p className={css.note}>{note}</p>}
        {actions != null && (
          <div className={css.actions} data-print="hide">
            {actions}
          </div>
        )}
      </header>
      {children}
    </section>
  );
}
