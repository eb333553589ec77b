import * as l10n from '@vscode/l10n';
import { pick } from '../../../kit/quickInput.ts';
import { UserError } from '../../../kit/userError.ts';
import { compareNames } from '../../../account/endpoints/arrangement.ts';
import { isEndpointNode } from '../../../account/endpoints/endpointNode.ts';
import type { EndpointSnapshot } from '../../../account/endpoints/endpointSnapshot.ts';
import type { AccountServices } from '../../../account/accountServices.ts';

/** Returns the endpoint of the clicked row, the only one, or one that the user picks. The endpoint has an OpenAI-compatible worker. */
export async function chooseChatEndpoint(
  { endpoints }: Pick<AccountServices, 'endpoints'>,
  argument: unknown,
): Promise<EndpointSnapshot | undefined> {
  await endpoints.refresh();
  if (isEndpointNode(argument)) {
    const found = endpoints.find(argument.endpointId);
    if (!found) throw new UserError(l10n.t('the endpoint no longer exists'));
    return found;
  }
  if (endpoints.state.kind === 'failed') throw endpoints.state.error;
  const found = endpoints.endpoints.filter(({ deleting }) => !deleting);
  if (found.length === 0)
    throw new UserError(l10n.t('there is no endpoint yet'), {
      label: l10n.t('Create Endpoint'),
      command: 'cloudCompute.manifest.createEndpoint',
    });
  if (found.length === 1) return found[0];
  const items = [...found]
    .sort((a, b) => compareNames(a.endpoint.name, b.endpoint.name))
    .map((snapshot) => ({ label: snapshot.endpoint.name, description: snapshot.endpoint.id, snapshot }));
  const title = l10n.t('Use Endpoint as Chat Model');
  return (await pick(items, { title, placeholder: l10n.t('Endpoint with an OpenAI-compatible worker') }))?.snapshot;
}
