import * as z from 'zod';

/** The first line of `platform.js --json` on stdout, printed once requests are accepted. */
export const PlatformAnnouncement = z.object({
  baseUrl: z.url(),
  restUrl: z.url(),
  queueUrl: z.url(),
  /** Holds the literal text `{endpoint_id}`. */
  endpointHost: z.string(),
  apiKey: z.string(),
  pid: z.int(),
  /** null when everything is kept in memory. */
  dataDir: z.string().nullable(),
});
export type PlatformAnnouncement = z.infer<typeof PlatformAnnouncement>;

/** How the platform's process ends, for whoever started it. */
export const PLATFORM_EXIT_CODES = {
  /** Stopped because it was asked to. */
  ok: 0,
  /** Failed in a way that is not one of the others; the log says how. */
  failed: 1,
  /** A flag that is unknown or has a wrong value. */
  badFlag: 2,
  /** The port is taken by another program. */
  portTaken: 3,
  /** The data directory is not a directory, or cannot be written. */
  dataDirUnusable: 4,
  /** Another platform that is running has the data directory. */
  dataDirInUse: 5,
  /** The data directory was written by a newer version. */
  dataDirNewer: 6,
  /** This version of Node cannot run the platform. */
  nodeTooOld: 7,
} as const;

export type PlatformExitReason = Exclude<keyof typeof PLATFORM_EXIT_CODES, 'ok'>;

/** What a platform keeps in its data directory. The lock is there while one runs, or after one was killed. */
export const DATA_DIRECTORY = {
  lock: 'platform.lock',
  contents: [
    ...['platform.sqlite', 'logs.sqlite'].flatMap((name) => [name, `${name}-wal`, `${name}-shm`, `${name}-journal`]),
    'volumes',
    'secrets.key',
    'session.key',
  ],
} as const;
