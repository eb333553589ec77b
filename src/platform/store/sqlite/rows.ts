import type { JobStatus } from '../../../contract/job.ts';
import type { EndedJobRecord, JobRecord } from '../../domain/job.ts';
import { LargeJson } from '../../domain/largeJson.ts';
import type { ReleaseRecord } from '../../domain/release.ts';
import type { RunRecord } from '../runStore.ts';

/* Conversions between database rows and domain records. */

export type Row = Record<string, unknown>;
export type Parameters = Record<string, string | number | null>;

const json = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value));
const optionalNumber = (value: unknown): number | undefined => (value === null ? undefined : (value as number));
export const optionalText = (value: unknown): string | undefined => (value === null ? undefined : (value as string));
const parsed = (text: unknown): unknown => (text === null ? undefined : JSON.parse(text as string));

type Value = string | number | null;

/** Column of each member of a job. */
const COLUMN_OF = {
  id: 'id',
  endpointId: 'endpoint_id',
  executionTimeout: 'execution_timeout',
  traceParent: 'trace_parent',
  lowPriority: 'low_priority',
  notifies: 'webhook',
  createdAt: 'created_at',
  status: 'status',
  ttl: 'ttl',
  queuedAt: 'queued_at',
  startedAt: 'started_at',
  finishedAt: 'finished_at',
  expiresAt: 'expires_at',
  workerId: 'worker_id',
  lostWorkers: 'lost_workers',
  retries: 'retries',
  release: 'release',
  output: 'output',
  error: 'error',
} as const satisfies Record<keyof JobRecord, string>;

const JOB_PARTS = Object.keys(COLUMN_OF) as (keyof JobRecord)[];

export const JOB_COLUMNS = Object.values(COLUMN_OF);

/** Converts between a large value and the reference of a row to it. */
export interface LargeReferences {
  readonly refer: (value: unknown) => string | null;
  readonly read: (reference: string) => LargeJson;
}

function jobValue(job: JobRecord, part: keyof JobRecord): Value {
  if (part === 'output' && job.output instanceof LargeJson) return null;
  if (part === 'output' || part === 'error') return json(job[part]);
  if (part === 'lowPriority') return job.lowPriority ? 1 : 0;
  // Only the request stores the address, which may contain a secret.
  if (part === 'notifies') return job.notifies ? '' : null;
  return job[part] ?? null;
}

/** Returns the values of a job in the order of the columns. */
export function jobValues(job: JobRecord): Value[] {
  return JOB_PARTS.map((part) => jobValue(job, part));
}

/** Returns the columns that differ. Unchanged columns are omitted, because setting one updates its indexes. */
export function jobChanges(before: JobRecord, after: JobRecord, { refer }: LargeReferences): Parameters {
  const changes: Parameters = {};
  const outputs = [before.output, after.output];
  if (outputs[0] !== outputs[1] && outputs.some((output) => output instanceof LargeJson))
    changes['large_output'] = refer(after.output);
  for (const part of JOB_PARTS) {
    if (before[part] !== after[part]) changes[COLUMN_OF[part]] = jobValue(after, part);
  }
  return changes;
}

/** Returns the members that the job counts depend on. */
export function countedOf(row: Row): Pick<JobRecord, 'endpointId' | 'status' | 'retries'> {
  return {
    endpointId: row['endpoint_id'] as string,
    status: row['status'] as JobStatus,
    retries: row['retries'] as number,
  };
}

export function jobOfRow(row: Row, { read }: LargeReferences): JobRecord {
  const largeOutput = optionalText(row['large_output']);
  return {
    id: row['id'] as string,
    endpointId: row['endpoint_id'] as string,
    status: row['status'] as JobStatus,
    ttl: optionalNumber(row['ttl']),
    executionTimeout: optionalNumber(row['execution_timeout']),
    traceParent: optionalText(row['trace_parent']),
    lowPriority: row['low_priority'] === 1,
    notifies: row['webhook'] !== null,
    createdAt: row['created_at'] as number,
    queuedAt: row['queued_at'] as number,
    startedAt: optionalNumber(row['started_at']),
    finishedAt: optionalNumber(row['finished_at']),
    expiresAt: row['expires_at'] as number,
    workerId: optionalText(row['worker_id']),
    output: largeOutput === undefined ? parsed(row['output']) : read(largeOutput),
    error: parsed(row['error']),
    lostWorkers: row['lost_workers'] as number,
    retries: row['retries'] as number,
    release: optionalNumber(row['release']),
  };
}

export function endedJobOfRow(row: Row): EndedJobRecord {
  return {
    id: row['id'] as string,
    status: row['status'] as JobStatus,
    createdAt: row['created_at'] as number,
    startedAt: optionalNumber(row['started_at']),
    finishedAt: row['finished_at'] as number,
    workerId: optionalText(row['worker_id']),
    release: optionalNumber(row['release']),
  };
}

export function runParameters(run: RunRecord): Parameters {
  return {
    id: run.id,
    worker_id: run.workerId,
    endpoint_id: run.endpointId,
    handle: JSON.stringify(run.handle),
    started_at: run.startedAt,
    last_seen_at: run.lastSeenAt,
  };
}

export function runOfRow(row: Row): RunRecord {
  return {
    id: row['id'] as string,
    workerId: row['worker_id'] as string,
    endpointId: row['endpoint_id'] as string,
    handle: parsed(row['handle']),
    startedAt: row['started_at'] as number,
    lastSeenAt: row['last_seen_at'] as number,
  };
}

export function releaseOfRow(row: Row): ReleaseRecord {
  return {
    id: row['id'] as string,
    endpointId: row['endpoint_id'] as string,
    version: row['version'] as number,
    createdAt: row['created_at'] as number,
    diff: JSON.parse(row['diff'] as string) as ReleaseRecord['diff'],
  };
}
