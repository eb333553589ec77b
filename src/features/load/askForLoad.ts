import * as l10n from '@vscode/l10n';
import { precise } from '../../account/prices/money.ts';
import { askForText } from '../../kit/quickInput.ts';
import { shown, type ShownText } from '../../text/shownText.ts';
import { capProblem, type PlannedLoad } from './actions/loadTest.ts';
import type { LoadSettings } from './loadStore.ts';
import { parseRates, ratesText } from './model/arrivals.ts';

const MAX_SECONDS = 604_800;
export const DEFAULT_SETTINGS: LoadSettings = { rate: 1, rampTo: 1, seconds: 60, arrivals: 'constant' };

/** Asks for the rate and the duration. Undefined if the user dismissed a question. */
export async function askForRate(name: string, last: LoadSettings): Promise<LoadSettings | undefined> {
  const rates = await askForText({
    title: shown`Load Test of “${name}”: Rate`,
    prompt: l10n.t(
      'Arrivals per second, such as 5, 5-50 for a rate that grows, or 5 random for random times. They do not wait for results.',
    ),
    value: ratesText(last),
    validate: (text) => (parseRates(text) ? undefined : l10n.t('Enter a rate, such as 5, 5-50, or 5 random')),
  });
  const read = rates === undefined ? undefined : parseRates(rates);
  if (!read) return undefined;
  const time = await askForText({
    title: shown`Load Test of “${name}”: Duration`,
    prompt: l10n.t('Seconds with arrivals'),
    value: String(last.seconds),
    validate: (text) => (parseSeconds(text) === undefined ? l10n.t('Enter seconds, such as 60') : undefined),
  });
  const duration = time === undefined ? undefined : parseSeconds(time);
  return duration === undefined ? undefined : { ...last, ...read, seconds: duration };
}

/** Asks for the cap on the costs, in USD. `none`: the user wants no cap. Undefined if the user dismissed the question. */
export async function askForCap(plan: PlannedLoad, last: number | undefined): Promise<number | 'none' | undefined> {
  const { estimate, endpoint } = plan;
  const estimated = estimate === undefined ? l10n.t('unknown') : l10n.t`up to ${precise(estimate)}`;
  const answer = await askForText({
    title: shown`Load Test of “${endpoint.name}”: Cost Cap`,
    prompt: shown`Maximum cost in US dollars. Leave it empty for no cap. The estimated cost is ${estimated}.`,
    value: last === undefined ? '' : String(last),
    validate: (text) => capError(plan, text),
  });
  if (answer === undefined) return undefined;
  return parseCap(answer) ?? 'none';
}

function capError(plan: PlannedLoad, text: string): ShownText | string | undefined {
  if (text.trim() === '') return undefined;
  const cap = parseCap(text);
  if (cap === undefined) return l10n.t('Enter an amount, such as 2.50');
  switch (capProblem(plan, cap)) {
    case 'unknownPrice':
      return l10n.t('The price is not known, so the cost cannot be capped');
    case 'estimateExceedsCap':
      return shown`The estimated cost (${precise(plan.estimate ?? 0)}) exceeds this cap`;
    default:
      return undefined;
  }
}

function parseSeconds(text: string): number | undefined {
  const seconds = /^\d{1,6}$/.test(text.trim()) ? Number(text) : NaN;
  return seconds >= 1 && seconds <= MAX_SECONDS ? seconds : undefined;
}

function parseCap(text: string): number | undefined {
  const [, amount] = /^\$?(\d{1,9}(?:\.\d{1,9})?)$/.exec(text.trim()) ?? [];
  return amount === undefined ? undefined : Number(amount);
}
