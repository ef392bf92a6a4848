/** A map that forgets the least recently used entry beyond its capacity. */
export class BoundedMap<K, V> {
  readonly #entries = new Map<K, V>();

  constructor(readonly capacity: number) {}

  get(key: K): V | undefined {
    const value = this.#entries.get(key);
    if (value !== undefined) {
      this.#entries.delete(key);
      this.#entries.set(key, value);
    }
    return value;
  }

  /** Returns the entry that had to go, if any. */
  set(key: K, value: V): V | undefined {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size <= this.capacity) return undefined;
    const [oldest] = this.#entries.keys();
    return this.take(oldest as K);
  }

  has(key: K): boolean {
    return this.#entries.has(key);
  }

  /** Removes an entry and returns it. */
  take(key: K): V | undefined {
    const value = this.#entries.get(key);
    this.#entries.delete(key);
    return value;
  }

  get size(): number {
    return this.#entries.size;
  }
}
