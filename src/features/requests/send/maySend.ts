import type { Profile } from '../../../account/connections/connectionStore.ts';
import { mayRunOn } from '../../../account/consent/confirmHosted.ts';
import { workerPrice } from '../../../account/prices/workerPrice.ts';
import type { AccountServices } from '../../../account/accountServices.ts';

/** Returns whether a request may be sent. Asks before the first one to a hosted platform, which bills for its worker. */
export async function maySend(
  { context, endpoints, liveValues }: Pick<AccountServices, 'context' | 'endpoints' | 'liveValues'>,
  profile: Profile,
  { endpointId, endpointName }: { readonly endpointId: string; readonly endpointName: string },
): Promise<boolean> {
  const endpoint = endpoints.find(endpointId)?.endpoint;
  const price = endpoint && workerPrice(endpoint, liveValues.current);
  return mayRunOn(context.workspaceState, profile, { endpointName, count: 1, noun: 'request', price });
}
