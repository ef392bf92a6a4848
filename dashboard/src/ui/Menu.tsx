import { ChevronDown } from "lucide-react";
import { useCallback, useEffect, useId, useRef, useState, type ReactNode } from "react";
import { useAnchored } from "./anchored";
import { Button } from "./Button";
import css from "./Menu.module.css";

/** A button that opens a small panel; Escape, a click elsewhere or leaving by Tab closes it. */
export function Menu({
  label,
  title,
  children,
}: {
  label: ReactNode;
  /** Names the panel to screen readers. */
  title: string;
  children: (close: () => void) => ReactNode;
}) {
  const id = useId();
  const root = useRef<HTMLDivElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState(false);
  const away = useCallback(() => {
    setOpen(false);
  }, []);
  useAnchored(open, root, panel, away);

  useEffect(() => {
    if (!open) return undefined;
    const outside = (event: PointerEvent): void => {
      if (event.target instanceof Node && !root.current?.contains(event.target)) setOpen(false);
    };
    document.addEventListener("pointerdown", outside);
    return () => {
      document.removeEventListener("pointerdown", outside);
    };
  }, [open]);

  const close = (): void => {
    setOpen(false);
    document.querySelector<HTMLElement>(`#${CSS.escape(id)}-button`)?.focus();
  };

  return (
    // The handlers only watch what bubbles up from the controls inside.
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions
    <div
      className={css.menu}
      ref={root}
      onKeyDown={(event) => {
        if (event.key === "Escape" && open) {
          event.stopPropagation();
          close();
        }
      }}
      onBlur={(event) => {
        if (event.relatedTarget instanceof Node && !root.current?.contains(event.relatedTarget))
          setOpen(false);
      }}
    >
      <Button
        small
        id={`${id}-button`}
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => {
          setOpen(!open);
        }}
      >
        {label}
        <ChevronDown size={13} aria-hidden="true" />
      </Button>
      {open && (
        <div id={id} role="group" aria-label={title} className={css.panel} ref={panel}>
          {children(close)}
        </div>
      )}
    </div>
  );
}
