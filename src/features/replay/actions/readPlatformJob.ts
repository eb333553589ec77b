import { ApiError } from '../../../client/apiError.ts';
import type { Client } from '../../../client/client.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';
import { type Job, JOB_STATUSES, type JobRequest, type JobStatus } from '../../../contract/job.ts';
import {
  readLocalDifferences,
  readLocalJob,
  type RepeatableRequest,
  type LocalJob,
} from '../../gate/actions/readLocalJob.ts';
import type { ReplaySubject } from './replaySubject.ts';
import type { RecordedJob } from '../../../contract/recordedJob.ts';
import { settingsOfEndpoint, volumesOf } from '../model/workerSettings.ts';

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

/** The known facts of a job without a recording. */
interface KnownJob {
  readonly endpoint: Endpoint;
  readonly request: Pick<JobRequest, 'input' | 'policy'>;
  readonly job: Pick<Job, 'status' | 'output' | 'error' | 'delayTime' | 'executionTime'>;
  /** Time of the submission, in ms since the epoch. */
  readonly submittedAt: number;
  /** The release and the image that ran the job, as the local platform reports them. */
  readonly ran?: Partial<Pick<LocalJob, 'release' | 'image' | 'digest'>> | undefined;
  readonly local?: RecordedJob['local'];
}

/** Describes an ended job like a recording. Undefined for a job that has not ended, or whose status is unknown. */
export function recordedJobOf({
  endpoint,
  request,
  job,
  submittedAt,
  ran: { release, image = endpoint.image ?? '', digest } = {},
  local,
}: KnownJob): RecordedJob | undefined {
  const status = JOB_STATUSES.find((one) => one === job.status);
  if (status === undefined || UNFINISHED.includes(status)) return undefined;
  const { env = {} } = endpoint;
  const { delayTime, executionTime } = job;
  return {
    version: 1,
    endpoint: endpoint.name,
    submittedAt: new Date(submittedAt).toISOString(),
    request: { input: request.input, ...(request.policy && { policy: request.policy }) },
    result: {
      status,
      ...(job.output !== undefined && { output: job.output }),
      ...(job.error !== undefined && { error: job.error }),
      ...(delayTime !== undefined && delayTime >= 0 && { delayTimeMs: delayTime }),
      ...(executionTime !== undefined && executionTime >= 0 && { executionTimeMs: executionTime }),
    },
    worker: {
      image,
      ...(digest !== undefined && { digest }),
      ...(release !== undefined && { release }),
      environment: Object.keys(env),
      volumes: volumesOf(settingsOfEndpoint(endpoint)).map(({ id }) => id),
    },
    ...(local && { local }),
  };
}

const UNFINISHED: readonly JobStatus[] = ['IN_QUEUE', 'IN_PROGRESS'];
