import * as l10n from '@vscode/l10n';
import { pricePerHour } from '../prices/money.ts';
import type { HardwareOffer } from './hardwareOffers.ts';
import type { Alternatives } from './readHardwareStock.ts';

/* Names of hardware, and the sentence about alternatives. Every activation loads them, as a part of the diagnosis. */

/** Maximum numbers of names and alternatives in one text. */
const MAX_NAMES = 3;
const MAX_ALTERNATIVES = 2;

/** Returns the ID of hardware with the number of its vCPUs, such as `ADA_24` or `cpu3c, 4 vCPUs`. */
export function offerName({ kind, id, count }: Pick<HardwareOffer, 'kind' | 'id' | 'count'>): string {
  return kind === 'gpu' ? id : l10n.t`${id}, ${count} vCPUs`;
}

/** Returns the names of the GPU types of a pool, or of a flavor. */
export function modelNames({ names }: Pick<HardwareOffer, 'names'>): string {
  return listed(names, MAX_NAMES);
}

/** Returns sentences such as `L4 has stock in EU-RO-1 at $0.69/h (+$0.12/h).` Empty without alternatives. */
export function alternativesText({ offers, usdPerHour: present }: Alternatives): string {
  const sentences = offers.slice(0, MAX_ALTERNATIVES).map((offer) => {
    const { usdPerHour } = offer;
    const name = offer.kind === 'gpu' ? l10n.t`${offer.id} (${modelNames(offer)})` : offerName(offer);
    const [center] = offer.dataCenters;
    const difference = usdPerHour === undefined || present === undefined ? '' : ` (${signed(usdPerHour - present)})`;
    const price = usdPerHour === undefined ? l10n.t('an unknown price') : `${pricePerHour(usdPerHour)}${difference}`;
    return center === undefined
      ? l10n.t`${name} has stock at ${price}.`
      : l10n.t`${name} has stock in ${center} at ${price}.`;
  });
  return sentences.join(' ');
}

function signed(usd: number): string {
  // Prices are multiples of far more than a millionth of a dollar, and a difference of two can have rounding errors.
  const rounded = Math.round(usd * 1e6) / 1e6;
  return rounded < 0 ? `−${pricePerHour(-rounded)}` : `+${pricePerHour(rounded)}`;
}

/** Joins texts, and counts those beyond `max`. */
export function listed(texts: readonly string[], max: number): string {
  const more = texts.length - max;
  return more > 0 ? l10n.t`${texts.slice(0, max).join(', ')}, and ${more} more` : texts.join(', ');
}
