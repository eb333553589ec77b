import * as l10n from '@vscode/l10n';
import type { StartProblem } from '../../../contract/startProblem.ts';
import type { LogEvent } from '../../../contract/workerLogs.ts';
import type { CommandId } from '../../../vscode/commandIds.ts';
import type { EndpointNode } from '../endpointNode.ts';
import { waitingJobs, type EndpointSnapshot } from '../endpointSnapshot.ts';
import { count, duration } from '../../../vscode/text/quantities.ts';
import { startProblemWords, type StartRemedy } from '../../startProblems.ts';
import { exitText, mayBeOutOfMemory } from '../../workerExit.ts';
import { pullingWorkers, startWords, waitReason } from '../workerStart.ts';
import { findReason, type LogFinding } from './logFindings.ts';

/** Input of a diagnosis. */
export interface Observations {
  readonly snapshot: EndpointSnapshot;
  /** The newest log lines of failing and starting workers. */
  readonly logs: readonly WorkerLog[];
  readonly platform: 'local' | 'hosted';
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

/** Time, in ms, that jobs can wait without a running worker before the diagnosis reports trouble. */
const PATIENCE_MS = 15_000;

/** Returns whether the user must act, as far as that is known without logs. */
export function isInTrouble(snapshot: EndpointSnapshot, now: number): boolean {
  return diagnose({ snapshot, logs: [], platform: 'hosted', now }).severity === 'trouble';
}

/** Returns why an endpoint's jobs wait or its workers do not run, and the next steps. The most certain cause wins. */
export function diagnose(observations: Observations): Diagnosis {
  for (const rule of [unread, failing, paused, noAvailableWorker, idleButWaiting, allBusy]) {
    const found = rule(observations);
    if (found) return found;
  }
  const { snapshot } = observations;
  const { running = 0, idle = 0 } = snapshot.workers?.summary ?? {};
  const waiting = waitingJobs(snapshot);
  return {
    cause: 'fine',
    severity: 'fine',
    headline:
      waiting > 0
        ? l10n.t`${count(waiting, 'job')} waiting, and workers are processing the queue`
        : l10n.t('No work is waiting'),
    explanation:
      running + idle > 0
        ? l10n.t`${count(running + idle, 'worker')} up: ${running} running, ${idle} idle.`
        : l10n.t('No worker is up. A worker starts when a job or request arrives.'),
    evidence: [],
    next: [],
  };
}

type DiagnosisRule = (observations: Observations) => Diagnosis | undefined;

const unread: DiagnosisRule = ({ snapshot: { workers, problem, endpoint } }) =>
  workers
    ? undefined
    : {
        cause: 'unknown',
        severity: 'fine',
        headline: l10n.t('The state of the workers is unknown'),
        explanation:
          problem === undefined
            ? l10n.t('The workers have not been read yet.')
            : l10n.t`The workers could not be read: ${problem}.`,
        evidence: [],
        next: [
          step(l10n.t('Refresh'), l10n.t('Read the workers again.'), 'cloudCompute.endpoints.refreshOne', endpoint.id),
        ],
      };

/** Reports workers that cannot run. Their logs may contain the reason. */
const failing: DiagnosisRule = (observations) => {
  const { snapshot, logs } = observations;
  const { unhealthy = 0 } = snapshot.workers?.summary ?? {};
  const works = (id: string) =>
    snapshot.workers?.workers.some((worker) => worker.id === id && ['RUNNING', 'IDLE'].includes(worker.status));
  const reasons = logs
    .filter(({ workerId }) => !works(workerId))
    .flatMap(({ workerId, events }) => {
      const finding = findReason(events);
      return finding ? [{ workerId, finding }] : [];
    });
  const [reason] = reasons;
  if (reason) return diagnosisOfFinding(observations, reason.workerId, reason.finding);
  if (unhealthy === 0) return undefined;
  const worker = snapshot.workers?.workers.find(({ status }) => status === 'UNHEALTHY');
  return {
    cause: 'unhealthy',
    severity: 'trouble',
    headline: l10n.t`${count(unhealthy, 'worker')} unhealthy`,
    explanation:
      unhealthy === 1
        ? l10n.t`The platform reports that a worker cannot run, but gives no reason. ${otherWorkersText(snapshot)}`
        : l10n.t`The platform reports that workers cannot run, but gives no reason. ${otherWorkersText(snapshot)}`,
    evidence: [],
    next: [...showLogs(snapshot, worker?.id), editStep(snapshot, l10n.t('Change the image, command, or environment.'))],
  };
};

function diagnosisOfFinding({ snapshot, platform }: Observations, workerId: string, finding: LogFinding): Diagnosis {
  const log = showLogs(snapshot, workerId);
  switch (finding.kind) {
    case 'imageUnavailable':
      return {
        cause: 'imageUnavailable',
        severity: 'trouble',
        headline: l10n.t('The image cannot be pulled'),
        explanation: l10n.t`Worker ${workerId} cannot start because the registry does not provide ${snapshot.endpoint.image ?? l10n.t('the image')}. The image name may be wrong. If the image is private, the endpoint needs a registry credential for it.`,
        evidence: [finding.reason],
        next: [editStep(snapshot, l10n.t('Correct the image or set a registry credential.')), ...log],
      };
    case 'engineUnreachable': {
      const { remedies } = startProblemWords('engineUnreachable', platform);
      return {
        cause: 'engineUnreachable',
        severity: 'trouble',
        headline: l10n.t('The engine that runs a worker cannot be reached'),
        explanation:
          l10n.t`Worker ${workerId} may still run, and continues when its engine responds again. Its job is not lost. ` +
          otherWorkersText(snapshot),
        evidence: [finding.reason],
        next: [...remedies.map((remedy) => stepOf(remedy, snapshot)), ...log],
      };
    }
    case 'notStarted': {
      const { problem } = finding;
      if (problem) {
        const { headline, explanation, remedies } = startProblemWords(problem, platform);
        return {
          cause: problem,
          severity: 'trouble',
          headline,
          explanation: [explanation, otherWorkersText(snapshot)].filter(Boolean).join(' '),
          evidence: [finding.reason],
          next: [...remedies.map((remedy) => stepOf(remedy, snapshot)), ...log],
        };
      }
      return {
        cause: 'unhealthy',
        severity: 'trouble',
        headline: l10n.t('The command cannot be started'),
        explanation: l10n.t`Worker ${workerId} could not start. ${otherWorkersText(snapshot)}`,
        evidence: [finding.reason],
        next: [editStep(snapshot, l10n.t('Correct the command or the image.')), ...log],
      };
    }
    case 'notReady':
      return {
        cause: 'unhealthy',
        severity: 'trouble',
        headline: l10n.t('A worker is up but not ready'),
        explanation: l10n.t`Worker ${workerId} is running but does not pass its health check. ${otherWorkersText(snapshot)}`,
        evidence: [finding.reason],
        next: [...log, editStep(snapshot, l10n.t('Correct the ports or the path of the health check.'))],
      };
    case 'crash': {
      const isLoop = finding.times > 1;
      const exits = isLoop
        ? l10n.t`The worker has exited ${finding.times} times and keeps restarting`
        : l10n.t('The worker exited');
      const how = exitText(finding.exit);
      const memory = mayBeOutOfMemory(finding.exit)
        ? l10n.t(' A process that is killed this way often ran out of memory.')
        : '';
      const billing = isLoop && platform === 'hosted' ? l10n.t(' Each start may be billed.') : '';
      return {
        cause: 'crashLoop',
        severity: 'trouble',
        headline: l10n.t`The worker crashes: ${how}`,
        explanation: l10n.t`${exits} (${how}).${billing} This is not a lack of capacity: more workers would crash too.${memory} ${otherWorkersText(snapshot)}`,
        evidence: finding.lastLines,
        next: [
          ...log,
          editStep(snapshot, l10n.t('Change the image, command, or environment.')),
          step(
            l10n.t('Scale…'),
            l10n.t('Set the maximum to 0 to stop the restarts.'),
            'cloudCompute.endpoints.scale',
            snapshot.endpoint.id,
          ),
        ],
      };
    }
  }
}

const paused: DiagnosisRule = ({ snapshot }) => {
  if (snapshot.endpoint.workers.max > 0) return undefined;
  const waiting = waitingJobs(snapshot);
  return {
    cause: 'paused',
    severity: waiting > 0 ? 'trouble' : 'fine',
    headline:
      waiting > 0
        ? l10n.t`${count(waiting, 'job')} waiting, but the maximum is 0 workers`
        : l10n.t('Paused: at most 0 workers'),
    explanation: l10n.t(
      'The maximum number of workers is 0, so none start. A user may have set it. A hosted platform also sets it after days without requests or after repeated crashes.',
    ),
    evidence: [],
    next: [
      step(
        l10n.t('Scale…'),
        l10n.t('Allow at least one worker.'),
        'cloudCompute.endpoints.scale',
        snapshot.endpoint.id,
      ),
    ],
  };
};

/** Reports why no worker is available. */
const noAvailableWorker: DiagnosisRule = ({ snapshot, platform, now }) => {
  const { running = 0, idle = 0, throttled = 0, initializing = 0 } = snapshot.workers?.summary ?? {};
  const waiting = waitingJobs(snapshot);
  const { id, workers, scaling } = snapshot.endpoint;
  if (running + idle > 0) return undefined;
  if (initializing > 0) {
    const pulling = snapshot.workers && pullingWorkers(snapshot.workers);
    const progress =
      pulling && pulling.number > 0 ? startWords({ kind: 'pulling', percent: pulling.percent }) : undefined;
    return {
      cause: 'starting',
      severity: 'waiting',
      headline: l10n.t`${count(initializing, 'worker')} starting${progress === undefined ? '' : `: ${progress}`}`,
      explanation: l10n.t`This is a cold start: the worker downloads the image and initializes.${waiting > 0 ? l10n.t` It then takes the ${count(waiting, 'waiting job')}.` : ''}`,
      evidence: [],
      next: showLogs(snapshot, snapshot.workers?.workers.find(({ status }) => status === 'INITIALIZING')?.id),
    };
  }
  if (throttled > 0) {
    const start = snapshot.workers?.workers.find(({ status, start }) => status === 'THROTTLED' && start)?.start;
    const reason = start && waitReason(start);
    return {
      cause: 'throttled',
      severity: waiting > 0 || workers.min > 0 ? 'trouble' : 'waiting',
      headline: l10n.t`${count(throttled, 'worker')} throttled: ${(start && startWords(start)) ?? l10n.t('no capacity is available')}`,
      explanation:
        platform === 'local'
          ? l10n.t`${reason ?? l10n.t('This machine runs its maximum number of workers.')} Throttled workers start when other workers stop.`
          : l10n.t`${reason ?? l10n.t('The platform has no free hardware of the requested kind.')} Throttled workers start when it becomes available.`,
      evidence: [],
      next:
        platform === 'local'
          ? [
              ...(start?.kind === 'waitingForGpus' ? noGpuSteps(snapshot) : []),
              step(
                l10n.t('Scale…'),
                l10n.t('Allow fewer workers for this or other endpoints.'),
                'cloudCompute.endpoints.scale',
                id,
              ),
            ]
          : [editStep(snapshot, l10n.t('Allow more GPU pools, CPU flavors, or data centers.'))],
    };
  }
  if (waiting === 0) return undefined;
  const delay = (scaling.queueDelay ?? 0) * 1000;
  const waited = now - (snapshot.stuckSince ?? now);
  if (waited <= delay + PATIENCE_MS)
    return {
      cause: 'starting',
      severity: 'waiting',
      headline: l10n.t`${count(waiting, 'job')} waiting for the first worker`,
      explanation: l10n.t`No worker is up yet. ${delay > 0 ? l10n.t`One starts once a job has waited ${delay / 1000} s.` : l10n.t('One is about to start.')}`,
      evidence: [],
      next: [],
    };
  return {
    cause: 'noCapacity',
    severity: 'trouble',
    headline: l10n.t`${count(waiting, 'job')} waiting, but no worker is starting`,
    explanation: l10n.t`The endpoint allows up to ${workers.max} workers but has had none for ${duration(waited / 1000)}. Most likely, no hardware of the requested kind is free. Also, jobs with low priority do not start workers.`,
    evidence: [],
    next: [
      editStep(snapshot, l10n.t('Allow more GPU pools, CPU flavors, or data centers.')),
      step(
        l10n.t('Scale…'),
        l10n.t('Set the minimum to 1 to request a worker now.'),
        'cloudCompute.endpoints.scale',
        id,
      ),
    ],
  };
};

const idleButWaiting: DiagnosisRule = ({ snapshot, now }) => {
  const { running = 0, idle = 0 } = snapshot.workers?.summary ?? {};
  const waiting = waitingJobs(snapshot);
  const waited = now - (snapshot.stuckSince ?? now);
  if (waiting === 0 || running > 0 || idle === 0 || waited <= PATIENCE_MS) return undefined;
  return {
    cause: 'notTaking',
    severity: 'trouble',
    headline:
      waiting === 1
        ? l10n.t('1 job waiting, but idle workers do not take it')
        : l10n.t`${waiting} jobs waiting, but idle workers do not take them`,
    explanation: l10n.t`${count(idle, 'worker')} up for ${duration(waited / 1000)} without taking a job. The worker's program may hang before it requests the next job, or it may not be a queue worker.`,
    evidence: [],
    next: showLogs(snapshot, snapshot.workers?.workers.find(({ status }) => status === 'IDLE')?.id),
  };
};

const allBusy: DiagnosisRule = ({ snapshot }) => {
  const { running = 0, idle = 0, total = 0 } = snapshot.workers?.summary ?? {};
  const waiting = waitingJobs(snapshot);
  const { max } = snapshot.endpoint.workers;
  if (waiting === 0 || running === 0 || idle > 0 || total < max) return undefined;
  return {
    cause: 'allBusy',
    severity: 'waiting',
    headline: l10n.t`${count(waiting, 'job')} waiting: ${max === 1 ? l10n.t('the only worker is') : l10n.t`all ${max} workers are`} busy`,
    explanation: l10n.t(
      'The endpoint has its maximum number of workers. They take the waiting jobs as they become free.',
    ),
    evidence: [],
    next: [
      step(
        l10n.t('Scale…'),
        l10n.t('Raise the maximum to process the queue faster.'),
        'cloudCompute.endpoints.scale',
        snapshot.endpoint.id,
      ),
    ],
  };
};

function otherWorkersText({ workers }: EndpointSnapshot): string {
  const { running = 0, idle = 0 } = workers?.summary ?? {};
  return running + idle > 0 ? l10n.t`${count(running + idle, 'other worker')} can take jobs in the meantime.` : '';
}

function step(title: string, why: string, command: CommandId, endpointId: string): NextStep {
  return { title, why, command, node: { kind: 'endpoint', endpointId } };
}

/** Returns the step that lets workers start without the GPUs that they wait for. */
function noGpuSteps(snapshot: EndpointSnapshot): NextStep[] {
  const { remedies } = startProblemWords('noGpu', 'local');
  return remedies
    .filter(({ command }) => command === 'cloudCompute.endpoints.runWithoutGpus')
    .map((remedy) => stepOf(remedy, snapshot));
}

function stepOf({ title, why, command }: StartRemedy, { endpoint }: EndpointSnapshot): NextStep {
  return step(title, why, command, endpoint.id);
}

function editStep({ endpoint }: EndpointSnapshot, why: string): NextStep {
  return step(l10n.t('Edit Endpoint'), why, 'cloudCompute.endpoints.edit', endpoint.id);
}

function showLogs({ endpoint }: EndpointSnapshot, workerId: string | undefined): NextStep[] {
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
