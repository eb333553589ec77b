import * as l10n from '@vscode/l10n';
import type { StartProblem } from '../../contract/startProblem.ts';
import type { LogEvent } from '../../contract/workerLogs.ts';
import type { CommandId } from '../../kit/commandIds.ts';
import type { EndpointNode } from '../endpoints/endpointNode.ts';
import type { EndpointSnapshot } from '../endpoints/endpointSnapshot.ts';
import type { Alternatives } from '../hardware/readHardwareStock.ts';
import { startProblemWords, type StartRemedy } from '../endpoints/startProblems.ts';

/** The reason why no worker of an endpoint can start on this machine. */
export interface Obstacle {
  readonly problem: StartProblem;
  /** Detail for people. Empty if the problem says everything. */
  readonly reason: string;
}

/** Input of a diagnosis. */
export interface Observations {
  readonly snapshot: EndpointSnapshot;
  /** The newest log lines of failing and starting workers. */
  readonly logs: readonly WorkerLog[];
  readonly platform: 'local' | 'hosted';
  /** The reason why no worker can start here, if there is one. */
  readonly obstacle?: Obstacle | undefined;
  /** Hardware with stock, for an endpoint without available workers. Undefined: not read. */
  readonly alternatives?: Alternatives | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

export interface WorkerLog {
  readonly workerId: string;
  /** Oldest first. */
  readonly events: readonly LogEvent[];
}

export type Cause =
  | 'unknown'
  | 'crashLoop'
  | 'imageUnavailable'
  | 'unhealthy'
  | 'paused'
  | 'throttled'
  | 'noCapacity'
  | 'starting'
  | 'notTaking'
  | 'allBusy'
  | 'fine'
  | StartProblem;

/** An action that the user can take, and the command that starts it. */
export interface NextStep {
  readonly title: string;
  readonly why: string;
  readonly command: CommandId;
  readonly node: EndpointNode;
}

export interface Diagnosis {
  readonly cause: Cause;
  /** `trouble`: the user must act. `waiting`: the condition is likely to pass without action. */
  readonly severity: 'trouble' | 'waiting' | 'fine';
  /** One line. */
  readonly headline: string;
  /** A few sentences. */
  readonly explanation: string;
  /** Log lines that support the diagnosis. */
  readonly evidence: readonly string[];
  readonly next: readonly NextStep[];
}

/* The next steps of a diagnosis. */

export function step(title: string, why: string, command: CommandId, endpointId: string): NextStep {
  return { title, why, command, node: { kind: 'endpoint', endpointId } };
}

/** Returns the step that lets workers start without the GPUs that they wait for. */
export function noGpuSteps(snapshot: EndpointSnapshot): NextStep[] {
  const { remedies } = startProblemWords('noGpu', 'local');
  return remedies
    .filter(({ command }) => command === 'cloudCompute.endpoints.runWithoutGpus')
    .map((remedy) => stepOf(remedy, snapshot));
}

export function stepOf({ title, why, command }: StartRemedy, { endpoint }: EndpointSnapshot): NextStep {
  return step(title, why, command, endpoint.id);
}

export function editStep({ endpoint }: EndpointSnapshot, why: string): NextStep {
  return step(l10n.t('Edit Endpoint'), why, 'cloudCompute.endpoints.edit', endpoint.id);
}

export function showLogs({ endpoint }: EndpointSnapshot, workerId: string | undefined): NextStep[] {
  if (workerId === undefined) return [];
  return [
    {
      title: l10n.t('Show Logs'),
      why: l10n.t`Read the log of worker ${workerId}.`,
      command: 'cloudCompute.logs.open',
      node: { kind: 'worker', endpointId: endpoint.id, workerId },
    },
  ];
}
