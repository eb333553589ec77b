import type { IncomingMessage } from 'node:http';
import { operations } from '../../contract/operations.ts';
import { permissionFor } from '../../contract/permissions.ts';
import { endpointsOf } from '../endpoints/accountEndpoints.ts';
import { checkAccess } from '../routes/access.ts';
import type { ControlledServices } from './controlServices.ts';

/** Checks that the caller may read an endpoint. The owner may read those of all accounts. @throws Refusal 401, 403, 404 */
export async function checkReadable(
  { authenticator, engine }: ControlledServices,
  { headers }: IncomingMessage,
  endpointId: string,
): Promise<void> {
  const caller = await authenticator.authenticate(headers);
  checkAccess(caller, permissionFor(operations.getEndpoint));
  if (!caller.isPlatformOwner) endpointsOf(engine, caller.accountId).get(endpointId);
}
