import { useId, type InputHTMLAttributes, type ReactNode } from "react";
import css from "./Field.module.css";

interface Props extends Omit<InputHTMLAttributes<HTMLInputElement>, "id"> {
  label: string;
  hint?: ReactNode;
  error?: string | undefined;
}

/** One labelled input, its hint and what is wrong with it. */
export function Field({ label, hint, error, ...input }: Props) {
  const id = useId();
  return (
    <div className={css.field}>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        aria-describedby={hint != null || error != null ? `${id}-note` : undefined}
        aria-invalid={error != null || undefined}
        {...input}
      />
      {(error != null || hint != null) && (
        <p id={`${id}-note`} className={error != null ? css.error : css.hint}>
          {error ?? hint}
        </p>
      )}
    </div>
  );
}
