import { isDeepStrictEqual } from 'node:util';
import type { Client } from '../../../client/client.ts';
import { listAll } from '../../../client/listAll.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';
import { ApiError } from '../../../client/apiError.ts';
import type { EndpointStore } from '../../../account/endpoints/endpointStore.ts';
import { variable } from '../../../contract/environment.ts';
import type { UpdateStep } from '../model/deployment/deploymentPlan.ts';
import { manifestOf } from '../model/deployment/endpointManifest.ts';
import {
  isMasked,
  returnTo,
  rollbackTo,
  versionBefore,
  type LostSetting,
  type Rollback,
} from '../model/deployment/rollback.ts';
import type { StepResult } from './applyPlan.ts';
import { sendValues } from './resolveBody.ts';
import { reasonsToRefuse } from './updateEndpoint.ts';

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
 * @param version Default: the release before the settings that the endpoint has
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
  const wanted = version ?? versionBefore(endpoint, releases);
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

/**
 * Sends a rollback, unless the endpoint or its releases have changed since it was planned.
 *
 * @returns undefined if nothing was sent
 * @throws ApiError without the values of environment variables
 */
export async function sendRollback(
  { client, store }: Pick<Target, 'client'> & { readonly store: Pick<EndpointStore, 'update'> },
  { endpoint: { id }, rollback }: Extract<RollbackPlan, { kind: 'ready' }>,
  signal: AbortSignal,
): Promise<Endpoint | undefined> {
  const now = await planRollback(client, id, rollback.version, signal);
  if (now.kind !== 'ready' || !isDeepStrictEqual(now.rollback, rollback)) return undefined;
  const { body } = rollback;
  return sendValues(Object.values(body.env ?? {}), (redact) => store.update(client, id, body, { redact }));
}

/**
 * Takes back a step of a deployment: deletes a created endpoint, and returns an updated one to its settings before the update.
 *
 * @returns the settings that could not return
 * @throws ApiError without the values of environment variables
 */
export async function revertStep(
  { client, store }: Target,
  { step, endpoint }: Extract<StepResult, { readonly endpoint: Endpoint }>,
): Promise<readonly LostSetting[]> {
  if (step.kind === 'create') {
    await store.delete(client, endpoint.id).catch((error: unknown) => {
      if (!(error instanceof ApiError && error.kind === 'notFound')) throw error;
    });
    return [];
  }
  const { body, lost } = takingBack(step, endpoint);
  if (Object.keys(body).length > 0)
    await sendValues(Object.values(body.env ?? {}), (redact) => store.update(client, endpoint.id, body, { redact }));
  return lost;
}

/** Returns the change that takes an update back. A variable whose earlier value the platform hides keeps the value of the update. */
function takingBack({ endpoint, body: { env: sent } }: UpdateStep, now: Endpoint): Omit<Rollback, 'version'> {
  const before = manifestOf(endpoint);
  if (!sent) return returnTo(manifestOf(now), { ...before, env: now.env });
  const entries = Object.entries(before.env ?? {});
  const masked = entries.filter(([, value]) => isMasked(value)).map(([name]) => name);
  const env = Object.fromEntries(
    entries.flatMap(([name, value]) => {
      const kept = masked.includes(name) ? variable(sent, name) : value;
      return kept === undefined ? [] : [[name, kept] as const];
    }),
  );
  const { lost, ...change } = returnTo(manifestOf(now), { ...before, env });
  return {
    ...change,
    lost: [...lost, ...masked.map((name): LostSetting => ({ field: `env.${name}`, reason: 'masked' }))],
  };
}
