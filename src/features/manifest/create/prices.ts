import type { Manifest } from '../../../contract/manifest.ts';
import { pricePerHour } from '../../../account/prices/money.ts';
import { shown, type ShownText } from '../../../text/shownText.ts';

/** Returns the highest price of one worker of a manifest, in USD per hour. Undefined if it is not known. */
export type PriceOf = (manifest: Manifest) => number | undefined;

/** Returns a price for a short label, such as `up to $0.69/h per worker`. */
export function priceLabel(price: number): ShownText {
  return shown`up to ${pricePerHour(price)} per worker`;
}

/** Returns a price as a sentence for a confirmation. */
export function priceSentence(price: number | undefined): ShownText {
  if (price === undefined) return shown`The platform bills each worker. The price per hour is not known.`;
  return shown`The platform bills up to ${pricePerHour(price)} for each worker.`;
}
