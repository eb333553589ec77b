import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { confirmed } from '../../kit/messages.ts';
import { joined, shown, type ShownText } from '../../text/shownText.ts';
import type { Profile } from '../connections/connectionStore.ts';
import { stateKey } from '../../kit/keyedState.ts';
import { precise, priceSentence } from '../prices/money.ts';

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
  const again = when === 'oncePerWorkspace' ? l10n.t('The editor asks once per connection and workspace.') : '';
  const detail = joined([shown`Platform: ${new URL(profile.baseUrl).host}`, cost, ...(again ? [again] : [])], '\n');
  if (!(await confirmed(question, detail, button))) return false;
  if (when === 'oncePerWorkspace') await memento.update(keyOf(profile.id), true);
  return true;
}

/** Says what requests cost, as far as it is known. */
function costOf({ count: number, noun, price }: PaidRequests): ShownText {
  if (noun === 'edit' && price !== undefined)
    return number === 1
      ? shown`It costs ${precise(price)}.`
      : shown`Each costs ${precise(price)}, in total ${precise(price * number)}.`;
  return priceSentence(price);
}

function wordsOf(
  { count: number, noun = 'job', endpointName }: PaidRequests,
  platform: string,
): readonly [question: ShownText, button: string] {
  switch (noun) {
    case 'job':
      return [
        number === 1
          ? shown`Run 1 job of “${endpointName}” on “${platform}”?`
          : shown`Run ${number} jobs of “${endpointName}” on “${platform}”?`,
        l10n.t('Run'),
      ];
    case 'request':
      return [
        number === 1
          ? shown`Send 1 request to “${endpointName}” on “${platform}”?`
          : shown`Send ${number} requests to “${endpointName}” on “${platform}”?`,
        l10n.t('Send'),
      ];
    case 'edit':
      return [
        number === 1
          ? shown`Edit 1 image with “${endpointName}” on “${platform}”?`
          : shown`Edit ${number} images with “${endpointName}” on “${platform}”?`,
        l10n.t('Edit'),
      ];
  }
}
