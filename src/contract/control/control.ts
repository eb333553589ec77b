import * as z from 'zod';
import { MAX_FAULT_COUNT, MAX_IDS, MAX_JOB_LIFE_MS, MAX_SEEDED_USD, MAX_TIME_SPAN_MS } from '../bounds.ts';
import { CreateApiKeyBody, CreateTeamBody, CreateUserBody } from './controlAccounts.ts';
import { CreateEndpointBody } from '../endpoint.ts';
import { JOB_STATUSES, JobInput, JobRequest } from '../job.ts';
import { MOST_LOGGED_REQUESTS } from '../launch/localPlatform.ts';
import { CreateNetworkVolumeBody } from '../networkVolume.ts';
import type { OperationId } from '../operations.ts';
import { operations } from '../operations.ts';
import { routeOperations } from '../operations/routes.ts';
import { CreateRegistryBody } from '../registry.ts';
import { DateTime } from '../dateTime.ts';
import { booleanParameter, integerParameter } from '../schema.ts';
import { schemaRule } from '../schemaRule.ts';
import { CreateTemplateBody } from '../template.ts';

/* The control API of a local platform (see `controlOperations`): what is asked and answered. */

/** A text that nobody has used before. */
export const IdentityQuery = z.strictObject({ challenge: z.string().min(16).max(200) });

/** Shows that the platform which answers is the one that wrote the lock of its data directory: HMAC-SHA-256 with the lock's `holder`. */
export const Identity = z.looseObject({
  pid: z.int(),
  proof: z.string(),
  nonce: z
    .string()
    .optional()
    .meta({ description: 'Nonce that a request for the key must prove. Valid once, for a short time.' }),
});
export type Identity = z.infer<typeof Identity>;

/** Proves that the caller can read the lock: HMAC-SHA-256 of the nonce with a secret derived from the lock's `holder`. */
export const KeyRequest = z.strictObject({ nonce: z.string().max(200), proof: z.string().max(200) });

export const OwnerKey = z.looseObject({ apiKey: z.string() });

/** What those who share a platform are told: once when they are in, and when it is about to stop. */
export const AttachmentEvent = z.looseObject({ event: z.enum(['attached', 'stopping']) });
export type AttachmentEvent = z.infer<typeof AttachmentEvent>;

export const ImportQuery = z.strictObject({
  start: booleanParameter()
    .optional()
    .meta({
      description:
        'true: endpoints start and pending webhooks are sent. Otherwise endpoints are imported paused, with workers.min and workers.max ' +
        "set to 0, and start when workers.max is raised; pending webhooks are left to the snapshot's own platform.",
    }),
  secrets: z
    .enum(['keep', 'drop'])
    .optional()
    .meta({
      default: 'keep',
      description:
        'How to handle env values, s3Config, webhooks and registry passwords that were encrypted with the key of another data ' +
        'directory. keep: refuse the snapshot. drop: import it without them.',
    }),
});

export const ClockState = z.looseObject({
  now: DateTime,
  frozen: z.boolean(),
  aheadMs: z
    .int()
    .meta({ description: 'How far it is from the time of this machine, in ms; below 0 after it stood still.' }),
});
export type ClockState = z.infer<typeof ClockState>;

export const ClockChange = z
  .strictObject({
    frozen: z.boolean().optional().meta({ description: 'Whether it stands still from now on.' }),
    advanceMs: z
      .int()
      .min(1)
      .max(MAX_TIME_SPAN_MS)
      .optional()
      .meta({ description: 'ms to go forward, all that is due on the way included.' }),
    now: DateTime.optional().meta({ description: 'Where to go forward to.' }),
  })
  .refine((change) => Object.values(change).some((value) => value !== undefined), schemaRule('clockUnchanged', {}))
  .refine(({ advanceMs, now }) => advanceMs === undefined || now === undefined, {
    path: ['now'],
    ...schemaRule('exclusiveFields', { fields: ['advanceMs', 'now'] }),
  });
export type ClockChange = z.infer<typeof ClockChange>;

/** What a fault can be for: an operation of the interface, the routes of load-balanced endpoints, or all of them. */
export const FAULT_TARGETS = [...Object.keys(operations), ...Object.keys(routeOperations), '*'] as (
  OperationId | keyof typeof routeOperations | '*'
)[];

const LONGEST_DELAY_MS = 600_000;

export const Fault = z
  .strictObject({
    operation: z.enum(FAULT_TARGETS).meta({ description: 'Id of the operation in the OpenAPI document; * is any.' }),
    when: z.enum(['before', 'after']).default('before').meta({
      description: 'before: the operation does not take place. after: it does, and its answer is lost.',
    }),
    status: z.int().min(400).max(599).optional().meta({ description: 'What is answered instead.' }),
    detail: z.string().max(2_000).optional().meta({ description: 'The explanation that goes with the status.' }),
    headers: z
      .record(z.string().regex(/^[\w-]+$/), z.string().regex(/^[\t\x20-\x7e]*$/))
      .optional()
      .meta({ description: 'Headers of that answer, such as Retry-After.' }),
    drop: z.literal(true).optional().meta({ description: 'The connection is cut instead of an answer.' }),
    delayMs: z
      .int()
      .min(1)
      .max(LONGEST_DELAY_MS)
      .optional()
      .meta({ description: 'ms of real time before it; alone: before the real answer.' }),
    rate: z.number().gt(0).max(1).default(1).meta({ description: 'Part of the requests it happens to.' }),
    count: z
      .int()
      .min(1)
      .max(MAX_FAULT_COUNT)
      .optional()
      .meta({ description: 'Number of requests after which the fault ends.' }),
  })
  .refine(({ status, drop }) => status === undefined || drop === undefined, {
    path: ['drop'],
    ...schemaRule('exclusiveFields', { fields: ['status', 'drop'] }),
  })
  .refine(
    ({ status, drop, delayMs }) => (status ?? drop ?? delayMs) !== undefined,
    schemaRule('faultWithoutEffect', {}),
  );
export type Fault = z.infer<typeof Fault>;

export const ActiveFault = z.looseObject({
  ...Fault.shape,
  id: z.string(),
  hits: z.int().meta({ description: 'Requests it has happened to.' }),
});
export type ActiveFault = z.infer<typeof ActiveFault>;

export const FaultList = z.looseObject({ faults: z.array(ActiveFault) });

export const RequestLogQuery = z.strictObject({
  limit: integerParameter({ min: 1, max: MOST_LOGGED_REQUESTS }).optional(),
  operation: z.enum(FAULT_TARGETS).optional(),
  failed: booleanParameter().optional(),
});

export const LoggedRequest = z.looseObject({
  time: DateTime,
  method: z.string(),
  path: z.string().meta({ description: 'Without its query; names that are secrets are left out.' }),
  operation: z.string().optional().meta({ description: 'Left out for what is no operation of the interface.' }),
  status: z.int().optional().meta({ description: 'Left out when the connection ended before there was an answer.' }),
  durationMs: z.number(),
  fault: z.string().optional().meta({ description: 'Id of the fault that happened to it.' }),
});
export type LoggedRequest = z.infer<typeof LoggedRequest>;

export const RequestLog = z.looseObject({ requests: z.array(LoggedRequest) });

const Moment = z
  .union([
    DateTime,
    z.string().regex(/^-\d{1,6}(s|m|h|d)$/, 'must be a date-time, or how long ago: -90s, -30m, -2h, -7d'),
  ])
  .meta({ description: 'A date-time, or how long ago: -90s, -30m, -2h, -7d.' });

/** Jobs in progress are left out: only a worker can have one. */
const SEEDED_STATUSES = JOB_STATUSES.filter((status) => status !== 'IN_PROGRESS');

const SeededJob = z.strictObject({
  endpoint: z.string().meta({ description: 'Name or id of its endpoint.' }),
  id: z
    .string()
    .regex(/^[\w-]{1,64}$/)
    .optional(),
  status: z.enum(SEEDED_STATUSES).default('IN_QUEUE').meta({ description: 'IN_QUEUE: workers take it.' }),
  ...JobRequest.shape,
  input: JobInput.optional(),
  output: z.unknown().optional(),
  error: z.string().optional(),
  at: Moment.optional().meta({ description: 'When it was submitted; now when left out.' }),
  delayTime: z.int().min(0).max(MAX_JOB_LIFE_MS).optional().meta({ description: 'Time in the queue, in ms' }),
  executionTime: z
    .int()
    .min(0)
    .max(MAX_JOB_LIFE_MS)
    .optional()
    .meta({ description: 'Execution time on the worker, in ms' }),
});

/** What is paid for: the amounts of the bill, by their names without "Amount". */
const USAGE_KINDS = [
  ...(['serverlessGpu', 'serverlessCpu', 'serverlessDisk', 'podGpu', 'podCpu', 'podDisk'] as const),
  ...([
    'storageStandard',
    'storageHighPerformance',
    'endpoint',
    'clusterGpu',
    'clusterDisk',
    'clusterNetworking',
  ] as const),
] as const;

const SeededUsage = z.strictObject({
  kind: z.enum(USAGE_KINDS),
  resource: z.string().min(1).meta({ description: 'Name or id of an endpoint, or any other id.' }),
  usd: z.number().min(0).max(MAX_SEEDED_USD),
  at: Moment.meta({ description: 'When it was used, or began to be.' }),
  until: Moment.optional().meta({ description: 'The amount is spread evenly over the hours up to then.' }),
});

export const ResourceId = z.string().regex(/^[a-z0-9]{4,32}$/, 'must be 4 to 32 lowercase letters and digits');

/** Users by their names or ids. */
const SeededTeam = z.strictObject({ ...CreateTeamBody.shape, memberIds: z.array(z.string()).max(MAX_IDS).default([]) });

/** What a platform is filled with. Everything is checked before anything is made. */
export const Seed = z.strictObject({
  templates: z.array(CreateTemplateBody).max(1_000).default([]),
  registries: z.array(CreateRegistryBody).max(1_000).default([]),
  networkVolumes: z.array(CreateNetworkVolumeBody).max(100).default([]),
  endpoints: z
    .array(z.strictObject({ ...CreateEndpointBody.shape, id: ResourceId.optional() }))
    .max(1_000)
    .default([]),
  users: z.array(CreateUserBody).max(1_000).default([]),
  teams: z.array(SeededTeam).max(1_000).default([]),
  keys: z.array(CreateApiKeyBody).max(1_000).default([]).meta({
    description: 'Accounts and endpoints by their names or ids.',
  }),
  jobs: z.array(SeededJob).max(100_000).default([]),
  usage: z.array(SeededUsage).max(10_000).default([]),
});
export type Seed = z.infer<typeof Seed>;

const ids = z.array(z.string());

/** The ids of what was made, in the order of the seed; of keys, the keys themselves. */
export const SeedResult = z.looseObject({
  templates: ids,
  registries: ids,
  networkVolumes: ids,
  endpoints: ids,
  users: ids,
  teams: ids,
  keys: z.array(z.string()),
  jobs: ids,
});
export type SeedResult = z.infer<typeof SeedResult>;
