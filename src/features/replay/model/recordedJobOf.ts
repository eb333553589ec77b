import type { Endpoint } from '../../../contract/endpoint.ts';
import { JOB_STATUSES, type Job, type JobRequest, type JobStatus } from '../../../contract/job.ts';
import type { RecordedJob } from '../../../contract/recordedJob.ts';
import type { LocalJob } from '../../gate/actions/readLocalJob.ts';
import { volumesOf } from './replayVolume.ts';
import { settingsOfEndpoint } from './workerSettings.ts';

/** The known facts of a job without a recording. */
export interface KnownJob {
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
