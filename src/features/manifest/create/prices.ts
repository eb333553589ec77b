import type { Manifest } from '../../../contract/manifest.ts';
import { shown, type ShownText } from '../../../vscode/text/shownText.ts';

/** Returns the price of one worker of a manifest on the current connection, in USD per hour. Undefined if it is not known. */
export type PriceOf = (manifest: Manifest) => number | undefined;

/** Returns a price for a short label, such as `≈ $0.69/h per worker`. */
export function priceLabel(price: number): ShownText {
  return shown`≈ $${price.toFixed(2)}/h per worker`;
}

/** Returns a price as a sentence for a confirmation. */
export function priceSentence(price: number | undefined): ShownText {
  if (price === undefined) return shown`The platform bills each worker. The price per hour is not known.`;
  return shown`The platform bills about $${price.toFixed(2)} per hour for each worker.`;
}
