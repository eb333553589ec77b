import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { confirmed } from '../../kit/messages.ts';
import { count } from '../../text/quantities.ts';
import { joined, shown, type ShownText } from '../../text/shownText.ts';
import type { Profile } from '../connections/connectionStore.ts';
import { stateKey } from '../../kit/keyedState.ts';
import { precise, pricePerHour } from '../prices/money.ts';

/** Value of the setting `cloudCompute.jobs.confirmHosted`. */
type When = 'always' | 'oncePerWorkspace' | 'never';

const keyOf = (connectionId: string) => stateKey(connectionId, 'jobs.agreedToRun');

/** Requests that cost money on a hosted platform. */
export interface PaidRequests {
  readonly endpointName: string;
  readonly count: number;
  /** Default: `job`. */
  readonly noun?: 'job' | 'request' | 'edit';
  /** Highest price of one worker, in USD per hour. Undefined if it is not known. For an edit, the price of one image in USD. */
  readonly price: number | undefined;
}

/**
 * Returns whether requests may be sent. Asks before it sends requests to a hosted platform, as often as the setting says, and remembers
 * consent for the workspace and the connection.
 */
export async function mayRunOn(memento: vscode.Memento, profile: Profile, requests: PaidRequests): Promise<boolean> {
  if (profile.kind === 'local') return true;
  const when = vscode.workspace.getConfiguration('cloudCompute.jobs').get<When>('confirmHosted', 'oncePerWorkspace');
  if (when === 'never' || (when === 'oncePerWorkspace' && memento.get(keyOf(profile.id)) === true)) return true;
  const [question, button] = wordsOf(requests, profile.name);
  const cost = costOf(requests);
  const again =
    when === 'oncePerWorkspace' ? l10n.t('The editor does not ask again for this connection and workspace.') : '';
  const detail = joined([shown`Platform: ${new URL(profile.baseUrl).host}`, cost, ...(again ? [again] : [])], '\n');
  if (!(await confirmed(question, detail, button))) return false;
  if (when === 'oncePerWorkspace') await memento.update(keyOf(profile.id), true);
  return true;
}

/** Says what requests cost, as far as it is known. */
function costOf({ count: number, noun, price }: PaidRequests): ShownText {
  if (noun === 'edit' && price !== undefined)
    return shown`The platform bills ${precise(price)} for each image, ${precise(price * number)} in total.`;
  return price === undefined
    ? shown`The platform bills the workers. Their price per hour is not known.`
    : shown`The platform bills up to ${pricePerHour(price)} for each worker.`;
}

function wordsOf(
  { count: number, noun = 'job', endpointName }: PaidRequests,
  platform: string,
): readonly [question: ShownText, button: string] {
  switch (noun) {
    case 'job':
      return [shown`Run ${count(number, 'job')} of “${endpointName}” on “${platform}”?`, l10n.t('Run')];
    case 'request':
      return [shown`Send ${count(number, 'request')} to “${endpointName}” on “${platform}”?`, l10n.t('Send')];
    case 'edit':
      return [shown`Edit ${count(number, 'image')} with “${endpointName}” on “${platform}”?`, l10n.t('Edit')];
  }
}
