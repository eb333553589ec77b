import type { Client } from '../../../client/client.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';
import { diagnose, lacksHardware } from '../../../account/diagnosis/diagnose.ts';
import type { Diagnosis } from '../../../account/diagnosis/diagnosis.ts';
import { type EndpointSnapshot, fetchEndpointDetails } from '../../../account/endpoints/endpointSnapshot.ts';
import { readAlternatives } from '../../../account/hardware/readHardwareStock.ts';
import { readRelevantLogs } from '../../../account/diagnosis/readRelevantLogs.ts';

/** What is known about an endpoint besides its present state. */
export interface Circumstances {
  readonly platform: 'local' | 'hosted';
  /** Time since which jobs have waited without a running worker, in ms since the epoch. */
  readonly stuckSince?: number | undefined;
}

/** Reads the present state of an endpoint: its workers and its jobs. @throws ApiError */
export async function readSnapshot(client: Client, endpoint: Endpoint, signal: AbortSignal): Promise<EndpointSnapshot> {
  const details = await fetchEndpointDetails(client, endpoint, { health: true, releases: false }, { signal });
  return { endpoint, workers: undefined, deleting: false, ...details };
}

/** Reads the state of an endpoint and the logs of failing workers, and returns why its jobs wait or its workers do not run. @throws ApiError */
export async function explainEndpoint(
  client: Client,
  endpoint: Endpoint,
  { platform, stuckSince }: Circumstances,
  signal: AbortSignal,
): Promise<{ readonly snapshot: EndpointSnapshot; readonly diagnosis: Diagnosis }> {
  const snapshot = { ...(await readSnapshot(client, endpoint, signal)), stuckSince };
  const [logs, alternatives] = await Promise.all([
    readRelevantLogs(client, snapshot, signal),
    lacksHardware(snapshot, platform) ? readAlternatives(client, endpoint, signal) : undefined,
  ]);
  signal.throwIfAborted();
  const { clock } = client.context;
  return { snapshot, diagnosis: diagnose({ snapshot, logs, platform, alternatives, now: clock.now() }) };
}
