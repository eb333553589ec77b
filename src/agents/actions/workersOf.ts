import type { Endpoint } from '../../contract/endpoint.ts';
import type { CallContext } from './agentTool.ts';

/** Maximum number of workers whose logs one call reads. */
const MAX_WORKERS = 8;

/**
 * Returns the workers whose logs a call reads: the given one, which can have ended, or the present ones.
 *
 * @throws ApiError
 */
export async function workersToRead(
  context: CallContext,
  { id }: Endpoint,
  workerId: string | undefined,
): Promise<{ readonly ids: readonly string[]; readonly leftOut: number }> {
  if (workerId !== undefined) return { ids: [workerId], leftOut: 0 };
  const { workers } = await context.connection().client.listEndpointWorkers({ id }, { signal: context.signal });
  const ids = workers.map((worker) => worker.id);
  return { ids: ids.slice(0, MAX_WORKERS), leftOut: Math.max(0, ids.length - MAX_WORKERS) };
}
