import * as z from 'zod';
import { ResourceId } from '../../../contract/control/resourceId.ts';
import { isIdempotencyKey, JOB_STATUSES, JobRequest } from '../../../contract/job.ts';
import { ReleaseDiffEntry } from '../../../contract/release.ts';
import { LogSource } from '../../../contract/workerLogs.ts';
import { AccountRecord, ApiKeyRecord } from '../../domain/account.ts';
import { EndpointRecord } from '../../domain/endpoint.ts';
import { GlobalVolumeRecord, NetworkVolumeRecord } from '../../domain/networkVolume.ts';
import { JobTraceEvent } from '../../domain/jobTraceEvent.ts';
import { Measured } from '../../domain/measured.ts';
import { USAGE_KINDS } from '../../domain/metering.ts';
import { METRIC_LEVELS } from '../../domain/metricBuckets.ts';
import { AccountId, Count, Moment, Text } from '../../domain/recordFields.ts';
import { RegistryRecord } from '../../domain/registry.ts';
import { TemplateRecord } from '../../domain/template.ts';
import { readTraceParent } from '../../domain/traceContext.ts';
import { workerEventColumns, WorkerTraceEvent } from '../../domain/workerTraceEvent.ts';

/* Schemas for records, and for rows that another platform may have written. They accept only the IDs and amounts that this platform creates. */

const JobId = z.string().regex(/^[\w-]{1,64}$/);
/** Digest in a registry, or ID on an engine. */
const ImageDigest = z.string().regex(/^[a-z0-9+._-]{1,32}:[0-9a-f]{32,128}$/);
const SubmissionKey = z.string().refine(isIdempotencyKey);
const TraceParent = z
  .string()
  .refine((text) => readTraceParent(text) !== undefined)
  .max(55);
const Digest = z.string().regex(/^[0-9a-f]{64}$/);
/** UUID, and the size in bytes. */
const LargeReference = z.string().regex(/^[0-9a-f-]{36}:[1-9]\d{0,9}$/);
const RunId = z.string().regex(/^[\w-]{1,64}$/);
const LogTimestamp = z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/);
/** Nano-dollars per dollar. */
const NANO_USD = 1_000_000_000;

/** JSON text that matches a schema. */
const json = <Shape extends z.ZodType>(shape: Shape) =>
  z
    .string()
    .transform((text, context): unknown => {
      try {
        return JSON.parse(text);
      } catch {
        context.addIssue('is not JSON');
        return z.NEVER;
      }
    })
    .pipe(shape);

const AnyJson = json(z.unknown());

/** Schemas of the records by table, and by kind for the table of resources. */
export const RECORDS = {
  endpoints: EndpointRecord,
  accounts: AccountRecord,
  api_keys: ApiKeyRecord,
  templates: TemplateRecord,
  registries: RegistryRecord,
  networkVolumes: NetworkVolumeRecord,
  globalVolumes: GlobalVolumeRecord,
} as const;

export type RecordKind = keyof typeof RECORDS;

/** Request of a job. The input is arbitrary. */
const StoredRequest = z.looseObject({
  webhook: JobRequest.shape.webhook,
  policy: JobRequest.shape.policy,
  s3Config: JobRequest.shape.s3Config,
});

/** Requires the record's ID to match the row's ID. */
const named = (record: Named) =>
  z
    .object({ id: record.shape.id, record: json(record) })
    .refine((row) => row.record.id === row.id, { path: ['record', 'id'], error: "does not match the row's ID" });

type Named = z.ZodObject<{ id: z.ZodType<string> }>;

const resource = (kind: string, record: Named) =>
  named(record).safeExtend({ kind: z.literal(kind), account_id: AccountId });

/** Rows of each table of the newest schema, with their secrets decrypted. */
export const STORED_ROWS = {
  endpoints: named(RECORDS.endpoints).safeExtend({ created_at: Moment }),
  releases: z.object({
    ...{ id: ResourceId, endpoint_id: ResourceId, version: z.int().min(1), created_at: Moment },
    diff: json(z.array(ReleaseDiffEntry)),
  }),
  release_images: z.object({ endpoint_id: ResourceId, first_version: z.int().min(1), digest: ImageDigest.nullable() }),
  pulled_images: z.object({ id: ImageDigest, pulled_at: Moment }),
  purged_queues: z.object({ endpoint_id: Text, queued_by: Moment }),
  removed_endpoints: z.object({ id: ResourceId, account_id: AccountId.or(z.literal('')) }),
  workers: z.object({ id: ResourceId, endpoint_id: ResourceId, created_at: Moment }),
  runs: z.object({
    ...{ id: RunId, worker_id: ResourceId, endpoint_id: ResourceId, handle: AnyJson },
    ...{ started_at: Moment, last_seen_at: Moment },
  }),
  gate_ports: z.object({ address: Text, port: z.int().min(1).max(65_535) }),
  jobs: z.object({
    ...{ id: JobId, endpoint_id: Text, status: z.enum(JOB_STATUSES), webhook: z.literal('').nullable() },
    ...{ ttl: Count.nullable(), execution_timeout: Count.nullable(), low_priority: z.literal([0, 1]) },
    ...{ created_at: Moment, queued_at: Moment, started_at: Moment.nullable(), finished_at: Moment.nullable() },
    ...{ expires_at: Moment, worker_id: Text.nullable(), lost_workers: Count, retries: Count },
    ...{ output: AnyJson.nullable(), error: AnyJson.nullable() },
    ...{ submission_key: SubmissionKey.nullable(), request_digest: Digest.nullable() },
    ...{ large_input: LargeReference.nullable(), large_output: LargeReference.nullable() },
    ...{ release: Count.nullable(), trace_parent: TraceParent.nullable() },
  }),
  large_values: z.object({ reference: LargeReference, used: z.literal([0, 1]) }),
  large_value_parts: z.object({ reference: LargeReference }),
  job_requests: z.object({ request: json(StoredRequest) }),
  job_chunks: z.object({ job_id: Text, output: AnyJson }),
  webhooks: z.object({
    ...{ job_id: JobId, account_id: z.string(), receiver: Text, url: JobRequest.shape.webhook.unwrap(), body: AnyJson },
    ...{ attempts: Count, due_at: Moment },
  }),
  images: z.object({
    name: z.string().regex(/^[\w-]{16,64}\.[a-z]{2,5}$/),
    content_type: z.enum(['image/png', 'image/jpeg']),
    created_at: Moment,
    expires_at: Moment,
  }),
  resources: z.discriminatedUnion('kind', [
    resource('templates', RECORDS.templates),
    resource('registries', RECORDS.registries),
    resource('networkVolumes', RECORDS.networkVolumes),
    resource('globalVolumes', RECORDS.globalVolumes),
  ]),
  accounts: named(RECORDS.accounts),
  team_members: z.object({ team_id: AccountId, user_id: AccountId }),
  api_keys: named(RECORDS.api_keys).safeExtend({ account_id: AccountId }),
  usage: z.object({
    ...{ source_id: z.string(), resource_id: z.string(), account_id: AccountId, kind: z.enum(USAGE_KINDS) },
    ...{ nano_usd_per_month: Count, step_ms: Count, started_at: Moment, ended_at: Moment.nullable() },
    settled_to: Moment,
  }),
  usage_sums: z.object({
    ...{ account_id: AccountId, grain: z.enum(['hour', 'day']), resource_id: z.string() },
    ...{ start: Moment, kind: z.enum(USAGE_KINDS), usd: Count, nano_usd: Count.max(NANO_USD - 1) },
  }),
  metrics: z.object({
    ...{
      endpoint_id: ResourceId,
      step: z.literal(METRIC_LEVELS.map(({ stepMs }) => stepMs)),
      release: Count,
      start: Moment,
    },
    ...{
      rolled: z.literal([0, 1]),
      value: z.instanceof(Uint8Array).refine((bytes) => Measured.decode(bytes), 'cannot be read'),
    },
  }),
  metric_crashes: z.object({ endpoint_id: ResourceId, worker_id: Text, release: Count, at: Moment }),
  metric_runs: z.object({ started_at: Moment, ended_at: Moment }),
  worker_events: z.object({ ...workerEventColumns, event: json(WorkerTraceEvent) }),
  job_events: z.object({ job: Count, event: json(JobTraceEvent) }),
} as const satisfies Readonly<Record<string, z.ZodType>>;

export type StoredTable = keyof typeof STORED_ROWS;

/** Rows of the log database, without the log lines. */
export const STORED_LOG_ROWS = {
  log_blocks: z.object({
    ...{ worker_id: ResourceId, source: LogSource, first_ts: LogTimestamp, last_ts: LogTimestamp },
    ...{ lines: z.int().min(1), bytes: Count },
  }),
} as const;
