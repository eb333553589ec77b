import * as l10n from '@vscode/l10n';
import { MODELS_PATH, openAiBase } from '../../../contract/openAi.ts';
import type { OpenAiModel } from '../../../contract/openAiChat.ts';
import type { Client } from '../../../client/client.ts';
import { withLateProgress } from '../../../kit/progress.ts';
import { shown } from '../../../text/shownText.ts';
import { UserError } from '../../../kit/userError.ts';
import type { Profile } from '../../../account/connections/connectionStore.ts';
import type { Callable } from '../../../account/connections/requireConnection.ts';
import type { EndpointSnapshot } from '../../../account/endpoints/endpointSnapshot.ts';
import type { AccountServices } from '../../../account/accountServices.ts';
import { listModels, type ChatEndpoint } from './actions/listModels.ts';
import { maySend } from '../send/maySend.ts';
import { canHaveWorkers, waitObserver } from '../send/waitObserver.ts';

/** Returns the endpoint of a snapshot for requests to its OpenAI-compatible worker. */
export function chatEndpoint({ endpoint: { id, type } }: EndpointSnapshot): ChatEndpoint {
  return { endpointId: id, endpointType: type === 'LOAD_BALANCER' ? 'LOAD_BALANCER' : 'QUEUE' };
}

/**
 * Reads the models of an OpenAI-compatible worker, with progress while a worker starts. Asks for consent first if the request costs money.
 *
 * @returns undefined if the user declined
 * @throws UserError if the worker is not OpenAI-compatible, or if it has no models
 */
export async function readModels(
  services: Pick<AccountServices, 'context' | 'clock' | 'endpoints' | 'liveValues'>,
  { client, profile }: Callable<Client, Profile>,
  snapshot: EndpointSnapshot,
): Promise<readonly [OpenAiModel, ...OpenAiModel[]] | undefined> {
  const { id, name } = snapshot.endpoint;
  const endpoint = chatEndpoint(snapshot);
  if (!canHaveWorkers(services, id))
    throw new UserError(shown`“${name}” is paused: it allows no workers`, {
      label: l10n.t('Scale…'),
      command: 'cloudCompute.endpoints.scale',
    });
  if (!(await maySend(services, profile, { endpointId: id, endpointName: name }))) return undefined;
  const list = await withLateProgress(services.clock, shown`Models of “${name}”`, (signal, report) =>
    listModels(endpoint, {
      context: client.context,
      signal,
      observer: waitObserver(services, id, report),
      mayRetry: () => canHaveWorkers(services, id),
    }),
  );
  if (!('models' in list)) {
    const reason =
      list.status === 200 ? l10n.t('responds with other content') : shown`responds with status ${list.status}`;
    const path = openAiBase(endpoint.endpointType) + MODELS_PATH;
    throw new UserError(
      shown`“${name}” does not offer chats. An OpenAI-compatible worker lists its models at ${path}, and this one ${reason}`,
    );
  }
  const [first, ...others] = list.models;
  if (!first) throw new UserError(shown`“${name}” has no models`);
  return [first, ...others];
}
