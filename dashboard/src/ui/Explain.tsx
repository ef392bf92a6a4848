import { useCallback, useId, useRef, useState, type ReactNode } from "react";
import { useAnchored } from "./anchored";
import css from "./Explain.module.css";

/**
 * A term that explains itself: its definition, denominator and as-of on hover, focus or tap.
 * The explanation is the button's description, so a screen reader says it after the term.
 */
export function Explain({ term, children }: { term: ReactNode; children: ReactNode }) {
  const id = useId();
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const card = useRef<HTMLSpanElement>(null);
  const close = useCallback(() => {
    setOpen(false);
  }, []);
  const show = (): void => {
    setOpen(true);
  };
  useAnchored(open, button, card, close);

  return (
    <span className={css.wrap} onMouseEnter={show} onMouseLeave={close}>
      <button
        ref={button}
        type="button"
        className={css.term}
        aria-describedby={id}
        onFocus={show}
        onBlur={close}
        onClick={show}
        onKeyDown={(event) => {
          if (event.key === "Escape") close();
        }}
      >
        {term}
      </button>
      <span role="tooltip" id={id} ref={card} className={open ? css.card : "visually-hidden"}>
        {children}
      </span>
    </span>
  );
}
