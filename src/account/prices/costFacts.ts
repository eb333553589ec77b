import * as l10n from '@vscode/l10n';
import { ApiError } from '../../client/apiError.ts';
import type { EndpointSpend } from './endpointSpends.ts';
import { cents, costWords } from './money.ts';
import { rateWords, type Rate, type WorkerCost } from './workerCost.ts';

/* Rows about costs in the tooltips of endpoints and workers. */

type Fact = readonly [name: string, value: string];

export interface EndpointCosts {
  /** Price of the present workers. */
  readonly rate?: Rate | undefined;
  readonly spend?: EndpointSpend | undefined;
  /** Whether the connection is the local platform, which is free. */
  readonly isLocal?: boolean;
}

/** The cost of a worker, and whether its platform is the local one. */
export type LocatedCost = WorkerCost & { readonly isLocal: boolean };

const atHostedPrices = (isLocal: boolean) => (isLocal ? l10n.t(', at hosted prices') : '');

export function endpointCostFacts({ rate, spend, isLocal = false }: EndpointCosts): readonly Fact[] {
  return [
    ...(rate ? [[l10n.t('Cost now'), `${rateWords(rate)}${atHostedPrices(isLocal)}`] as const] : []),
    ...(spend ? [[l10n.t('Spend'), spendFact(spend, isLocal)] as const] : []),
  ];
}

function spendFact(spend: EndpointSpend, isLocal: boolean): string {
  if (spend instanceof ApiError) return l10n.t`unknown: ${reasonOf(spend)}`;
  return l10n.t`${cents(spend.today)} today, ${cents(spend.month)} this month (UTC)${atHostedPrices(isLocal)}`;
}

function reasonOf({ kind }: ApiError): string {
  switch (kind) {
    case 'forbidden':
    case 'unauthorized':
      return l10n.t('the API key has no access to billing');
    case 'rateLimited':
      return l10n.t('too many requests');
    case 'network':
    case 'timeout':
      return l10n.t('the platform cannot be reached');
    default:
      return l10n.t('the platform could not report it');
  }
}

export function workerCostFact({ soFar, isLocal, ...rate }: LocatedCost): string {
  const sum = soFar === undefined ? '' : l10n.t`${costWords(soFar)} so far, `;
  return `${sum}${rateWords(rate)}${atHostedPrices(isLocal)}`;
}
