import { language } from '../language/language.ts';

/* Formats amounts, shares, numbers of things, and times of day. */

/** The short symbol, because the page states the currency and the chart has little room. */
const DOLLARS = { style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol' } as const;
const dollars = (minimumFractionDigits: number, maximumFractionDigits: number) =>
  new Intl.NumberFormat(language, { ...DOLLARS, minimumFractionDigits, maximumFractionDigits });

const cents = dollars(2, 2);
const exact = dollars(2, 12);
const small = Array.from({ length: 13 }, (_, digits) => dollars(2, Math.max(2, digits)));

/** Formats an amount with cents, or with three significant digits below one dollar: `$12.35`, `$0.000412`. */
export function amountText(amount: number): string {
  const size = Math.abs(amount);
  if (size === 0 || size >= 1) return cents.format(amount);
  return (small[Math.min(12, 2 - Math.floor(Math.log10(size)))] ?? exact).format(amount);
}

/** Formats an amount with up to 12 digits after the point. */
export function exactAmountText(amount: number): string {
  return exact.format(amount);
}

/** Formats a value of the axis with the number of digits that its step requires. */
export function tickText(value: number, step: number): string {
  const digits = step >= 1 ? 0 : Math.min(12, Math.max(2, -Math.floor(Math.log10(step))));
  return dollars(digits, digits).format(value);
}

const percent = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 0 });
const smallPercent = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 1 });

const SMALLEST = 0.001;

/** Formats a part of a whole: `12%`, `0.4%`, `<0.1%`. */
export function shareText(share: number): string {
  if (share > 0 && share < SMALLEST / 2) return `<${smallPercent.format(SMALLEST)}`;
  return (Math.abs(share) < 0.1 ? smallPercent : percent).format(share);
}

/** Formats a number of things: `8,784`. */
export function countText(count: number): string {
  return count.toLocaleString(language);
}

/** Formats a time of day in the time zone of the reader. */
export function timeText(moment: Date): string {
  return moment.toLocaleTimeString(language);
}
