/* Amounts of money are integers of nano-dollars (1e-9 USD) that cannot overflow, so that sums are exact whatever is added first. */

export type NanoUsd = bigint;

const NANO_PER_USD = 1_000_000_000n;
const EXACT = BigInt(Number.MAX_SAFE_INTEGER);

/** The amount of a number of dollars, to the nearest nano-dollar. */
export function nanoUsd(usd: number): NanoUsd {
  return BigInt(Math.round(usd * 1e9));
}

/** The number of dollars that is nearest: to the nano-dollar up to a million dollars, where numbers can no longer tell them apart. */
export function usd(amount: NanoUsd): number {
  if (amount >= -EXACT && amount <= EXACT) return Number(amount) / 1e9;
  const { dollars, nano } = splitAmount(amount < 0n ? -amount : amount);
  const size = Number(`${dollars}.${String(nano).padStart(9, '0')}`);
  return amount < 0n ? -size : size;
}

/** An amount as whole dollars and what is left, both with its sign: each fits into 64 bits however large a sum is. */
export function splitAmount(amount: NanoUsd): { readonly dollars: bigint; readonly nano: bigint } {
  return { dollars: amount / NANO_PER_USD, nano: amount % NANO_PER_USD };
}

export const joinAmount = (dollars: bigint, nano: bigint): NanoUsd => dollars * NANO_PER_USD + nano;
