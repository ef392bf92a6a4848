import { X } from "lucide-react";
import { useEffect, useId, useRef, type ReactNode } from "react";
import { Button } from "./Button";
import css from "./Dialog.module.css";

/** A modal dialog: the browser's own, which keeps the focus, closes on Escape and gives the focus back. */
export function Dialog({
  title,
  onClose,
  children,
}: {
  title: string;
  onClose: () => void;
  children: ReactNode;
}) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    return () => {
      dialog?.close();
    };
  }, []);
  return (
    <dialog
      ref={ref}
      className={css.dialog}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <header className={css.header}>
        <h2 id={id}>{title}</h2>
        <Button kind="quiet" small onClick={onClose} aria-label="Close">
          <X size={16} aria-hidden="true" />
        </Button>
      </header>
      {children}
    </dialog>
  );
}
