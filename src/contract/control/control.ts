import * as z from 'zod';
import { MAX_FAULT_COUNT, MAX_IDS, MAX_JOB_LIFE_MS, MAX_SEEDED_USD, MAX_TIME_SPAN_MS } from '../bounds.ts';
import { CreateApiKeyBody, CreateTeamBody, CreateUserBody } from './controlAccounts.ts';
import { CreateEndpointBody } from '../endpoint.ts';
import { JOB_STATUSES, JobInput, JobRequest } from '../job.ts';
import { MAX_LOGGED_REQUESTS } from '../launch/localPlatform.ts';
import { CreateNetworkVolumeBody } from '../networkVolume.ts';
import type { OperationId } from '../operations.ts';
import { operations } from '../operations.ts';
import { routeOperations } from '../operations/routes.ts';
import { CreateRegistryBody } from '../registry.ts';
import { DateTime, booleanParameter, integerParameter } from '../schema.ts';
import { schemaRule } from '../schemaRule.ts';
import { CreateTemplateBody } from '../template.ts';
import { ResourceId } from './resourceId.ts';

/* Requests and responses of the control API of a local platform (see `controlOperations`). */

export const IdentityQuery = z.strictObject({
  challenge: z.string().min(16).max(200).meta({ description: 'Random text that has not been used before.' }),
});

/** Proof that this platform wrote the lock of its data directory: HMAC-SHA-256 with the lock's `holder`. */
export const Identity = z.looseObject({
  pid: z.int().meta({ description: 'ID of the platform process.' }),
  proof: z.string().meta({ description: 'HMAC-SHA-256 of the challenge, with the holder in the lock as its key.' }),
  nonce: z
    .string()
    .optional()
    .meta({ description: 'Nonce for one request for the key. It expires after a short time.' }),
});
export type Identity = z.infer<typeof Identity>;

/** Proves that the caller can read the lock: HMAC-SHA-256 of the nonce with a secret derived from the lock's `holder`. */
export const KeyRequest = z.strictObject({
  nonce: z.string().max(200).meta({ description: 'Nonce from the identity of the platform.' }),
  proof: z
    .string()
    .max(200)
    .meta({ description: 'HMAC-SHA-256 of the nonce, with a key that is derived from the holder in the lock.' }),
});

export const OwnerKey = z.looseObject({
  apiKey: z.string().meta({ description: "The owner's API key, a bearer token." }),
});

/** Reason why a platform stops without a request. */
export const StopReason = z.looseObject({
  exitCode: z.int().meta({ description: 'Exit code of the platform.' }),
  problem: z.string().meta({ description: 'The problem in one line.' }),
});
export type StopReason = z.infer<typeof StopReason>;

/** Event for windows that share a platform: once after they attach, and before the platform stops. */
export const AttachmentEvent = z.looseObject({
  event: z
    .enum(['attached', 'stopping'])
    .meta({ description: 'attached: the window is attached. stopping: the platform is about to stop.' }),
  reason: StopReason.optional().meta({ description: 'Omitted if the stop is requested.' }),
});
export type AttachmentEvent = z.infer<typeof AttachmentEvent>;

export const ImportQuery = z.strictObject({
  start: booleanParameter()
    .optional()
    .meta({
      description:
        'true: endpoints start and pending webhooks are sent. false: endpoints are paused, with workers.min and workers.max set to 0, ' +
        'until workers.max is raised, and pending webhooks are not sent. Default: false.',
    }),
  secrets: z
    .enum(['keep', 'drop'])
    .optional()
    .meta({
      default: 'keep',
      description:
        'Treatment of env values, s3Config, webhooks, and registry passwords that were encrypted with the key of another data ' +
        'directory. keep: reject the snapshot. drop: import it without them. Default: keep.',
    }),
});

export const ClockState = z.looseObject({
  now: DateTime.meta({ description: 'Time of the platform, as an RFC 3339 date-time.' }),
  frozen: z.boolean().meta({ description: 'true: the clock is frozen.' }),
  aheadMs: z.int().meta({
    description: 'Difference to the time of this machine, in ms. Negative if the clock was frozen.',
  }),
});
export type ClockState = z.infer<typeof ClockState>;

export const ClockChange = z
  .strictObject({
    frozen: z
      .boolean()
      .optional()
      .meta({ description: 'true: freeze the clock. false: unfreeze it. Default: no change.' }),
    advanceMs: z
      .int()
      .min(1)
      .max(MAX_TIME_SPAN_MS)
      .optional()
      .meta({ description: 'Time by which to advance, in ms. Everything that is due in that time happens.' }),
    now: DateTime.optional().meta({ description: 'Time to which to advance.' }),
  })
  .refine((change) => Object.values(change).some((value) => value !== undefined), schemaRule('clockUnchanged', {}))
  .refine(({ advanceMs, now }) => advanceMs === undefined || now === undefined, {
    path: ['now'],
    ...schemaRule('exclusiveFields', { fields: ['advanceMs', 'now'] }),
  });
export type ClockChange = z.infer<typeof ClockChange>;

/** Possible targets of a fault: an operation of the API, the routes of load-balanced endpoints, or `*` for all of them. */
export const FAULT_TARGETS = [...Object.keys(operations), ...Object.keys(routeOperations), '*'] as (
  OperationId | keyof typeof routeOperations | '*'
)[];

const LONGEST_DELAY_MS = 600_000;

export const Fault = z
  .strictObject({
    operation: z
      .enum(FAULT_TARGETS)
      .meta({ description: 'ID of the operation in the OpenAPI document. *: all operations.' }),
    when: z.enum(['before', 'after']).default('before').meta({
      description: 'before: the operation does not run. after: it runs, but its response is lost. Default: before.',
    }),
    status: z
      .int()
      .min(400)
      .max(599)
      .optional()
      .meta({ description: 'Status of the response that replaces the real one.' }),
    detail: z.string().max(2_000).optional().meta({ description: 'Explanation in that response.' }),
    headers: z
      .record(z.string().regex(/^[\w-]+$/), z.string().regex(/^[\t\x20-\x7e]*$/))
      .optional()
      .meta({ description: 'Headers of that response, such as Retry-After.' }),
    drop: z.literal(true).optional().meta({ description: 'true: close the connection without a response.' }),
    delayMs: z.int().min(1).max(LONGEST_DELAY_MS).optional().meta({
      description:
        'Delay before the fault, in ms of real time. Without status and drop, the delay before the real response.',
    }),
    rate: z
      .number()
      .gt(0)
      .max(1)
      .default(1)
      .meta({ description: 'Fraction of requests that the fault affects. Default: 1.' }),
    count: z
      .int()
      .min(1)
      .max(MAX_FAULT_COUNT)
      .optional()
      .meta({ description: 'Number of requests after which the fault is removed. Default: no limit.' }),
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
  id: z.string().meta({ description: 'ID of the fault.' }),
  hits: z.int().meta({ description: 'Number of requests that the fault has affected.' }),
});
export type ActiveFault = z.infer<typeof ActiveFault>;

export const FaultList = z.looseObject({ faults: z.array(ActiveFault).meta({ description: 'Active faults.' }) });

export const RequestLogQuery = z.strictObject({
  limit: integerParameter({ min: 1, max: MAX_LOGGED_REQUESTS })
    .optional()
    .meta({ description: 'Maximum number of requests. Default: 100.' }),
  operation: z
    .enum(FAULT_TARGETS)
    .optional()
    .meta({ description: 'ID of the operation in the OpenAPI document. Default: all requests.' }),
  failed: booleanParameter().optional().meta({
    description:
      'true: failed requests, which have no response or a status of 400 or higher. false: the others. Default: all requests.',
  }),
});

export const LoggedRequest = z.looseObject({
  time: DateTime.meta({ description: 'Time of the request, as an RFC 3339 date-time.' }),
  method: z.string().meta({ description: 'HTTP method.' }),
  path: z.string().meta({ description: 'Path without the query and without segments that are secrets.' }),
  operation: z.string().optional().meta({ description: 'ID of the operation. Omitted for requests that match none.' }),
  status: z
    .int()
    .optional()
    .meta({ description: 'Status of the response. Omitted if the connection ended before a response.' }),
  durationMs: z.number().meta({ description: 'Duration in ms.' }),
  fault: z.string().optional().meta({ description: 'ID of the fault that affected the request.' }),
});
export type LoggedRequest = z.infer<typeof LoggedRequest>;

export const RequestLog = z.looseObject({
  requests: z.array(LoggedRequest).meta({ description: 'Requests, newest first.' }),
});

const Moment = z
  .union([
    DateTime,
    z.string().regex(/^-\d{1,6}(s|m|h|d)$/, 'must be a date-time, or a time before now: -90s, -30m, -2h, -7d'),
  ])
  .meta({ description: 'A date-time, or a time before now: -90s, -30m, -2h, -7d.' });

/** Statuses of a seeded job. IN_PROGRESS is excluded, because only a worker can have such a job. */
const SEEDED_STATUSES = JOB_STATUSES.filter((status) => status !== 'IN_PROGRESS');

const SeededJob = z.strictObject({
  endpoint: z.string().meta({ description: 'Name or ID of the endpoint.' }),
  id: z
    .string()
    .regex(/^[\w-]{1,64}$/)
    .optional()
    .meta({ description: 'ID of the job. Default: a new ID.' }),
  status: z
    .enum(SEEDED_STATUSES)
    .default('IN_QUEUE')
    .meta({ description: 'Status of the job. Workers take jobs that are IN_QUEUE. Default: IN_QUEUE.' }),
  ...JobRequest.shape,
  input: JobInput.optional().meta({ description: 'Input of the handler. Default: {}.' }),
  output: z.unknown().optional().meta({ description: 'Output of the handler. Default: none.' }),
  error: z.string().optional().meta({ description: 'Reason for the status FAILED. Default: none.' }),
  at: Moment.optional().meta({ description: 'Time of submission. Default: now.' }),
  delayTime: z.int().min(0).max(MAX_JOB_LIFE_MS).optional().meta({ description: 'Time in the queue, in ms.' }),
  executionTime: z
    .int()
    .min(0)
    .max(MAX_JOB_LIFE_MS)
    .optional()
    .meta({ description: 'Execution time on the worker, in ms.' }),
});

/** Kinds of usage. Each is the name of an amount in a bill, without "Amount". */
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
  kind: z.enum(USAGE_KINDS).meta({ description: 'Kind of usage: the name of an amount in a bill, without "Amount".' }),
  resource: z.string().min(1).meta({ description: 'Name or ID of an endpoint, or any other ID.' }),
  usd: z.number().min(0).max(MAX_SEEDED_USD).meta({ description: 'Amount in USD.' }),
  at: Moment.meta({ description: 'Time of the usage, or of its start.' }),
  until: Moment.optional().meta({
    description: 'End of the usage. The amount is spread evenly over the hours up to this time.',
  }),
});

/** Team with its members, by name or ID. */
const SeededTeam = z.strictObject({
  ...CreateTeamBody.shape,
  memberIds: z
    .array(z.string())
    .max(MAX_IDS)
    .default([])
    .meta({ description: 'Names or IDs of the members, without the owner. Default: none.' }),
});

/** Data to add to a platform. The platform checks all of it before it creates anything. */
export const Seed = z.strictObject({
  templates: z.array(CreateTemplateBody).max(1_000).default([]).meta({ description: 'Templates to create.' }),
  registries: z
    .array(CreateRegistryBody)
    .max(1_000)
    .default([])
    .meta({ description: 'Container registry credentials to create.' }),
  networkVolumes: z
    .array(CreateNetworkVolumeBody)
    .max(100)
    .default([])
    .meta({ description: 'Network volumes to create.' }),
  endpoints: z
    .array(
      z.strictObject({
        ...CreateEndpointBody.shape,
        id: ResourceId.optional().meta({ description: 'ID of the endpoint. Default: a new ID.' }),
      }),
    )
    .max(1_000)
    .default([])
    .meta({ description: 'Endpoints to create.' }),
  users: z.array(CreateUserBody).max(1_000).default([]).meta({ description: 'Users to create.' }),
  teams: z.array(SeededTeam).max(1_000).default([]).meta({ description: 'Teams to create, with their members.' }),
  keys: z.array(CreateApiKeyBody).max(1_000).default([]).meta({
    description: 'API keys to create. Accounts and endpoints are given by name or ID.',
  }),
  jobs: z
    .array(SeededJob)
    .max(100_000)
    .default([])
    .meta({ description: 'Jobs to create, in any state but IN_PROGRESS.' }),
  usage: z.array(SeededUsage).max(10_000).default([]).meta({ description: 'Usage to add to the bills.' }),
});
export type Seed = z.infer<typeof Seed>;

/** @param resources kind of resource, in the plural */
const idsOf = (resources: string) =>
  z.array(z.string()).meta({ description: `IDs of the created ${resources}, in the order of the seed.` });

/** IDs of the created resources, in the order of the seed. `keys` has the API keys instead of their IDs. */
export const SeedResult = z.looseObject({
  templates: idsOf('templates'),
  registries: idsOf('credentials'),
  networkVolumes: idsOf('network volumes'),
  endpoints: idsOf('endpoints'),
  users: idsOf('users'),
  teams: idsOf('teams'),
  keys: z.array(z.string()).meta({ description: 'The created API keys, as bearer tokens, in the order of the seed.' }),
  jobs: idsOf('jobs'),
});
export type SeedResult = z.infer<typeof SeedResult>;
