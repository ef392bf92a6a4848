/** A first-in first-out queue of fixed capacity; every operation is O(1). */
export class Ring<T> {
  readonly #slots: (T | undefined)[];
  #head = 0;
  #size = 0;

  constructor(readonly capacity: number) {
    this.#slots = new Array<T | undefined>(capacity);
  }

  get size(): number {
    return this.#size;
  }

  /** Adds an item; the caller makes room first. */
  push(item: T): void {
    if (this.#size === this.capacity) this.shift();
    this.#slots[(this.#head + this.#size) % this.capacity] = item;
    this.#size += 1;
  }

  /** The oldest item, still in the ring. */
  peek(): T | undefined {
    return this.#size === 0 ? undefined : this.#slots[this.#head];
  }

  /** Takes the oldest item out. */
  shift(): T | undefined {
    if (this.#size === 0) return undefined;
    const item = this.#slots[this.#head];
    this.#slots[this.#head] = undefined;
    this.#head = (this.#head + 1) % this.capacity;
    this.#size -= 1;
    return item;
  }
}
