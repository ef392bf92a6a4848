import css from "./Name.module.css";
import { cx } from "./cx";

/**
 * A name that strangers chose: of a tool, a client, a server. Kept apart from the text around it, so that a
 * right-to-left name turns nothing else around, and cut at the end when `short`, whole on hover.
 */
export function Name({
  children,
  short,
  mono,
}: {
  children: string;
  short?: boolean | undefined;
  mono?: boolean | undefined;
}) {
  return (
    <bdi className={cx(css.name, short && css.short, mono && css.mono)} title={short ? children : undefined}>
      {children}
    </bdi>
  );
}
