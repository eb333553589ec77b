/* Amounts of money are BigInts in nano-dollars (1e-9 USD). They cannot overflow, and sums are exact in any order. */

export type NanoUsd = bigint;

const NANO_PER_USD = 1_000_000_000n;
const EXACT = BigInt(Number.MAX_SAFE_INTEGER);

/** Converts dollars to an amount, rounded to the nearest nano-dollar. */
export function nanoUsd(usd: number): NanoUsd {
  return BigInt(Math.round(usd * 1e9));
}

/** Converts an amount to the nearest number of dollars. Exact to the nano-dollar up to a million dollars. */
export function usd(amount: NanoUsd): number {
  if (amount >= -EXACT && amount <= EXACT) return Number(amount) / 1e9;
  const { dollars, nano } = splitAmount(amount < 0n ? -amount : amount);
  const size = Number(`${dollars}.${String(nano).padStart(9, '0')}`);
  return amount < 0n ? -size : size;
}

/** Splits an amount into whole dollars and the remaining nano-dollars, both with its sign. Each fits into 64 bits. */
export function splitAmount(amount: NanoUsd): { readonly dollars: bigint; readonly nano: bigint } {
  return { dollars: amount / NANO_PER_USD, nano: amount % NANO_PER_USD };
}

export const joinAmount = (dollars: bigint, nano: bigint): NanoUsd => dollars * NANO_PER_USD + nano;
