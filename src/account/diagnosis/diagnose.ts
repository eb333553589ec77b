import * as l10n from '@vscode/l10n';
import { duration } from '../../text/quantities.ts';
import { waitingJobs, type EndpointSnapshot } from '../endpoints/endpointSnapshot.ts';
import { alternativesText } from '../hardware/alternativesText.ts';
import { startProblemWords } from '../endpoints/startProblems.ts';
import { pullingWorkers, startWords, waitReason } from '../endpoints/workerStart.ts';
import {
  type Diagnosis,
  type NextStep,
  type Observations,
  editStep,
  noGpuSteps,
  showLogs,
  step,
  stepOf,
} from './diagnosis.ts';
import { diagnosisOfFinding, otherWorkersText } from './findingDiagnosis.ts';
import { findReason } from './logFindings.ts';

/** Time, in ms, that jobs can wait without a running worker before the diagnosis reports trouble. */
const PATIENCE_MS = 15_000;

/** Returns whether the user must act, as far as that is known without logs. */
export function isInTrouble(snapshot: EndpointSnapshot, now: number): boolean {
  return diagnose({ snapshot, logs: [], platform: 'hosted', now }).severity === 'trouble';
}

/** Returns why an endpoint's jobs wait or its workers do not run, and the next steps. The most certain cause wins. */
export function diagnose(observations: Observations): Diagnosis {
  for (const rule of [unread, failing, cannotStart, paused, noAvailableWorker, idleButWaiting, allBusy]) {
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
        ? waiting === 1
          ? l10n.t('1 job waiting, and workers are processing the queue')
          : l10n.t`${waiting} jobs waiting, and workers are processing the queue`
        : l10n.t('No work is waiting'),
    explanation:
      running + idle > 0
        ? running + idle === 1
          ? l10n.t`1 worker up: ${running} running, ${idle} idle.`
          : l10n.t`${running + idle} workers up: ${running} running, ${idle} idle.`
        : l10n.t('No worker is up. A worker starts when a job or request arrives.'),
    evidence: [],
    next: [],
  };
}

/** Returns whether workers may wait for hardware of a hosted platform, so that its stock is part of the diagnosis. */
export function lacksHardware(snapshot: EndpointSnapshot, platform: Observations['platform']): boolean {
  const { running = 0, idle = 0, initializing = 0, throttled = 0 } = snapshot.workers?.summary ?? {};
  const wants = throttled > 0 || waitingJobs(snapshot) > 0;
  return platform === 'hosted' && wants && running + idle + initializing === 0;
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
    headline: unhealthy === 1 ? l10n.t('1 worker unhealthy') : l10n.t`${unhealthy} workers unhealthy`,
    explanation:
      unhealthy === 1
        ? l10n.t`The platform reports that a worker cannot run, but gives no reason. ${otherWorkersText(snapshot)}`
        : l10n.t`The platform reports that workers cannot run, but gives no reason. ${otherWorkersText(snapshot)}`,
    evidence: [],
    next: [...showLogs(snapshot, worker?.id), editStep(snapshot, l10n.t('Change the image, command, or environment.'))],
  };
};

/** Reports that no worker can start on this machine, whether or not there is work. */
const cannotStart: DiagnosisRule = ({ snapshot, obstacle, platform }) => {
  const { running = 0, idle = 0 } = snapshot.workers?.summary ?? {};
  if (!obstacle || running + idle > 0) return undefined;
  const { headline, explanation, remedies } = startProblemWords(obstacle.problem, platform);
  return {
    cause: obstacle.problem,
    severity: 'trouble',
    headline: l10n.t`Will not start here: ${headline}`,
    explanation,
    evidence: obstacle.reason === '' ? [] : [obstacle.reason],
    next: remedies.map((remedy) => stepOf(remedy, snapshot)),
  };
};

const paused: DiagnosisRule = ({ snapshot }) => {
  if (snapshot.endpoint.workers.max > 0) return undefined;
  const waiting = waitingJobs(snapshot);
  return {
    cause: 'paused',
    severity: waiting > 0 ? 'trouble' : 'fine',
    headline:
      waiting > 0
        ? waiting === 1
          ? l10n.t('1 job waiting, but no workers are allowed')
          : l10n.t`${waiting} jobs waiting, but no workers are allowed`
        : l10n.t('Paused: no workers allowed'),
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
const noAvailableWorker: DiagnosisRule = ({ snapshot, platform, alternatives, now }) => {
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
      headline:
        initializing === 1
          ? l10n.t`1 worker starting${progress === undefined ? '' : `: ${progress}`}`
          : l10n.t`${initializing} workers starting${progress === undefined ? '' : `: ${progress}`}`,
      explanation: l10n.t`This is a cold start: the worker downloads the image and initializes.${waiting > 0 ? (waiting === 1 ? l10n.t(' It then takes the waiting job.') : l10n.t` It then takes the ${waiting} waiting jobs.`) : ''}`,
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
      headline:
        throttled === 1
          ? l10n.t`1 worker throttled: ${(start && startWords(start)) ?? l10n.t('no capacity is available')}`
          : l10n.t`${throttled} workers throttled: ${(start && startWords(start)) ?? l10n.t('no capacity is available')}`,
      explanation:
        platform === 'local'
          ? l10n.t`${reason ?? l10n.t('This machine runs its maximum number of workers.')} Throttled workers start when other workers stop.`
          : withAlternatives(
              l10n.t`${reason ?? l10n.t('The platform has no free hardware of the requested kind.')} Throttled workers start when it becomes available.`,
              alternatives,
            ),
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
          : capacitySteps(snapshot),
    };
  }
  if (waiting === 0) return undefined;
  const delay = (scaling.queueDelay ?? 0) * 1000;
  const waited = now - (snapshot.stuckSince ?? now);
  if (waited <= delay + PATIENCE_MS)
    return {
      cause: 'starting',
      severity: 'waiting',
      headline:
        waiting === 1
          ? l10n.t('1 job waiting for the first worker')
          : l10n.t`${waiting} jobs waiting for the first worker`,
      explanation: l10n.t`No worker is up yet. ${delay > 0 ? l10n.t`One starts once a job has waited ${delay / 1000} s.` : l10n.t('One is about to start.')}`,
      evidence: [],
      next: [],
    };
  return {
    cause: 'noCapacity',
    severity: 'trouble',
    headline:
      waiting === 1
        ? l10n.t('1 job waiting, but no worker is starting')
        : l10n.t`${waiting} jobs waiting, but no worker is starting`,
    explanation: withAlternatives(
      l10n.t`The endpoint allows up to ${workers.max} workers but has had none for ${duration(waited / 1000)}. Most likely, no hardware of the requested kind is free. Also, jobs with low priority do not start workers.`,
      alternatives,
    ),
    evidence: [],
    next: [
      ...capacitySteps(snapshot),
      step(
        l10n.t('Scale…'),
        l10n.t('Set the minimum to 1 to request a worker now.'),
        'cloudCompute.endpoints.scale',
        id,
      ),
    ],
  };
};

/** Adds the hardware with stock to an explanation. */
function withAlternatives(explanation: string, found: Observations['alternatives']): string {
  const text = found ? alternativesText(found) : '';
  return text === '' ? explanation : `${explanation} ${text}`;
}

/** Returns the steps that give workers other hardware. */
function capacitySteps(snapshot: EndpointSnapshot): NextStep[] {
  return [
    step(
      l10n.t('Choose Hardware…'),
      l10n.t('Compare the stock and the prices of GPU pools or CPU flavors.'),
      'cloudCompute.manifest.chooseHardware',
      snapshot.endpoint.id,
    ),
    editStep(snapshot, l10n.t('Allow more GPU pools, CPU flavors, or data centers.')),
  ];
}

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
    explanation:
      idle === 1
        ? l10n.t`1 worker up for ${duration(waited / 1000)} without taking a job. The worker's program may hang before it requests the next job, or it may not be a queue worker.`
        : l10n.t`${idle} workers up for ${duration(waited / 1000)} without taking a job. The worker's program may hang before it requests the next job, or it may not be a queue worker.`,
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
    headline:
      waiting === 1
        ? l10n.t`1 job waiting: ${max === 1 ? l10n.t('the only worker is') : l10n.t`all ${max} workers are`} busy`
        : l10n.t`${waiting} jobs waiting: ${max === 1 ? l10n.t('the only worker is') : l10n.t`all ${max} workers are`} busy`,
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
