import type { Client } from '../../../client/client.ts';
import { listAll } from '../../../client/listAll.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';
import { ApiError } from '../../../client/apiError.ts';
import type { EndpointStore } from '../../../account/endpoints/endpointStore.ts';
import { rollbackTo, versionBefore, type Rollback } from '../model/deployment/rollback.ts';
import { manifestOf } from '../model/deployment/endpointManifest.ts';
import { changeBetween } from '../model/deployment/difference.ts';
import { reasonsToRefuse } from './updateEndpoint.ts';
import type { StepResult } from './applyPlan.ts';

/* Steps that return an endpoint to earlier settings. */

export type RollbackPlan =
  | { readonly kind: 'ready'; readonly endpoint: Endpoint; readonly rollback: Rollback }
  /** The endpoint has only one release. */
  | { readonly kind: 'noEarlierRelease' }
  | { readonly kind: 'noSuchRelease'; readonly versions: readonly number[] }
  /** The endpoint has these settings already, except for those that are not known. */
  | { readonly kind: 'nothingToDo'; readonly rollback: Rollback }
  | { readonly kind: 'refused'; readonly reasons: readonly string[] };

/**
 * Compares an endpoint with one of its releases.
 *
 * @param version Default: the release before the newest one
 * @throws ApiError
 */
export async function planRollback(
  client: Client,
  id: string,
  version: number | undefined,
  signal: AbortSignal,
): Promise<RollbackPlan> {
  const [endpoint, releases] = await Promise.all([
    client.getEndpoint({ id }, { signal }),
    listAll(client, 'listEndpointReleases', { id }, 'releases', { signal }),
  ]);
  const wanted = version ?? versionBefore(releases);
  if (wanted === undefined) return { kind: 'noEarlierRelease' };
  const rollback = rollbackTo(endpoint, releases, wanted);
  if (!rollback) return { kind: 'noSuchRelease', versions: releases.flatMap((release) => release.version ?? []) };
  if (Object.keys(rollback.body).length === 0) return { kind: 'nothingToDo', rollback };
  const reasons = reasonsToRefuse(rollback, endpoint);
  return reasons.length > 0 ? { kind: 'refused', reasons } : { kind: 'ready', endpoint, rollback };
}

interface Target {
  readonly client: Client;
  readonly store: Pick<EndpointStore, 'update' | 'delete'>;
}

/** Values that a platform sends instead of a secret. */
const MASKED = /^\*+$/;

/**
 * Takes back a step of a deployment: deletes a created endpoint, and returns an updated one to its settings before the update.
 *
 * @returns names of environment variables whose earlier values the platform masks. They keep the values of the update
 * @throws ApiError
 */
export async function revertStep(
  { client, store }: Target,
  { outcome, step, endpoint }: Extract<StepResult, { readonly endpoint: Endpoint }>,
): Promise<readonly string[]> {
  if (outcome === 'created' || step.kind === 'create') {
    await store.delete(client, endpoint.id).catch((error: unknown) => {
      if (!(error instanceof ApiError && error.kind === 'notFound')) throw error;
    });
    return [];
  }
  const before = manifestOf(step.endpoint);
  const masked = Object.entries(before.env ?? {}).flatMap(([name, value]) => (MASKED.test(value) ? [name] : []));
  const { body } = changeBetween(manifestOf(endpoint), before);
  const { env: _, ...others } = body;
  await store.update(client, endpoint.id, masked.length > 0 ? others : body);
  return body.env ? masked : [];
}
