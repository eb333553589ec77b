import * as z from 'zod';
import { paginated } from './pagination.ts';
import { DateTime, openEnum } from './schema.ts';

/* Releases of an endpoint: GET /v2/serverless/{id}/releases. */

/** A changed field. `old` is null for an added field, `new` for a removed one. Callers must mask `template.env`, which can hold secrets. */
export const ReleaseDiffEntry = z.looseObject({
  field: z.string().meta({ description: 'Name of the changed field.' }),
  old: z.unknown().meta({ description: 'Value before the change. null: the field was added.' }),
  new: z.unknown().meta({ description: 'Value after the change. null: the field was removed.' }),
});
export type ReleaseDiffEntry = z.infer<typeof ReleaseDiffEntry>;

export const Release = z.looseObject({
  id: z.string().meta({ description: 'ID of the release.' }),
  version: z.number().nullish().meta({ description: 'Version of the endpoint that the release created.' }),
  source: openEnum(['GIT_BUILD', 'MANUAL']).meta({
    description: 'Origin of the release: a build of a Git repository, or a change of settings.',
  }),
  buildId: z.string().nullish().meta({ description: 'ID of the build. null or omitted: no build.' }),
  createdByUserId: z
    .string()
    .nullish()
    .meta({ description: 'ID of the user that created the release. null or omitted: unknown.' }),
  workerCount: z.number().meta({ description: 'Number of workers on the release.' }),
  createdAt: DateTime.meta({ description: 'Time of creation, as an RFC 3339 date-time.' }),
  diff: z.array(ReleaseDiffEntry).meta({ description: 'Changed fields.' }),
});
export type Release = z.infer<typeof Release>;

/** Progress of the newest release over the workers. */
export const Rollout = z.looseObject({
  inProgress: z.boolean().meta({ description: 'true: some workers run an older release.' }),
  workersOnLatest: z.number().meta({ description: 'Number of workers on the newest release.' }),
  workersTotal: z.number().meta({ description: 'Number of all workers.' }),
  percentOnLatest: z.number().meta({ description: 'Percentage of workers on the newest release, 0 to 100.' }),
});
export type Rollout = z.infer<typeof Rollout>;

/** Releases, newest first. */
export const ReleaseList = z.looseObject({
  releases: z.array(Release).meta({ description: 'Releases, newest first.' }),
  rollout: Rollout.meta({ description: 'Progress of the newest release.' }),
  endpointVersion: z.number().nullish().meta({ description: 'Newest version of the endpoint.' }),
  ...paginated,
});
export type ReleaseList = z.infer<typeof ReleaseList>;
