import type { ButtonHTMLAttributes, ReactNode } from "react";
import css from "./Button.module.css";
import { cx } from "./cx";

interface Props extends ButtonHTMLAttributes<HTMLButtonElement> {
  kind?: "primary" | "plain" | "quiet" | "danger";
  small?: boolean;
  /** Shows that work is going on, and takes no second click. */
  busy?: boolean;
  children: ReactNode;
}

export function Button({ kind = "plain", small, busy, children, className, disabled, ...rest }: Props) {
  return (
    <button
      type="button"
      className={cx(css.button, css[kind], small && css.small, className)}
      disabled={disabled === true || busy === true}
      aria-busy={busy === true || undefined}
      {...rest}
    >
      {children}
    </button>
  );
}

/** The look of a button, for links. */
export function buttonClass(kind: "primary" | "plain" | "quiet" = "plain", small = false): string {
  return cx(css.button, css[kind], small && css.small);
}
