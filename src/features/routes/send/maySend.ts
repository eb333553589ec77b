import type { Profile } from '../../connections/connectionStore.ts';
import { mayRunOn } from '../../jobs/confirmHosted.ts';
import { workerPrice } from '../../costs/model/workerPrice.ts';
import type { Services } from '../../services.ts';

/** Returns whether a request may be sent. Asks before the first one to a hosted platform, which bills for its worker. */
export async function maySend(
  { context, endpoints, liveValues }: Pick<Services, 'context' | 'endpoints' | 'liveValues'>,
  profile: Profile,
  { endpointId, endpointName }: { readonly endpointId: string; readonly endpointName: string },
): Promise<boolean> {
  const endpoint = endpoints.find(endpointId)?.endpoint;
  const price = endpoint && workerPrice(endpoint, liveValues.current);
  return mayRunOn(context.workspaceState, profile, { endpointName, count: 1, noun: 'request', price });
}
