import pMap from 'p-map';
import { ApiError } from '../../../client/apiError.ts';
import { listAll } from '../../../client/listAll.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';
import type { Diagnosis } from '../../../account/diagnosis/diagnosis.ts';
import type { SettingChange } from '../model/deployment/difference.ts';
import { isBroken, isVerified, type Verification } from '../model/deployment/verification.ts';
import {
  confirmSteps,
  keyOf,
  type DeploymentPlan,
  type PlanPart,
  type Step,
} from '../model/deployment/deploymentPlan.ts';
import type { LostSetting } from '../model/deployment/rollback.ts';
import type { VerificationTests } from '../model/deployment/verificationTest.ts';
import { applyPlan, type ApplyTarget, type StepResult } from './applyPlan.ts';
import { revertStep } from './rollBack.ts';
import { verifyDeployment, type VerifyOptions } from './verifyDeployment.ts';

/* Deploys chosen steps: compares them with the present state, sends them, and verifies that the endpoints work. */

/** A verified step: the platform has its settings. */
export interface VerifiedStep {
  readonly outcome: 'created' | 'updated';
  readonly step: Step;
  readonly endpoint: Endpoint;
  readonly verification: Verification;
  /** The result of taking the step back after its verification failed. Undefined: the step stays. */
  readonly reverted?: Reverted | undefined;
}

export type Reverted =
  /** `lost` are the settings of an update that could not return. */
  { readonly lost: readonly LostSetting[] } | { readonly error: unknown };

export type DeployedStep =
  | VerifiedStep
  | Extract<StepResult, { outcome: 'deleted' | 'failed' | 'canceled' }>
  /** The files or the endpoints changed after the plan was shown, so nothing was sent. */
  | { readonly outcome: 'changed'; readonly step: Step }
  /** Another deployment created an endpoint with this name at the same time. The own one was deleted, unless there is an error. */
  | { readonly outcome: 'overtaken'; readonly step: Step; readonly endpoint: Endpoint; readonly error?: unknown }
  /** The platform accepted the step, but the endpoint has other settings, such as those of a simultaneous deployment. */
  | {
      readonly outcome: 'differs';
      readonly step: Step;
      readonly endpoint: Endpoint;
      readonly changes: readonly SettingChange[];
    };

/** Returns whether a step has done what it was to do. */
export function isDeployed(step: DeployedStep): boolean {
  if (step.outcome === 'deleted') return true;
  return 'verification' in step && isVerified(step.verification);
}

export interface Deployment extends Omit<ApplyTarget, 'values'> {
  readonly platform: 'local' | 'hosted';
  /** Reads the files and the endpoints, with the values of the references in the files. */
  readonly readPlan: () => Promise<{ readonly plan: DeploymentPlan; readonly values: readonly string[] }>;
  /** Maximum time in which an endpoint must become ready, in ms. 0: endpoints are not watched. */
  readonly verifyMs: number;
  /** Whether a step is taken back if its endpoint does not become ready. */
  readonly revertsFailures: boolean;
  /** Called if the reason changes for which an endpoint is not ready yet, or has not passed its test. */
  readonly onState: (step: Step, state: Pick<Diagnosis, 'headline'>) => void;
  /** Runs the tests of manifests. */
  readonly tests: VerificationTests;
}

/** Maximum number of endpoints that are watched at the same time. */
const CONCURRENCY = 4;

/**
 * Deploys the steps that are still what the user chose. Returns a result for each, in the given order. After an interruption, no further
 * step is sent, and endpoints are no longer watched.
 *
 * @throws ApiError if the plan cannot be read before the steps are sent
 */
export async function deploySteps(
  deployment: Deployment,
  chosen: readonly Step[],
  signal: AbortSignal,
): Promise<readonly DeployedStep[]> {
  const { plan, values } = await deployment.readPlan();
  const confirmed = confirmSteps(chosen, plan);
  const same = confirmed.flatMap(({ kind, step }) => (kind === 'same' ? [step] : []));
  const sent = same.length > 0 ? await applyPlan({ ...deployment, values }, same, signal) : [];
  const partAfter = await readParts(deployment, sent, signal);
  const settled = await pMap(sent, async (result) => settle(deployment, result, partAfter, signal), {
    concurrency: CONCURRENCY,
  });
  const results = new Map(settled.map((one) => [keyOf(one.step), one]));
  return confirmed.map(({ step }) => results.get(keyOf(step)) ?? { outcome: 'changed', step });
}

/** Returns the part of a step in the plan after all steps. @throws the error if this plan could not be read */
type PartAfter = (step: Step) => PlanPart | undefined;

async function readParts(
  { readPlan }: Deployment,
  sent: readonly StepResult[],
  signal: AbortSignal,
): Promise<PartAfter> {
  try {
    const { plan } = sent.length > 0 && !signal.aborted ? await readPlan() : {};
    const parts = new Map(plan?.parts.map((part) => [keyOf(part), part]));
    return (step) => parts.get(keyOf(step));
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

/** Compares a sent step with the state after it, and watches its endpoint. Later errors do not hide that the step was sent. */
async function settle(
  deployment: Deployment,
  result: StepResult,
  partAfter: PartAfter,
  signal: AbortSignal,
): Promise<DeployedStep> {
  const { step } = result;
  let sent = 'endpoint' in result ? result : undefined;
  try {
    if (!sent && !(result.outcome === 'failed' && result.uncertain)) return result as Unsent;
    const now = partAfter(step);
    // The response was lost, and the platform has done the step.
    if (!sent && now?.kind === 'unchanged' && step.kind !== 'delete')
      sent = { outcome: step.kind === 'create' ? 'created' : 'updated', step, endpoint: now.endpoint };
    if (!sent) return result as Unsent;
    signal.throwIfAborted();
    if (sent.outcome === 'created' && (await isSecond(deployment, sent.endpoint, signal)))
      return await giveWay(deployment, step, sent.endpoint);
    if (now?.kind === 'update') return { outcome: 'differs', step, endpoint: now.endpoint, changes: now.changes };
    return await verify(deployment, sent, signal);
  } catch (error) {
    if (!sent) return result as Unsent;
    if (signal.aborted) return { ...sent, verification: { outcome: 'interrupted' } };
    if (error instanceof ApiError) return { ...sent, verification: { outcome: 'unread', error } };
    throw error;
  }
}

type Unsent = Exclude<StepResult, { readonly endpoint: Endpoint }>;

/** Deletes an endpoint because another one with its name was there first. */
async function giveWay({ client, store }: Deployment, step: Step, endpoint: Endpoint): Promise<DeployedStep> {
  try {
    await store.delete(client, endpoint.id);
    return { outcome: 'overtaken', step, endpoint };
  } catch (error) {
    const isGone = error instanceof ApiError && error.kind === 'notFound';
    return { outcome: 'overtaken', step, endpoint, ...(!isGone && { error }) };
  }
}

/** Returns whether another endpoint had the name before this one was created. Of two simultaneous creations, the first one remains. */
async function isSecond({ client }: Deployment, { id, name }: Endpoint, signal: AbortSignal): Promise<boolean> {
  const endpoints = await listAll(client, 'listEndpoints', {}, 'endpoints', { signal });
  const namesakes = endpoints.filter((endpoint) => endpoint.name === name);
  const [first] = namesakes.sort((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt) || (a.id < b.id ? -1 : 1));
  return namesakes.some((endpoint) => endpoint.id === id) && first?.id !== id;
}

async function verify(
  deployment: Deployment,
  sent: Extract<StepResult, { readonly endpoint: Endpoint }>,
  signal: AbortSignal,
): Promise<VerifiedStep> {
  const { step, endpoint } = sent;
  const { client, platform, verifyMs, revertsFailures, onState, tests } = deployment;
  if (verifyMs === 0) return { ...sent, verification: { outcome: 'skipped' } };
  const options: VerifyOptions = {
    ...{ platform, limitMs: verifyMs, signal, tests, test: step.test },
    onState: (state) => onState(step, state),
  };
  const verified = { ...sent, verification: await verifyDeployment(client, endpoint, options) };
  if (!revertsFailures || !isBroken(verified.verification)) return verified;
  try {
    return { ...verified, reverted: { lost: await revertStep(deployment, sent) } };
  } catch (error) {
    return { ...verified, reverted: { error } };
  }
}
