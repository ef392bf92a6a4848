import { AlertTriangle, Inbox, Lock, SearchX } from "lucide-react";
import type { ReactNode } from "react";
import { Button } from "./Button";
import css from "./states.module.css";
import { cx } from "./cx";

/** Something is on its way. `lines` keeps the height, so that the page does not jump. */
export function Loading({ lines = 3, label = "Loading" }: { lines?: number; label?: string }) {
  return (
    <div className={css.loading} role="status" aria-label={label}>
      {Array.from({ length: lines }, (_, i) => (
        <span key={i} className={css.bone} />
      ))}
    </div>
  );
}

function Note({ icon, tone, children }: { icon: ReactNode; tone?: string | undefined; children: ReactNode }) {
  return (
    <div className={cx(css.note, tone)}>
      <span className={css.icon} aria-hidden="true">
        {icon}
      </span>
      <div className={css.text}>{children}</div>
    </div>
  );
}

/** There is nothing to show, and why, and what to do about it. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <Note icon={<Inbox size={18} />}>
      <p className={css.title}>{title}</p>
      {children != null && <div className={css.body}>{children}</div>}
    </Note>
  );
}

/** This part failed; the rest of the page stands. */
export function Failed({ what, detail, retry }: { what: string; detail: string; retry?: () => void }) {
  return (
    <div role="alert">
      <Note icon={<AlertTriangle size={18} />} tone={css.bad}>
        <p className={css.title}>{what}</p>
        <p className={css.body}>{detail}</p>
        {retry && (
          <Button small onClick={retry}>
            Try again
          </Button>
        )}
      </Note>
    </div>
  );
}

/** The reader's role does not reach this far. */
export function NoPermission({ detail }: { detail: string }) {
  return (
    <Note icon={<Lock size={18} />}>
      <p className={css.title}>Your role does not allow this</p>
      <p className={css.body}>{detail}</p>
    </Note>
  );
}

/** No such thing, or nothing the reader may know of. */
export function NotFound({ detail }: { detail: string }) {
  return (
    <Note icon={<SearchX size={18} />}>
      <p className={css.title}>Not found</p>
      <p className={css.body}>{detail}</p>
    </Note>
  );
}
