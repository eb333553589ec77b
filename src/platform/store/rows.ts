import type { JobStatus } from '../../contract/job.ts';
import type { JobRecord } from '../domain/job.ts';
import type { ReleaseRecord } from '../domain/release.ts';
import type { RunRecord } from './store.ts';

/* Between rows of the database and records of the domain. */

export type Row = Record<string, unknown>;
export type Parameters = Record<string, string | number | null>;

const json = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value));
const optionalNumber = (value: unknown): number | undefined => (value === null ? undefined : (value as number));
const optionalText = (value: unknown): string | undefined => (value === null ? undefined : (value as string));
const parsed = (text: unknown): unknown => (text === null ? undefined : JSON.parse(text as string));

/** What can change about a job, and its id. */
export function jobState(job: JobRecord): Parameters {
  return {
    id: job.id,
    status: job.status,
    ttl: job.ttl ?? null,
    queued_at: job.queuedAt,
    started_at: job.startedAt ?? null,
    finished_at: job.finishedAt ?? null,
    expires_at: job.expiresAt,
    worker_id: job.workerId ?? null,
    lost_workers: job.lostWorkers,
    retries: job.retries,
    output: json(job.output),
    error: json(job.error),
  };
}

export function jobParameters(job: JobRecord): Parameters {
  return {
    ...jobState(job),
    endpoint_id: job.endpointId,
    execution_timeout: job.executionTimeout ?? null,
    low_priority: job.lowPriority ? 1 : 0,
    webhook: job.webhook ?? null,
    created_at: job.createdAt,
  };
}

export function jobOfRow(row: Row): JobRecord {
  return {
    id: row['id'] as string,
    endpointId: row['endpoint_id'] as string,
    status: row['status'] as JobStatus,
    ttl: optionalNumber(row['ttl']),
    executionTimeout: optionalNumber(row['execution_timeout']),
    lowPriority: row['low_priority'] === 1,
    webhook: optionalText(row['webhook']),
    createdAt: row['created_at'] as number,
    queuedAt: row['queued_at'] as number,
    startedAt: optionalNumber(row['started_at']),
    finishedAt: optionalNumber(row['finished_at']),
    expiresAt: row['expires_at'] as number,
    workerId: optionalText(row['worker_id']),
    output: parsed(row['output']),
    error: parsed(row['error']),
    lostWorkers: row['lost_workers'] as number,
    retries: row['retries'] as number,
  };
}

export function runParameters(run: RunRecord): Parameters {
  return {
    id: run.id,
    worker_id: run.workerId,
    endpoint_id: run.endpointId,
    pid: run.pid,
    process_start: run.processStart ?? null,
    started_at: run.startedAt,
    last_seen_at: run.lastSeenAt,
  };
}

export function runOfRow(row: Row): RunRecord {
  return {
    id: row['id'] as string,
    workerId: row['worker_id'] as string,
    endpointId: row['endpoint_id'] as string,
    pid: row['pid'] as number,
    processStart: optionalText(row['process_start']),
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
