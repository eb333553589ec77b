/*
 * Exact amounts of money. A sum of floating-point numbers has rounding errors that people can see in a bill, so sums are made of integers:
 * trillionths of a dollar, which are also the last digit that the page shows.
 */

/** Digits after the decimal point. */
const DIGITS = 12;
const UNIT = 10n ** BigInt(DIGITS);

/** An amount in trillionths of a US dollar. */
export type Trillionths = bigint;

/**
 * Converts US dollars to trillionths. Reads the shortest decimal that stands for the number, so 0.1 is exactly a tenth. Digits after the
 * twelfth are rounded. An amount that is not finite counts as zero.
 */
export function trillionths(dollars: number): Trillionths {
  if (!Number.isFinite(dollars) || dollars === 0) return 0n;
  const [mantissa = '0', exponent = '0'] = String(Math.abs(dollars)).split('e');
  const [whole = '0', fraction = ''] = mantissa.split('.');
  const shift = DIGITS + Number(exponent) - fraction.length;
  const digits = BigInt(whole + fraction);
  const size = shift >= 0 ? digits * 10n ** BigInt(shift) : rounded(digits, 10n ** BigInt(-shift));
  return dollars < 0 ? -size : size;
}

function rounded(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor / 2n) / divisor;
}

/** Converts trillionths to the closest number of US dollars. */
export function dollars(amount: Trillionths): number {
  if (amount === 0n) return 0;
  return Number(decimal(amount));
}

/** Returns trillionths as a plain decimal number of US dollars, without trailing zeros: `12.5`, `-0.0000004`. */
export function decimal(amount: Trillionths): string {
  const size = amount < 0n ? -amount : amount;
  const fraction = (size % UNIT).toString().padStart(DIGITS, '0').replace(/0+$/, '');
  return `${amount < 0n ? '-' : ''}${size / UNIT}${fraction && `.${fraction}`}`;
}

/** Returns the exact sum of amounts in US dollars. */
export function sumOf(amounts: Iterable<number>): number {
  let sum = 0n;
  for (const amount of amounts) sum += trillionths(amount);
  return dollars(sum);
}
