/** Random JSON documents, the same ones for the same seed. */
export class RandomJson {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0 || 1;
  }

  /** A document as text, with white space, escapes and number spellings no serialiser would use. */
  text(): string {
    return this.#value(0);
  }

  /** An integer from 0 to `below`, exclusively, however large. */
  integer(below: number): number {
    return Math.floor(((this.#int(2 ** 26) * 2 ** 26 + this.#int(2 ** 26)) / 2 ** 52) * below);
  }

  /** From 0 to `below`, exclusively. xorshift32 is plenty for this. */
  #int(below: number): number {
    this.#state ^= this.#state << 13;
    this.#state ^= this.#state >>> 17;
    this.#state ^= this.#state << 5;
    return (this.#state >>> 0) % below;
  }

  #pick<T>(items: readonly T[]): T {
    return items[this.#int(items.length)] as T;
  }

  #value(depth: number): string {
    switch (this.#int(depth > 5 ? 5 : 8)) {
      case 0:
        return this.#pick(["true", "false", "null"]);
      case 1:
      case 2:
        return this.#number();
      case 3:
      case 4:
        return this.#string();
      case 5:
        return this.#many("[", "]", () => this.#value(depth + 1));
      default:
        return this.#many(
          "{",
          "}",
          () => `${this.#string()}${this.#space()}:${this.#value(depth + 1)}`,
        );
    }
  }

  #many(open: string, close: string, item: () => string): string {
    const items = Array.from(
      { length: this.#int(6) },
      () => this.#space() + item() + this.#space(),
    );
    return open + this.#space() + items.join(",") + close;
  }

  #space(): string {
    return this.#int(4) === 0 ? this.#pick([" ", "\t", "\n", "\r", "  "]) : "";
  }

  #digits(count: number): string {
    return Array.from({ length: count }, () => this.#int(10)).join("");
  }

  #number(): string {
    const sign = this.#pick(["", "", "-"]);
    const whole = this.#int(3) === 0 ? "0" : `${1 + this.#int(9)}${this.#digits(this.#int(25))}`;
    const fraction = this.#int(2) === 0 ? "" : `.${this.#digits(1 + this.#int(20))}`;
    const exponent =
      this.#int(3) > 0
        ? ""
        : `${this.#pick(["e", "E"])}${this.#pick(["", "+", "-"])}${this.#int(400)}`;
    return sign + whole + fraction + exponent;
  }

  #string(): string {
    let text = '"';
    for (let left = this.#int(12); left > 0; left -= 1) text += this.#character();
    return `${text}"`;
  }

  #character(): string {
    switch (this.#int(9)) {
      case 0:
        return this.#pick(["\\n", "\\t", "\\r", "\\b", "\\f", '\\"', "\\\\", "\\/", "/"]);
      case 1:
        return `\\u${this.#int(0x10000).toString(16).padStart(4, "0")}`;
      case 2:
        return `\\u00${this.#int(0x100).toString(16).toUpperCase().padStart(2, "0")}`;
      case 3:
        return String.fromCodePoint(0x80 + this.#int(0xd000));
      case 4:
        return String.fromCodePoint(0x10000 + this.#int(0x100000));
      case 5:
        return this.#pick([
          "\\ud83d\\ude80",
          "\u2028",
          "\u007f",
          "\uffff",
          "\ufeff",
          "0",
          "10",
          "1",
        ]);
      default:
        return String.fromCharCode(0x61 + this.#int(26));
    }
  }
}
