/* Prices per hour. */

/** Formats a price with cents, or with three significant digits below one dollar: `$1.40/h`, `$0.0312/h`. */
export function pricePerHour(usd: number): string {
  return `${dollars(usd)}/h`;
}

/** Formats the range of prices, such as `$0.44–$0.69/h`. Undefined without prices. */
export function priceRangePerHour(prices: readonly number[]): string | undefined {
  if (prices.length === 0) return undefined;
  const [least, most] = [Math.min(...prices), Math.max(...prices)].map(dollars);
  return least === most ? `${least}/h` : `${least}–${most}/h`;
}

function dollars(usd: number): string {
  const isSmall = usd > 0 && usd < 1;
  const maximumFractionDigits = isSmall ? Math.max(2, Math.min(12, 2 - Math.floor(Math.log10(usd)))) : 2;
  const options = { style: 'currency', currency: 'USD', minimumFractionDigits: 2, maximumFractionDigits } as const;
  return new Intl.NumberFormat('en-US', options).format(usd);
}
