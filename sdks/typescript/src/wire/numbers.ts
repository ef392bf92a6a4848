/** What JSON makes of a number, found without writing it where that can be avoided. */

/** Up to here a double tells any two multiples of 10^-k apart, for each k below. */
const EXACT = 2 ** 50;
/** Fractions of more decimals are written after all. */
const DECIMALS = 6;

/**
 * The length of a finite number as ECMAScript writes it.
 *
 * Writing a double is dear, because its shortest spelling has to be searched for, while most
 * numbers in tool answers are integers, or amounts with a few decimals. For those: if `r / 10^k`
 * is the number itself, with `r` below 2^50 and `k` as small as can be, its spelling has the
 * digits of `r` and `k` decimals. No shorter one reads as the same double, as neighbouring
 * multiples of 10^-k are then further apart than neighbouring doubles are.
 */
export function numberUnits(number: number): number {
  const sign = number < 0 ? 1 : 0;
  const size = Math.abs(number);
  if (size < EXACT) {
    const whole = Math.floor(size);
    if (whole === size) return sign + digits(whole);
    // Smaller ones are written with an exponent.
    if (size >= 1e-6) {
      let power = 10;
      for (let decimals = 1; decimals <= DECIMALS; decimals += 1) {
        const scaled = Math.round(size * power);
        if (scaled >= EXACT) break;
        if (scaled / power === size) return sign + digits(whole) + 1 + decimals;
        power *= 10;
      }
    }
  }
  return String(number).length;
}

/** How many digits an integer from 0 to 2^50 has. */
function digits(integer: number): number {
  let count = 1;
  for (let limit = 10; integer >= limit; limit *= 10) count += 1;
  return count;
}
