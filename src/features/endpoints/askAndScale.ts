import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { askForText } from '../../kit/quickInput.ts';
import { shown } from '../../text/shownText.ts';
import { requireConnection } from '../../account/connections/requireConnection.ts';
import type { AccountServices } from '../../account/accountServices.ts';
import { scaleEndpoint, parseRange, rangeText, rangeWords, type WorkerRange } from './actions/scaleEndpoint.ts';
import { chosenEndpoint } from '../../account/endpoints/chosenEndpoints.ts';

/**
 * Asks for the number of workers of an endpoint, and changes it.
 *
 * @param args arguments of the command: the row of the endpoint, or nothing
 * @param suggested initial range of the input. Default: the current range.
 */
export async function askAndScale(
  services: Pick<AccountServices, 'connections' | 'endpoints'>,
  args: readonly unknown[],
  suggested?: WorkerRange,
): Promise<void> {
  const { client } = requireConnection(services.connections);
  const snapshot = await chosenEndpoint(services, args, l10n.t('Endpoint to scale'));
  if (!snapshot) return;
  const { name, workers } = snapshot.endpoint;
  const answer = await askForText({
    title: shown`Scale “${name}”`,
    prompt: l10n.t('Minimum and maximum number of workers'),
    value: rangeText(suggested ?? workers),
    validate: (text) => {
      const range = parseRange(text);
      if (typeof range === 'string') return range;
      return { message: rangeWords(range), severity: vscode.InputBoxValidationSeverity.Info };
    },
  });
  const range = answer === undefined ? undefined : parseRange(answer);
  if (typeof range === 'object') await scaleEndpoint({ client, store: services.endpoints }, snapshot.endpoint, range);
}
