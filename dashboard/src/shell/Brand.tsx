/** The mark: one beat. */
export function Mark({ size = 20 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="7" style={{ fill: "var(--accent)" }} />
      <path
        d="M5 17h5l3-8 5 15 3.2-9 1.8 2h4"
        fill="none"
        style={{ stroke: "var(--on-accent)" }}
        strokeWidth="2.6"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
