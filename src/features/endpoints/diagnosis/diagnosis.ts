import type { WorkerExit } from '../../../contract/systemLines.ts';
import type { LogEvent } from '../../../contract/workerLogs.ts';
import type { CommandId } from '../../../vscode/commandIds.ts';
import type { EndpointNode } from '../endpointNode.ts';
import { waitingJobs, type EndpointSnapshot } from '../endpointSnapshot.ts';
import { count, duration } from '../words.ts';
import { findReason, type LogFinding } from './logFindings.ts';

/** All that a diagnosis is made from. */
export interface Observations {
  readonly snapshot: EndpointSnapshot;
  /** The newest lines of workers that do not work, as far as they were read. */
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
  | 'fine';

/** What to do: a sentence, and the command that does it. */
export interface NextStep {
  readonly title: string;
  readonly why: string;
  readonly command: CommandId;
  readonly node: EndpointNode;
}

export interface Diagnosis {
  readonly cause: Cause;
  /** trouble: nothing happens until somebody acts. waiting: it should pass by itself. */
  readonly severity: 'trouble' | 'waiting' | 'fine';
  /** One line. */
  readonly headline: string;
  /** A few sentences. */
  readonly explanation: string;
  /** Lines of a log that show it. */
  readonly evidence: readonly string[];
  readonly next: readonly NextStep[];
}

/** Waiting that long with nobody working is not a cold start's first moment any more. */
const PATIENCE_MS = 15_000;

/** Whether somebody has to act, as far as that can be told without any log. */
export function isInTrouble(snapshot: EndpointSnapshot, now: number): boolean {
  return diagnose({ snapshot, logs: [], platform: 'hosted', now }).severity === 'trouble';
}

/** Why jobs of an endpoint wait, or its workers do not run; and what to do next. The most certain cause wins. */
export function diagnose(observations: Observations): Diagnosis {
  for (const look of [unread, failing, paused, nobody, idleButWaiting, allBusy]) {
    const found = look(observations);
    if (found) return found;
  }
  const { snapshot } = observations;
  const { running = 0, idle = 0 } = snapshot.workers?.summary ?? {};
  const waiting = waitingJobs(snapshot);
  return {
    cause: 'fine',
    severity: 'fine',
    headline: waiting > 0 ? `${count(waiting, 'job')} waiting, which is being worked off` : 'Nothing is waiting',
    explanation:
      running + idle > 0
        ? `${count(running + idle, 'worker')} up: ${running} working, ${idle} idle.`
        : 'No worker is up; one is started when a job or a request comes.',
    evidence: [],
    next: [],
  };
}

type Look = (observations: Observations) => Diagnosis | undefined;

const unread: Look = ({ snapshot: { workers, problem, endpoint } }) =>
  workers
    ? undefined
    : {
        cause: 'unknown',
        severity: 'fine',
        headline: 'Its workers are not known',
        explanation: problem === undefined ? 'They have not been read yet.' : `They could not be read: ${problem}.`,
        evidence: [],
        next: [step('Refresh', 'Reads its workers again.', 'cloudCompute.endpoints.refreshOne', endpoint.id)],
      };

/** A worker that cannot run, for a reason that its log tells or not. */
const failing: Look = (observations) => {
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
  if (reason) return ofFinding(observations, reason.workerId, reason.finding);
  if (unhealthy === 0) return undefined;
  const worker = snapshot.workers?.workers.find(({ status }) => status === 'UNHEALTHY');
  return {
    cause: 'unhealthy',
    severity: 'trouble',
    headline: `${count(unhealthy, 'worker')} unhealthy`,
    explanation: `The platform says that ${unhealthy === 1 ? 'a worker' : 'workers'} cannot run, and not why. ${othersGoOn(snapshot)}`,
    evidence: [],
    next: [...showLogs(snapshot, worker?.id), editStep(snapshot, 'Change its image, command or environment.')],
  };
};

function ofFinding({ snapshot, platform }: Observations, workerId: string, finding: LogFinding): Diagnosis {
  const log = showLogs(snapshot, workerId);
  switch (finding.kind) {
    case 'imageUnavailable':
      return {
        cause: 'imageUnavailable',
        severity: 'trouble',
        headline: 'Its image cannot be pulled',
        explanation:
          `Worker ${workerId} cannot start: the registry does not hand out ${snapshot.endpoint.image ?? 'its image'}. ` +
          'The name may be wrong, or the image private and the endpoint without a registry credential that may read it.',
        evidence: [finding.reason],
        next: [editStep(snapshot, 'Correct the image, or name the registry credential.'), ...log],
      };
    case 'notStarted':
      return {
        cause: 'unhealthy',
        severity: 'trouble',
        headline: 'Its command cannot be started',
        explanation: `Worker ${workerId} could not be started at all. ${othersGoOn(snapshot)}`,
        evidence: [finding.reason],
        next: [editStep(snapshot, 'Correct the command or the image.'), ...log],
      };
    case 'notReady':
      return {
        cause: 'unhealthy',
        severity: 'trouble',
        headline: 'A worker is up, but not ready',
        explanation: `Worker ${workerId} runs, and does not answer as it should. ${othersGoOn(snapshot)}`,
        evidence: [finding.reason],
        next: [...log, editStep(snapshot, 'Correct its ports or its health path.')],
      };
    case 'crash': {
      const again =
        finding.times > 1 ? `It has ended ${finding.times} times and is started again and again` : 'It ended';
      const how = exitText(finding.exit);
      const memory = mayBeOutOfMemory(finding.exit)
        ? ' A process that is killed like this often ran out of memory.'
        : '';
      const where = platform === 'local' ? ' on this machine' : ', each start of which may be billed';
      return {
        cause: 'crashLoop',
        severity: 'trouble',
        headline: `Its worker crashes: ${how}`,
        explanation:
          `${again}${finding.times > 1 ? where : ''} (${how}), without taking a job for long. This is not a lack of ` +
          `capacity: more workers would crash too.${memory} ${othersGoOn(snapshot)}`,
        evidence: finding.lastLines,
        next: [
          ...log,
          editStep(snapshot, 'Change its image, command or environment.'),
          step(
            'Scale…',
            'A maximum of 0 stops it from starting over.',
            'cloudCompute.endpoints.scale',
            snapshot.endpoint.id,
          ),
        ],
      };
    }
  }
}

function exitText({ code, signal, outOfMemory }: WorkerExit = {}): string {
  if (signal !== undefined) return `signal ${signal}`;
  const parts = [...(code === undefined ? [] : [`exit code ${code}`]), ...(outOfMemory ? ['out of memory'] : [])];
  return parts.length > 0 ? parts.join(', ') : 'no exit code told';
}

/** The exit code of a shell for a process that was killed by SIGKILL: 128 and the number of the signal. */
const KILLED = 137;

function mayBeOutOfMemory({ code, signal, outOfMemory }: WorkerExit = {}): boolean {
  return outOfMemory === true || code === KILLED || signal === 'SIGKILL';
}

const paused: Look = ({ snapshot }) => {
  if (snapshot.endpoint.workers.max > 0) return undefined;
  const waiting = waitingJobs(snapshot);
  return {
    cause: 'paused',
    severity: waiting > 0 ? 'trouble' : 'fine',
    headline:
      waiting > 0 ? `${count(waiting, 'job')} waiting, but it may have no workers` : 'Paused: at most 0 workers',
    explanation:
      'Its maximum of workers is 0, so none is started. Somebody may have set that; a hosted platform does too, after ' +
      'days without requests or when workers crash repeatedly.',
    evidence: [],
    next: [step('Scale…', 'Allow it at least one worker.', 'cloudCompute.endpoints.scale', snapshot.endpoint.id)],
  };
};

/** Nobody who could take a job. */
const nobody: Look = ({ snapshot, platform, now }) => {
  const { running = 0, idle = 0, throttled = 0, initializing = 0 } = snapshot.workers?.summary ?? {};
  const waiting = waitingJobs(snapshot);
  const { id, workers, scaling } = snapshot.endpoint;
  if (running + idle > 0) return undefined;
  if (initializing > 0)
    return {
      cause: 'starting',
      severity: 'waiting',
      headline: `${count(initializing, 'worker')} starting`,
      explanation: `A cold start: the image is fetched and the worker prepares itself.${waiting > 0 ? ` ${count(waiting, 'job')} will be taken when it is ready.` : ''}`,
      evidence: [],
      next: showLogs(snapshot, snapshot.workers?.workers.find(({ status }) => status === 'INITIALIZING')?.id),
    };
  if (throttled > 0)
    return {
      cause: 'throttled',
      severity: waiting > 0 || workers.min > 0 ? 'trouble' : 'waiting',
      headline: `${count(throttled, 'worker')} throttled: there is no place for ${throttled === 1 ? 'it' : 'them'}`,
      explanation:
        platform === 'local'
          ? 'This machine runs as many workers as it may. They start when workers of other endpoints have ended.'
          : 'The platform has no free hardware of the kind that was asked for. It starts them when there is some.',
      evidence: [],
      next:
        platform === 'local'
          ? [step('Scale…', 'Ask for fewer workers here, or at other endpoints.', 'cloudCompute.endpoints.scale', id)]
          : [editStep(snapshot, 'Allow further GPU pools, CPU flavors or data centers.')],
    };
  if (waiting === 0) return undefined;
  const delay = (scaling.queueDelay ?? 0) * 1000;
  const waited = now - (snapshot.stuckSince ?? now);
  if (waited <= delay + PATIENCE_MS)
    return {
      cause: 'starting',
      severity: 'waiting',
      headline: `${count(waiting, 'job')} waiting for a first worker`,
      explanation: `No worker is up yet. ${delay > 0 ? `One is added when a job has waited ${delay / 1000} s.` : 'One is about to be started.'}`,
      evidence: [],
      next: [],
    };
  return {
    cause: 'noCapacity',
    severity: 'trouble',
    headline: `${count(waiting, 'job')} waiting, and no worker is being started`,
    explanation:
      `It may have up to ${workers.max} workers and has had none for ${duration(waited / 1000)}. Most likely there is no free ` +
      'hardware of the kind that was asked for. Jobs with low priority do not cause a start either.',
    evidence: [],
    next: [
      editStep(snapshot, 'Allow further GPU pools, CPU flavors or data centers.'),
      step('Scale…', 'A minimum of 1 asks for a worker at once.', 'cloudCompute.endpoints.scale', id),
    ],
  };
};

const idleButWaiting: Look = ({ snapshot, now }) => {
  const { running = 0, idle = 0 } = snapshot.workers?.summary ?? {};
  const waiting = waitingJobs(snapshot);
  const waited = now - (snapshot.stuckSince ?? now);
  if (waiting === 0 || running > 0 || idle === 0 || waited <= PATIENCE_MS) return undefined;
  return {
    cause: 'notTaking',
    severity: 'trouble',
    headline: `${count(waiting, 'job')} waiting, and idle workers do not take ${waiting === 1 ? 'it' : 'them'}`,
    explanation:
      `${count(idle, 'worker')} up for ${duration(waited / 1000)} without taking a job. The worker's program may hang before it ` +
      'asks for the next job, or not be one that takes jobs from a queue.',
    evidence: [],
    next: showLogs(snapshot, snapshot.workers?.workers.find(({ status }) => status === 'IDLE')?.id),
  };
};

const allBusy: Look = ({ snapshot }) => {
  const { running = 0, idle = 0, total = 0 } = snapshot.workers?.summary ?? {};
  const waiting = waitingJobs(snapshot);
  const { max } = snapshot.endpoint.workers;
  if (waiting === 0 || running === 0 || idle > 0 || total < max) return undefined;
  return {
    cause: 'allBusy',
    severity: 'waiting',
    headline: `${count(waiting, 'job')} waiting: ${max === 1 ? 'the only worker is' : `all ${max} workers are`} busy`,
    explanation: 'It has as many workers as it may. What waits is taken as they become free.',
    evidence: [],
    next: [
      step('Scale…', 'A higher maximum works it off sooner.', 'cloudCompute.endpoints.scale', snapshot.endpoint.id),
    ],
  };
};

function othersGoOn({ workers }: EndpointSnapshot): string {
  const { running = 0, idle = 0 } = workers?.summary ?? {};
  return running + idle > 0 ? `${count(running + idle, 'other worker')} can take jobs meanwhile.` : '';
}

function step(title: string, why: string, command: CommandId, endpointId: string): NextStep {
  return { title, why, command, node: { kind: 'endpoint', endpointId } };
}

function editStep({ endpoint }: EndpointSnapshot, why: string): NextStep {
  return step('Edit Endpoint', why, 'cloudCompute.endpoints.edit', endpoint.id);
}

function showLogs({ endpoint }: EndpointSnapshot, workerId: string | undefined): NextStep[] {
  if (workerId === undefined) return [];
  return [
    {
      title: 'Show Worker Logs',
      why: `Everything worker ${workerId} wrote.`,
      command: 'cloudCompute.logs.open',
      node: { kind: 'worker', endpointId: endpoint.id, workerId },
    },
  ];
}
