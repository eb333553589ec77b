import * as z from 'zod';
import { paginated } from './pagination.ts';
import { DateTime } from './dateTime.ts';
import { openEnum } from './schema.ts';

/* Releases of an endpoint: GET /v2/serverless/{id}/releases. */

/** A changed field. `old` is null for an added field, `new` for a removed one. Callers must mask `template.env`, which can hold secrets. */
export const ReleaseDiffEntry = z.looseObject({ field: z.string(), old: z.unknown(), new: z.unknown() });
export type ReleaseDiffEntry = z.infer<typeof ReleaseDiffEntry>;

export const Release = z.looseObject({
  id: z.string(),
  version: z.number().nullish(),
  source: openEnum(['GIT_BUILD', 'MANUAL']),
  buildId: z.string().nullish(),
  createdByUserId: z.string().nullish(),
  workerCount: z.number(),
  createdAt: DateTime,
  diff: z.array(ReleaseDiffEntry),
});
export type Release = z.infer<typeof Release>;

/** Progress of the newest release over the workers. */
export const Rollout = z.looseObject({
  inProgress: z.boolean(),
  workersOnLatest: z.number(),
  workersTotal: z.number(),
  percentOnLatest: z.number().meta({ description: 'Percentage of workers on the newest release, 0 to 100.' }),
});
export type Rollout = z.infer<typeof Rollout>;

/** Releases, newest first. */
export const ReleaseList = z.looseObject({
  releases: z.array(Release),
  rollout: Rollout,
  endpointVersion: z.number().nullish(),
  ...paginated,
});
export type ReleaseList = z.infer<typeof ReleaseList>;
