import * as z from 'zod';
import { MAX_INTEGER, MAX_WORKERS } from '../../../contract/bounds.ts';
import { Environment } from '../../../contract/environment.ts';

/*
 * Minimum requirements for a stored record to be usable. They are wider than the validation of requests, so that stored
 * records with harmless numbers stay valid if that validation changes. Other members are not checked, and secrets may be encrypted.
 */

/** Latest time that a Date can represent, in ms since the epoch. */
export const LATEST_DATE = 8_640_000_000_000_000;

/** Maximum GB, GPUs, and vCPUs: at the highest prices, a month's cost in nano-dollars still fits into 64 bits. */
const MAX_GB = 1_000_000_000;
const MAX_UNITS = 1_000_000;

/** Maximum length of a list in a body of one megabyte. */
const MAX_ITEMS = 1_000_000;

/** Maximum quota: RateLimit headers carry integers of up to 15 digits. */
const MAX_REQUESTS = 999_999_999_999_999;

const time = z.int().min(-LATEST_DATE).max(LATEST_DATE);
const count = (most: number) => z.int().min(0).max(most);
const texts = z.array(z.string()).max(MAX_ITEMS);
const mounts = z
  .array(z.looseObject({ volumeId: z.string(), path: z.string() }))
  .max(MAX_ITEMS)
  .optional();

const endpoint = z.looseObject({
  id: z.string(),
  accountId: z.string(),
  name: z.string(),
  type: z.enum(['QUEUE', 'LOAD_BALANCER']),
  version: z.int().min(1).max(MAX_INTEGER),
  createdAt: time,
  image: z.string(),
  args: z.string().optional(),
  entrypoint: texts.optional(),
  cmd: texts.optional(),
  disk: count(MAX_GB).optional(),
  env: Environment.nullable(),
  ports: texts.optional(),
  registry: z.string().nullish(),
  templateId: z.string().optional(),
  local: z.looseObject({ gpu: z.literal('ignore').optional() }).optional(),
  gpu: z.looseObject({ pools: texts, count: count(MAX_UNITS).optional() }).optional(),
  cpu: z
    .array(z.looseObject({ id: z.string(), vcpuCount: count(MAX_UNITS) }))
    .max(MAX_ITEMS)
    .optional(),
  dataCenterIds: texts,
  flashboot: z.enum(['OFF', 'FLASHBOOT', 'PRIORITY_FLASHBOOT']),
  networkVolumes: texts,
  mounts: z.looseObject({ network: mounts, global: mounts }),
  timeout: z.int().min(1).max(MAX_INTEGER),
  scaling: z.discriminatedUnion('type', [
    z.looseObject({ type: z.literal('QUEUE_DELAY'), queueDelay: z.number().gt(0).max(MAX_INTEGER) }),
    z.looseObject({ type: z.literal('REQUEST_COUNT'), requestCount: z.int().min(1).max(MAX_INTEGER) }),
  ]),
  workers: z.looseObject({
    min: count(MAX_WORKERS),
    max: count(MAX_INTEGER),
    idleTimeout: count(MAX_INTEGER),
  }),
});

const quota = z.int().min(1).max(MAX_REQUESTS);

const account = z.looseObject({
  id: z.string(),
  kind: z.enum(['user', 'team']),
  name: z.string(),
  ownerId: z.string().optional(),
  quotas: z.union([z.literal('unlimited'), z.looseObject({ minute: quota, hour: quota, day: quota })]).optional(),
  createdAt: time,
});

const apiKey = z.looseObject({
  id: z.string(),
  accountId: z.string(),
  name: z.string(),
  salt: z.string(),
  digest: z.string(),
  permissions: texts.optional(),
  endpointIds: texts.optional(),
  createdAt: time,
  expiresAt: time.optional(),
});

const template = z.looseObject({
  id: z.string(),
  name: z.string(),
  image: z.string(),
  args: z.string(),
  disk: count(MAX_GB),
  mounts: z.looseObject({ persistent: z.looseObject({ size: count(MAX_GB), path: z.string() }).optional() }),
  ports: texts,
  env: Environment.nullable(),
  registry: z.string().nullable(),
  serverless: z.boolean(),
  public: z.boolean(),
  allowedCudaVersions: texts,
});

const registry = z.looseObject({ id: z.string(), name: z.string(), createdAt: time, sealed: z.string() });

const networkVolume = z.looseObject({
  id: z.string(),
  name: z.string(),
  size: count(MAX_GB),
  dataCenter: z.string(),
  type: z.enum(['STANDARD', 'HIGH_PERFORMANCE']),
  createdAt: time,
});

const globalVolume = z.looseObject({ id: z.string(), name: z.string(), createdAt: time });

/** Schemas by table name, and by kind for the table of resources. */
export const storedRecords = {
  endpoints: endpoint,
  accounts: account,
  api_keys: apiKey,
  templates: template,
  registries: registry,
  networkVolumes: networkVolume,
  globalVolumes: globalVolume,
} as const satisfies Record<string, z.ZodType>;

export type StoredKind = keyof typeof storedRecords;
