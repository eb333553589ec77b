import { ApiError } from '../../../client/apiError.ts';
import type { Client } from '../../../client/client.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';
import type { Job } from '../../../contract/job.ts';
import { readLocalDifferences, readLocalJob, type RepeatableRequest } from '../../gate/actions/readLocalJob.ts';
import { recordedJobOf } from '../model/recordedJobOf.ts';
import type { ReplaySubject } from './replaySubject.ts';

/** A job of a platform. */
export interface PlatformJob {
  readonly endpointId: string;
  readonly jobId: string;
  /** Whether it is the local platform of this user, which returns the request of a job. */
  readonly isLocal: boolean;
  /** The request, if this machine has stored it. */
  readonly request?: RepeatableRequest | undefined;
  /** Time of the submission, in ms since the epoch. */
  readonly submittedAt?: number | undefined;
}

/**
 * What is known of a job.
 *
 * - `found`: it can be replayed.
 * - `unfinished`: it has not ended.
 * - `noRequest`: nobody has its request.
 */
export type FoundJob =
  | {
      readonly kind: 'found';
      readonly subject: ReplaySubject;
      readonly endpoint: Endpoint;
      /** Newest release of the endpoint. */
      readonly release: number | undefined;
    }
  | { readonly kind: 'unfinished'; readonly job: Job }
  | { readonly kind: 'noRequest'; readonly job: Job };

/** Reads a job with its request and its endpoint. @throws ApiError */
export async function readPlatformJob(client: Client, given: PlatformJob, signal: AbortSignal): Promise<FoundJob> {
  const { endpointId, jobId, isLocal } = given;
  const [job, endpoint, sent, local] = await Promise.all([
    client.getJobStatus({ endpointId, jobId }, { signal }),
    client.getEndpoint({ id: endpointId }, { signal }),
    isLocal ? readLocalJob(client, { endpointId, jobId }, signal) : undefined,
    isLocal ? readLocalDifferences(client, signal) : undefined,
  ]);
  const request = given.request ?? sent?.request;
  if (!request) return { kind: 'noRequest', job };
  const submittedAt = given.submittedAt ?? sent?.submittedAt ?? client.context.clock.now();
  const recorded = recordedJobOf({ endpoint, request, job, submittedAt, ran: sent, local });
  if (!recorded) return { kind: 'unfinished', job };
  return { kind: 'found', subject: { recorded }, endpoint, release: await newestRelease(client, endpointId, signal) };
}

/** Hosted platforms can have no releases. */
async function newestRelease(client: Client, id: string, signal: AbortSignal): Promise<number | undefined> {
  const list = await client.listEndpointReleases({ id, query: { limit: 1 } }, { signal }).catch((error: unknown) => {
    signal.throwIfAborted();
    if (error instanceof ApiError) return undefined;
    throw error;
  });
  return list?.endpointVersion ?? undefined;
}
