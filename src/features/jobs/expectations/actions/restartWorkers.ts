import type { Client } from '../../../../client/client.ts';
import type { Endpoint } from '../../../../contract/endpoint.ts';

/**
 * Replaces the workers of an endpoint, so that they load changed files. The platform has no such operation: the endpoint gets a maximum of
 * 0 workers, and then its old settings again. Without FlashBoot in between, no frozen process resumes.
 *
 * @throws ApiError
 */
export async function restartWorkers(client: Client, { id, workers, flashboot }: Endpoint): Promise<void> {
  if (workers.max === 0) return;
  const { min, max } = workers;
  await client.updateEndpoint({ id, body: { workers: { min: 0, max: 0 }, flashboot: 'OFF' } });
  await client.updateEndpoint({ id, body: { workers: { min, max }, ...(isFlashboot(flashboot) && { flashboot }) } });
}

function isFlashboot(value: string): value is 'OFF' | 'FLASHBOOT' | 'PRIORITY_FLASHBOOT' {
  return ['OFF', 'FLASHBOOT', 'PRIORITY_FLASHBOOT'].includes(value);
}
