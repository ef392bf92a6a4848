import css from "./BarCell.module.css";

/** A figure with a bar behind it that compares it with the largest of its column. */
export function BarCell({ value, most, children }: { value: number; most: number; children: string }) {
  return (
    <span className={css.cell}>
      <span className={css.track} aria-hidden="true">
        <span
          className={css.fill}
          style={{ inlineSize: `${String(most > 0 ? (value / most) * 100 : 0)}%` }}
        />
      </span>
      <span className={css.text}>{children}</span>
    </span>
  );
}

/** A share with a bar that fills from 0 to 100 %. */
export function ShareBar({ share, children }: { share: number; children: string }) {
  return (
    <span className={css.share}>
      <span className={css.shareText}>{children}</span>
      <span className={css.shareTrack} aria-hidden="true">
        <span className={css.fill} style={{ inlineSize: `${String(share * 100)}%` }} />
      </span>
    </span>
  );
}
