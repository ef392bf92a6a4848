/** Counts of what became of everything recorded, for the debug report. */
export class LossReport {
  recorded = 0;
  sent = 0;
  readonly #dropped = new Map<string, number>();
  readonly #unrecorded = new Map<string, number>();

  /** Counts payloads that were recorded and will never arrive; a negative count takes it back. */
  dropped(reason: string, count = 1): void {
    add(this.#dropped, reason, count);
  }

  /** Counts requests that were seen and, rightly, not recorded. */
  unrecorded(reason: string): void {
    add(this.#unrecorded, reason, 1);
  }

  toString(): string {
    return (
      `recorded ${this.recorded}, sent ${this.sent}, dropped ${list(this.#dropped)}, ` +
      `not recorded ${list(this.#unrecorded)}`
    );
  }
}

function add(counts: Map<string, number>, reason: string, count: number): void {
  const total = (counts.get(reason) ?? 0) + count;
  if (total === 0) counts.delete(reason);
  else counts.set(reason, total);
}

function list(counts: Map<string, number>): string {
  if (counts.size === 0) return "0";
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const reasons = [...counts].map(([reason, count]) => `${reason} ${count}`);
  return `${total} (${reasons.join(", ")})`;
}
