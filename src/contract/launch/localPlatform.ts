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

/** Where its control API begins, below `baseUrl`. */
export const CONTROL_PATH = '/control/v1';

/** How many requests it remembers. */
export const MOST_LOGGED_REQUESTS = 1_000;

/** What a platform keeps in its data directory. The lock is there while one runs, or after one was killed. */
export const DATA_DIRECTORY = {
  lock: 'platform.lock',
  volumes: 'volumes',
  contents: [
    ...['platform.sqlite', 'logs.sqlite'].flatMap((name) => [name, `${name}-wal`, `${name}-shm`, `${name}-journal`]),
    'volumes',
    'secrets.key',
    'session.key',
  ],
} as const;
