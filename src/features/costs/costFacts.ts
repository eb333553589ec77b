import { ApiError } from '../../client/apiError.ts';
import type { EndpointSpend } from './endpointSpends.ts';
import { cents, costWords } from './model/money.ts';
import { rateWords, type Rate, type WorkerCost } from './model/workerCost.ts';

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

const atHostedPrices = (isLocal: boolean) => (isLocal ? ', at hosted prices' : '');

export function endpointCostFacts({ rate, spend, isLocal = false }: EndpointCosts): readonly Fact[] {
  return [
    ...(rate ? [['Cost now', `${rateWords(rate)}${atHostedPrices(isLocal)}`] as const] : []),
    ...(spend ? [['Spend', spendFact(spend, isLocal)] as const] : []),
  ];
}

function spendFact(spend: EndpointSpend, isLocal: boolean): string {
  if (spend instanceof ApiError) return `unknown: ${reasonOf(spend)}`;
  return `${cents(spend.today)} today, ${cents(spend.month)} this month (UTC)${atHostedPrices(isLocal)}`;
}

function reasonOf({ kind }: ApiError): string {
  switch (kind) {
    case 'forbidden':
    case 'unauthorized':
      return 'the API key has no access to billing';
    case 'rateLimited':
      return 'too many requests';
    case 'network':
    case 'timeout':
      return 'the platform cannot be reached';
    default:
      return 'the platform could not report it';
  }
}

export function workerCostFact({ soFar, isLocal, ...rate }: LocatedCost): string {
  const sum = soFar === undefined ? '' : `${costWords(soFar)} so far, `;
  return `${sum}${rateWords(rate)}${atHostedPrices(isLocal)}`;
}
