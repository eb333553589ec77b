import { billingOperations } from './operations/billing.ts';
import { catalogOperations } from './operations/catalog.ts';
import { globalVolumeOperations, networkVolumeOperations } from './operations/volumes.ts';
import { queueOperations } from './operations/queue.ts';
import { registryOperations } from './operations/registries.ts';
import { serverlessOperations } from './operations/serverless.ts';
import { templateOperations } from './operations/templates.ts';

/**
 * All operations of the API. The client's requests and the local platform's responses are derived from these rows. Calls whose method
 * and path the worker defines are in `routeOperations`.
 */
export const operations = {
  ...billingOperations,
  ...serverlessOperations,
  ...templateOperations,
  ...networkVolumeOperations,
  ...globalVolumeOperations,
  ...catalogOperations,
  ...registryOperations,
  ...queueOperations,
} as const;

export type Operations = typeof operations;
export type OperationId = keyof Operations;
