import type { StartProblem } from '../../contract/startProblem.ts';
import type { LogEvent } from '../../contract/workerLogs.ts';
import type { CommandId } from '../../kit/commandIds.ts';
import type { EndpointNode } from '../endpoints/endpointNode.ts';
import type { EndpointSnapshot } from '../endpoints/endpointSnapshot.ts';
import type { Alternatives } from '../hardware/readHardwareStock.ts';

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
