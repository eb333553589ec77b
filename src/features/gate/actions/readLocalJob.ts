import { ApiError } from '../../../client/apiError.ts';
import type { Client } from '../../../client/client.ts';
import { createControlClient, type ControlClient } from '../../../client/controlClient.ts';
import type { JobRequest } from '../../../contract/job.ts';
import type { RecordedJob } from '../../../contract/recordedJob.ts';

/* What only the local platform tells about a job, through its control API. */

/** The part of a request that a job can be run again with. */
export type RepeatableRequest = Pick<JobRequest, 'input' | 'policy'>;

/** A job as the local platform received it. */
export interface LocalJob {
  readonly request: RepeatableRequest;
  /** Time of the submission, in ms since the epoch. */
  readonly submittedAt: number;
  /** Version of the release that ran the job. */
  readonly release: number | undefined;
  /** Image of the release. */
  readonly image: string | undefined;
  /** Digest of the image that ran the job. */
  readonly digest: string | undefined;
}

/** Returns a job as the local platform received it. Undefined if the platform does not tell it. @throws ApiError */
export function readLocalJob(
  client: Client,
  place: { readonly endpointId: string; readonly jobId: string },
  signal?: AbortSignal,
): Promise<LocalJob | undefined> {
  return ifKnown(async () => {
    const job = await controlOf(client).getJobRequest(place, signal ? { signal } : {});
    const { input, policy, createdAt, release, image, digest } = job;
    const request = { input, ...(policy && { policy }) };
    return { request, submittedAt: Date.parse(createdAt), release, image, digest };
  });
}

/** Returns how the local platform differs from its usual behavior. Undefined if it does not, or does not tell it. @throws ApiError */
export function readLocalDifferences(client: Client, signal?: AbortSignal): Promise<RecordedJob['local']> {
  return ifKnown(async () => {
    const control = controlOf(client);
    const options = signal ? { signal } : {};
    const [{ aheadMs }, { faults }] = await Promise.all([
      control.getClock({}, options),
      control.listFaults({}, options),
    ]);
    return aheadMs === 0 && faults.length === 0 ? undefined : { clockOffsetMs: aheadMs, faults };
  });
}

function controlOf({ context: { connection, fetch, loopbackFetch, clock } }: Client): ControlClient {
  return createControlClient({ connection, fetch, loopbackFetch, clock });
}

/** An older platform does not have the operations, and a key of the platform of a team may not use them. */
async function ifKnown<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ApiError && (error.kind === 'forbidden' || error.kind === 'notFound')) return undefined;
    throw error;
  }
}
