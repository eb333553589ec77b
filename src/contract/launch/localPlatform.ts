import * as z from 'zod';

/** The first line of `platform.js --json` on stdout, printed once requests are accepted. */
export const PlatformAnnouncement = z.object({
  baseUrl: z.url(),
  restUrl: z.url(),
  queueUrl: z.url(),
  /** Contains the literal text `{endpoint_id}`. */
  endpointHost: z.string(),
  /** Address of the S3 interface to the files of network volumes, with a bucket for each volume ID. */
  s3Url: z.url(),
  apiKey: z.string(),
  pid: z.int(),
  /** null if the platform stores all data in memory. */
  dataDir: z.string().nullable(),
  /** The owner's key for the S3 interface. */
  s3AccessKeyId: z.string(),
  s3SecretAccessKey: z.string(),
});
export type PlatformAnnouncement = z.infer<typeof PlatformAnnouncement>;

/** Path of the control API below `baseUrl`. */
export const CONTROL_PATH = '/control/v1';

/** Prefix of the protocol of workers. */
export const WORKER_PATH = '/worker/v2';

/** Maximum number of requests in the request log. */
export const MAX_LOGGED_REQUESTS = 1_000;

/** Contents of the data directory. The lock exists while a platform runs, and after it was killed. */
export const DATA_DIRECTORY = {
  lock: 'platform.lock',
  volumes: 'volumes',
  /** The owner's key, if the platform created it. */
  apiKey: 'api-key',
  contents: [
    ...['platform.sqlite', 'logs.sqlite'].flatMap((name) => [name, `${name}-wal`, `${name}-shm`, `${name}-journal`]),
    'volumes',
    'secrets.key',
    'session.key',
    'api-key',
  ],
} as const;
