import * as l10n from '@vscode/l10n';
import { costWords, precise, pricePerHour } from '../prices/money.ts';
import type { HardwareNeeds } from './hardwareNeeds.ts';
import { countReasons, type HardwareOffer, type Reason } from './hardwareOffers.ts';
import type { Alternatives } from './readHardwareStock.ts';

/* Hardware as people read it. */

/** Maximum number of data centers in one text. */
const MAX_CENTERS = 4;

/** Formats the memory of a worker, such as `24 GB` or `2 × 24 GB`. */
export function memoryWords({ kind, count, memoryGb: { least, most } }: HardwareOffer): string {
  const range = least === most ? String(least) : l10n.t`${least} to ${most}`;
  return kind === 'gpu' && count > 1 ? l10n.t`${count} × ${range} GB` : l10n.t`${range} GB`;
}

export function priceWords({ usdPerHour }: Pick<HardwareOffer, 'usdPerHour'>): string {
  return usdPerHour === undefined ? l10n.t('price unknown') : pricePerHour(usdPerHour);
}

export function stockWords({ stock }: Pick<HardwareOffer, 'stock'>): string {
  switch (stock) {
    case undefined:
      return l10n.t('stock unknown');
    case 'NONE':
      return l10n.t('no stock');
    case 'LOW':
      return l10n.t('low stock');
    case 'MEDIUM':
      return l10n.t('medium stock');
    case 'HIGH':
      return l10n.t('high stock');
    default:
      return l10n.t('in stock');
  }
}

/** Returns the cost of a job, and whether it is measured on this hardware. Undefined without known run times. */
export function jobCostWords({ usdPerJob, isMeasured }: HardwareOffer): string | undefined {
  if (usdPerJob === undefined) return undefined;
  return isMeasured ? l10n.t`${costWords(usdPerJob)} per job, measured` : l10n.t`about ${costWords(usdPerJob)} per job`;
}

/** Returns the data centers with stock that the endpoint can use. Empty if there are none. */
export function centerWords({ dataCenters }: Pick<HardwareOffer, 'dataCenters'>): string {
  return listed(dataCenters, MAX_CENTERS);
}

/** Returns why hardware does not satisfy an endpoint, such as `no stock in EU-RO-1, but in US-KS-2`. */
export function reasonWords(reason: Reason, offer: HardwareOffer, needs: HardwareNeeds): string {
  const { gpuCount, memoryGb = 0, dataCenters = [], monthlyBudget = 0 } = needs;
  switch (reason) {
    case 'gpuNeeded':
      return l10n.t('a global volume requires GPUs');
    case 'excluded':
      return l10n.t('excludedTypes excludes all its GPU types');
    case 'gpuCount':
      return l10n.t`a worker cannot have ${gpuCount} of these GPUs`;
    case 'memory':
      return l10n.t`less than ${memoryGb} GB of memory`;
    case 'cuda':
      return l10n.t`no host in stock has CUDA ${cudaWords(needs)}`;
    case 'noStock':
      return l10n.t('no data center has stock');
    case 'dataCenter':
      return l10n.t`no stock in ${listed(dataCenters, MAX_CENTERS)}, but in ${listed(offer.elsewhere, MAX_CENTERS)}`;
    case 'budget':
      return l10n.t`at least ${precise(offer.usdPerMonth ?? 0)} a month, above the budget of ${precise(monthlyBudget)}`;
  }
}

function cudaWords({ minCudaVersion, allowedCudaVersions }: HardwareNeeds): string {
  return allowedCudaVersions ? listed(allowedCudaVersions, MAX_CENTERS) : l10n.t`${minCudaVersion ?? ''} or newer`;
}

/** Returns the short name of a condition, for a summary. */
function conditionWords(reason: Reason): string {
  switch (reason) {
    case 'gpuNeeded':
      return l10n.t('the global volume');
    case 'excluded':
      return l10n.t('excluded types');
    case 'gpuCount':
      return l10n.t('GPUs per worker');
    case 'memory':
      return l10n.t('memory');
    case 'cuda':
      return l10n.t('CUDA version');
    case 'noStock':
      return l10n.t('no stock');
    case 'dataCenter':
      return l10n.t('data centers');
    case 'budget':
      return l10n.t('budget');
  }
}

/** Returns how many offers each condition excludes, such as `data centers: 4, memory: 2`. */
export function excludedWords(offers: readonly HardwareOffer[]): string {
  return countReasons(offers)
    .map(([reason, count]) => `${conditionWords(reason)}: ${count}`)
    .join(', ');
}

/** Returns the sentence that no hardware satisfies the endpoint, with the condition that excludes the most. */
export function nothingFitsWords(offers: readonly HardwareOffer[]): string {
  const [most] = countReasons(offers);
  if (!most) return l10n.t('The platform offers no hardware.');
  const [reason, count] = most;
  return l10n.t`No hardware satisfies the endpoint. The condition that excludes the most is “${conditionWords(reason)}” (${count} of ${offers.length}).`;
}

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
function listed(texts: readonly string[], max: number): string {
  const more = texts.length - max;
  return more > 0 ? l10n.t`${texts.slice(0, max).join(', ')}, and ${more} more` : texts.join(', ');
}
