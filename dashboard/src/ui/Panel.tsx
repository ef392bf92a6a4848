import { useEffect, useId, useRef, type ReactNode } from "react";
import { CopyLink } from "./Copy";
import css from "./Panel.module.css";
import { cx } from "./cx";

/** Part of a title that an address can hold: "What to fix first" is `what-to-fix-first`. */
function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^a-z0-9]+/gu, "-")
    .replace(/^-|-$/gu, "");
}

/** A titled part of a page. A heading and a hairline; no box. A link to it opens the page there. */
export function Panel({
  title,
  note,
  actions,
  children,
  className,
  anchor,
}: {
  title: string;
  /** A quiet line beside the title. */
  note?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
  className?: string | undefined;
  /** Its name in an address, where the title changes. */
  anchor?: string;
}) {
  const id = useId();
  const section = useRef<HTMLElement>(null);
  const name = anchor ?? anchorOf(title);
  useEffect(() => {
    if (window.location.hash === `#${name}`) section.current?.scrollIntoView();
  }, [name]);
  return (
    <section id={name} ref={section} className={cx(css.panel, className)} aria-labelledby={id}>
      <header className={css.header}>
        <h2 id={id}>
          <bdi>{title}</bdi>
        </h2>
        {note != null && <p className={css.note}>{note}</p>}
        {actions != null && (
          <div className={css.actions} data-print="hide">
            {actions}
            <CopyLink to={name} what={title} />
          </div>
        )}
      </header>
      {children}
    </section>
  );
}
