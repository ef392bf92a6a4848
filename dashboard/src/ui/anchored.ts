import { useEffect, useLayoutEffect, type RefObject } from "react";

/** Distance kept from the edges of the window. */
const MARGIN = 12;
const GAP = 6;

/**
 * Places an open card (whose style sheet says `position: fixed`) at its anchor, wholly inside the window: below it,
 * or above where there is no room. Fixed, so that no table that scrolls cuts it off. Scrolling the page away from it,
 * or a resize, calls `away`.
 */
export function useAnchored(
  open: boolean,
  anchor: RefObject<HTMLElement | null>,
  card: RefObject<HTMLElement | null>,
  away: () => void,
): void {
  useLayoutEffect(() => {
    if (!open || !anchor.current || !card.current) return;
    const [from, size] = [anchor.current.getBoundingClientRect(), card.current.getBoundingClientRect()];
    const { clientWidth, clientHeight } = document.documentElement;
    const below = from.bottom + GAP;
    const above = from.top - GAP - size.height;
    const top = below + size.height > clientHeight - MARGIN && above >= MARGIN ? above : below;
    const left = Math.max(MARGIN, Math.min(from.left, clientWidth - MARGIN - size.width));
    card.current.style.setProperty("top", `${String(top)}px`);
    card.current.style.setProperty("left", `${String(left)}px`);
  }, [open, anchor, card]);

  useEffect(() => {
    if (!open) return undefined;
    const scrolled = (event: Event): void => {
      // What scrolls inside the card leaves it where it is.
      if (event.target instanceof Node && card.current?.contains(event.target)) return;
      away();
    };
    window.addEventListener("scroll", scrolled, { capture: true, passive: true });
    window.addEventListener("resize", away);
    return () => {
      window.removeEventListener("scroll", scrolled, { capture: true });
      window.removeEventListener("resize", away);
    };
  }, [open, card, away]);
}
