import * as z from 'zod';
import { paginated } from './pagination.ts';
import { DateTime } from './dateTime.ts';
import { openEnum } from './schema.ts';

/* Releases of an endpoint: GET /v2/serverless/{id}/releases (facts, section 3b). */

/** `old` is null for a member that was added, `new` for one that was removed. `template.env` can carry secrets: mask it. */
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

/** How far the newest release has reached the workers. */
export const Rollout = z.looseObject({
  inProgress: z.boolean(),
  workersOnLatest: z.number(),
  workersTotal: z.number(),
  percentOnLatest: z.number().meta({ description: '0 to 100' }),
});
export type Rollout = z.infer<typeof Rollout>;

/** Newest first. */
export const ReleaseList = z.looseObject({
  releases: z.array(Release),
  rollout: Rollout,
  endpointVersion: z.number().nullish(),
  ...paginated,
});
export type ReleaseList = z.infer<typeof ReleaseList>;
