import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { AccountServices } from '../../account/accountServices.ts';
import { requireConnectionOf } from '../../account/connections/requireConnection.ts';
import { number, object, text, type ValueOf } from '../../kit/smallSchema.ts';
import { UserError } from '../../kit/userError.ts';
import { scalingTargets, type ScalingTarget } from '../manifest/index.ts';
import { readLoad } from './actions/readLoad.ts';
import { planTuning, type TunedSubject, type TuningPlan } from './actions/tune.ts';
import { LoadAnswers, loadOfAnswers } from './loadAnswers.ts';
import type { OwnJobs } from './model/measuredLoad.ts';
import type { TunedLoad } from './model/tunedLoad.ts';
import { subjectOfEndpoint, subjectOfManifest } from './model/subjects.ts';
import { obstacleWords } from './model/words.ts';

/* What a page simulates, and what it keeps, so that it returns after a reload of the window. */

/** `file` and `part` are the URI of a manifest and the index of the endpoint in it. Without them, `endpointId` is the tuned endpoint. */
const KeptTuning = object(
  { name: text, connectionId: text, answers: LoadAnswers },
  { file: text, part: number, endpointId: text },
);
export type KeptTuning = ValueOf<typeof KeptTuning>;

export interface OpenedTuning {
  readonly target: ScalingTarget;
  readonly plan: TuningPlan;
  /** Name of the connection. */
  readonly connection: string;
}

/** Returns what a page kept. Undefined if it is nothing, or of another version. */
export function keptTuning(stored: unknown): KeptTuning | undefined {
  return KeptTuning.safeParse((stored as { readonly reopen?: unknown } | null | undefined)?.reopen).data;
}

/** Returns what a page of a target keeps. */
export function tuningToKeep(
  { name, manifest, place, endpoint }: ScalingTarget,
  connectionId: string,
  answers: LoadAnswers,
): KeptTuning {
  const subject =
    manifest && place ? { file: place.uri.toString(), part: place.part } : { endpointId: endpoint?.endpoint.id };
  return { name, connectionId, answers, ...subject };
}

/** @throws UserError if the scaling rule of the endpoint is not known */
export function subjectOf({ manifest, endpoint }: ScalingTarget): TunedSubject {
  if (manifest) return { ...subjectOfManifest(manifest), endpoint: endpoint?.endpoint };
  const subject = endpoint && subjectOfEndpoint(endpoint.endpoint);
  if (!subject) throw new UserError(l10n.t('the scaling rule of the endpoint is not known'));
  return subject;
}

/** Reads the load of an endpoint of the current connection. Undefined if no job of it is known. @throws ApiError, and the reason of the signal */
export async function measuredLoad(
  { connections }: Pick<AccountServices, 'connections'>,
  { connectionId, ownJobs }: { readonly connectionId: string; readonly ownJobs: OwnJobs },
  endpoint: TunedSubject['endpoint'],
  signal: AbortSignal,
): Promise<TunedLoad | undefined> {
  const { client } = requireConnectionOf(connections, connectionId);
  return endpoint && readLoad(client, endpoint, { jobs: () => ownJobs(connectionId, endpoint.id) }, signal);
}

/** Reads what the page of a target simulates. @throws UserError, ApiError, and the reason of the signal */
export async function openTuning(
  { connections }: Pick<AccountServices, 'connections'>,
  {
    target,
    measured,
    kept,
  }: {
    readonly target: ScalingTarget;
    readonly measured: TunedLoad | undefined;
    readonly kept: Pick<KeptTuning, 'connectionId' | 'answers'>;
  },
  signal: AbortSignal,
): Promise<OpenedTuning> {
  const load = await loadOfAnswers(kept.answers, measured);
  const { client, profile } = requireConnectionOf(connections, kept.connectionId);
  const plan = await planTuning(client, subjectOf(target), load, { signal });
  if ('obstacle' in plan) throw new UserError(obstacleWords(plan.obstacle));
  return { target, plan, connection: profile.name };
}

/**
 * Reads what a page showed before a reload, from the present manifest or endpoint.
 *
 * @throws UserError, such as while the connection is not the current one, ApiError, and the reason of the signal
 */
export async function reopenTuning(
  services: AccountServices,
  { kept, ownJobs }: { readonly kept: KeptTuning; readonly ownJobs: OwnJobs },
  signal: AbortSignal,
): Promise<OpenedTuning> {
  const { connectionId, file, part, endpointId } = kept;
  await services.connections.load();
  requireConnectionOf(services.connections, connectionId);
  const target = await scalingTargets.choose(
    services,
    file === undefined ? [{ kind: 'endpoint', endpointId }] : [vscode.Uri.parse(file), part],
  );
  if (!target) throw new vscode.CancellationError();
  const { endpoint } = subjectOf(target);
  const measured = await measuredLoad(services, { connectionId, ownJobs }, endpoint, signal);
  return openTuning(services, { target, measured, kept }, signal);
}
