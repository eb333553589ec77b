import * as l10n from '@vscode/l10n';
import { duration } from '../../../text/quantities.ts';
import { shown, type ShownText } from '../../../text/shownText.ts';
import type { IdleEndpoint } from './idleWatch.ts';
import { cents } from '../../../account/prices/money.ts';
import { costOf, rateOf, type PriceSource } from '../../../account/prices/workerCost.ts';

/** Cost of the idle time of workers, in USD. Undefined if a price is not known. */
export function idleCost({ snapshot, workers }: IdleEndpoint, source: PriceSource): number | undefined {
  const costs = workers.map(({ worker, idleMs }) => {
    const rate = rateOf(worker, snapshot.endpoint, source);
    return rate && costOf(idleMs / 1000, rate.usdPerHour);
  });
  const known = costs.filter((cost) => cost !== undefined);
  return known.length === costs.length ? known.reduce((sum, cost) => sum + cost, 0) : undefined;
}

/**
 * Describes idle workers, such as `“hello”: 2 workers idle for 40 min, $1.10. workers.min keeps 2 workers.`
 *
 * @param isLocal whether the platform is the local one, which is free
 */
export function idleWords(idle: IdleEndpoint, source: PriceSource, isLocal: boolean): ShownText {
  const { snapshot, workers } = idle;
  const { name, workers: range } = snapshot.endpoint;
  const times = workers.map(({ idleMs }) => duration(idleMs / 1000));
  const [longest = '', shortest = longest] = [times[0], times.at(-1)];
  const time = longest === shortest ? longest : l10n.t`up to ${longest}`;
  const usd = idleCost(idle, source);
  const cost = usd === undefined ? '' : `, ${cents(usd)}${isLocal ? l10n.t(' at hosted prices') : ''}`;
  const reason =
    range.min > 0
      ? range.min === 1
        ? l10n.t(' workers.min keeps 1 worker.')
        : l10n.t` workers.min keeps ${range.min} workers.`
      : '';
  return workers.length === 1
    ? shown`“${name}”: 1 worker idle for ${time}${cost}.${reason}`
    : shown`“${name}”: ${workers.length} workers idle for ${time}${cost}.${reason}`;
}
