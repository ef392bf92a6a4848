import { useId, useLayoutEffect, useRef, useState, type ReactNode } from "react";
import css from "./Explain.module.css";

/**
 * A term that explains itself: its definition, denominator and as-of on hover, focus or tap.
 * The explanation is the button's description, so a screen reader says it after the term.
 */
export function Explain({ term, children }: { term: ReactNode; children: ReactNode }) {
  const id = useId();
  const [open, setOpen] = useState(false);
  const [shift, setShift] = useState(0);
  const card = useRef<HTMLSpanElement>(null);

  // A card near the right edge moves left until it is whole.
  useLayoutEffect(() => {
    if (!open || !card.current) return;
    const box = card.current.getBoundingClientRect();
    const over = box.right - shift - (document.documentElement.clientWidth - 12);
    setShift(over > 0 ? -over : 0);
  }, [open, shift]);

  return (
    <span
      className={css.wrap}
      onMouseEnter={() => {
        setOpen(true);
      }}
      onMouseLeave={() => {
        setOpen(false);
      }}
    >
      <button
        type="button"
        className={css.term}
        aria-describedby={id}
        onFocus={() => {
          setOpen(true);
        }}
        onBlur={() => {
          setOpen(false);
        }}
        onClick={() => {
          setOpen(true);
        }}
        onKeyDown={(event) => {
          if (event.key === "Escape") setOpen(false);
        }}
      >
        {term}
      </button>
      <span
        role="tooltip"
        id={id}
        ref={card}
        className={open ? css.card : "visually-hidden"}
        style={open ? { translate: `${String(shift)}px` } : undefined}
      >
        {children}
      </span>
    </span>
  );
}
