import pMap from 'p-map';
import { listAll } from '../../../client/listAll.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';
import type { Diagnosis } from '../../../account/diagnosis/diagnosis.ts';
import type { SettingChange } from '../model/deployment/difference.ts';
import { works, type Verification } from '../model/deployment/verification.ts';
import {
  confirmSteps,
  keyOf,
  type DeploymentPlan,
  type PlanPart,
  type Step,
} from '../model/deployment/deploymentPlan.ts';
import { applyPlan, type ApplyTarget, type StepResult } from './applyPlan.ts';
import { revertStep } from './rollBack.ts';
import { verifyDeployment } from './verifyDeployment.ts';

/* Deploys chosen steps: compares them with the present state, sends them, and verifies that the endpoints work. */

/** A verified step: the platform has its settings. */
export interface VerifiedStep {
  readonly outcome: 'created' | 'updated';
  readonly step: Step;
  readonly endpoint: Endpoint;
  readonly verification: Verification;
  /** What was taken back after the verification failed. Undefined: nothing. */
  readonly reverted?: Reverted | undefined;
}

export type Reverted =
  /** `masked` names environment variables that could not be restored, because the platform hides their values. */
  { readonly masked: readonly string[] } | { readonly error: unknown };

export type DeployedStep =
  | VerifiedStep
  | Extract<StepResult, { outcome: 'deleted' | 'failed' | 'canceled' }>
  /** The files or the endpoints changed after the plan was shown, so nothing was sent. */
  | { readonly outcome: 'changed'; readonly step: Step }
  /** Another deployment created an endpoint with this name at the same time. The own one was deleted. */
  | { readonly outcome: 'overtaken'; readonly step: Step }
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
  return 'verification' in step && works(step.verification);
}

export interface Deployment extends Omit<ApplyTarget, 'values'> {
  readonly platform: 'local' | 'hosted';
  /** Reads the files and the endpoints, with the values of the references in the files. */
  readonly readPlan: () => Promise<{ readonly plan: DeploymentPlan; readonly values: readonly string[] }>;
  /** Maximum time in which an endpoint must become ready, in ms. 0: endpoints are not watched. */
  readonly verifyMs: number;
  /** Whether a step is taken back if its endpoint does not become ready. */
  readonly revertsFailures: boolean;
  /** Called if the reason changes for which an endpoint is not ready yet. */
  readonly onState: (step: Step, diagnosis: Diagnosis) => void;
}

/** Maximum number of endpoints that are watched at the same time. */
const CONCURRENCY = 4;

/**
 * Deploys the steps that are still what the user chose. Returns a result for each, in the given order. After an interruption, no further
 * step is sent, and endpoints are no longer watched.
 *
 * @throws ApiError if the plan cannot be read, before or after the steps are sent
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
  const after = sent.length > 0 && !signal.aborted ? await deployment.readPlan() : { plan };
  const found = new Map(after.plan.parts.map((part) => [keyOf(part), part]));
  const settled = await pMap(
    sent,
    async (result) => settle(deployment, result, found.get(keyOf(result.step)), signal),
    {
      concurrency: CONCURRENCY,
    },
  );
  const results = new Map(settled.map((one) => [keyOf(one.step), one]));
  return confirmed.map(({ step }) => results.get(keyOf(step)) ?? { outcome: 'changed', step });
}

/** Compares a sent step with the state after it, and watches its endpoint. */
async function settle(
  deployment: Deployment,
  result: StepResult,
  now: PlanPart | undefined,
  signal: AbortSignal,
): Promise<DeployedStep> {
  const { step } = result;
  if (result.outcome === 'deleted' || result.outcome === 'canceled') return result;
  if (result.outcome === 'failed') {
    // The response was lost, and the platform has done the step.
    if (!result.uncertain || now?.kind !== 'unchanged' || step.kind === 'delete') return result;
    const outcome = step.kind === 'create' ? 'created' : 'updated';
    return verify(deployment, { outcome, step, endpoint: now.endpoint }, signal);
  }
  if (signal.aborted) return { ...result, verification: { outcome: 'interrupted' } };
  if (result.outcome === 'created' && (await isSecond(deployment, result.endpoint, signal))) {
    await deployment.store.delete(deployment.client, result.endpoint.id);
    return { outcome: 'overtaken', step };
  }
  if (now?.kind === 'update') return { outcome: 'differs', step, endpoint: now.endpoint, changes: now.changes };
  return verify(deployment, result, signal);
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
  const { outcome, step, endpoint } = sent;
  const { client, platform, verifyMs, revertsFailures, onState } = deployment;
  if (verifyMs === 0) return { outcome, step, endpoint, verification: { outcome: 'accepted' } };
  const onDiagnosis = (diagnosis: Diagnosis): void => onState(step, diagnosis);
  const options = { platform, limitMs: verifyMs, signal, onState: onDiagnosis };
  const verified = { outcome, step, endpoint, verification: await verifyDeployment(client, endpoint, options) };
  if (isDeployed(verified) || verified.verification.outcome === 'gone' || !revertsFailures) return verified;
  try {
    return { ...verified, reverted: { masked: await revertStep(deployment, sent) } };
  } catch (error) {
    return { ...verified, reverted: { error } };
  }
}
