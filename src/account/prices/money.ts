import { shown, type ShownText } from '../../text/shownText.ts';

/* Amounts and prices as people read them. */

/** Formats a price with cents, or with three significant digits below one dollar: `$1.40/h`, `$0.0312/h`. */
export function pricePerHour(usd: number): string {
  return `${precise(usd)}/h`;
}

/** Returns the highest price of one worker, in USD per hour, as a sentence for a confirmation. Undefined if it is not known. */
export function priceSentence(price: number | undefined): ShownText {
  if (price === undefined) return shown`Workers are billed at an unknown price.`;
  return shown`Each worker costs up to ${pricePerHour(price)}.`;
}

/** Formats the range of prices, such as `$0.44–$0.69/h`. Undefined without prices. */
export function priceRangePerHour(prices: readonly number[]): string | undefined {
  if (prices.length === 0) return undefined;
  const [least, most] = [Math.min(...prices), Math.max(...prices)].map(precise);
  return least === most ? `${least}/h` : `${least}–${most}/h`;
}

/** Formats an amount with cents, or with three significant digits below one dollar: `$1.40`, `$0.0312`. */
export function precise(usd: number): string {
  const isSmall = usd > 0 && usd < 1;
  const maximumFractionDigits = isSmall ? Math.max(2, Math.min(12, 2 - Math.floor(Math.log10(usd)))) : 2;
  const options = { style: 'currency', currency: 'USD', minimumFractionDigits: 2, maximumFractionDigits } as const;
  return new Intl.NumberFormat('en-US', options).format(usd);
}

const CENT = 0.01;

/** Formats an amount with cents: `$1,204.50`, `$0`, or `<$0.01`. Changes rarely, so that rows and spoken texts stay calm. */
export function cents(usd: number): string {
  if (usd === 0) return '$0';
  if (usd > 0 && usd < CENT) return '<$0.01';
  const options = { style: 'currency', currency: 'USD', minimumFractionDigits: 2, maximumFractionDigits: 2 } as const;
  return new Intl.NumberFormat('en-US', options).format(usd);
}

const LEAST_COST = 0.0001;

/** Formats the cost of a job: with four digits below one dollar, otherwise with cents. */
export function costWords(usd: number): string {
  if (usd <= 0) return '$0';
  if (usd < LEAST_COST) return `<$${LEAST_COST.toFixed(4)}`;
  const rounded = Math.round(usd / LEAST_COST) * LEAST_COST;
  return `$${rounded < 1 ? rounded.toFixed(4) : rounded.toFixed(2)}`;
}
