import * as l10n from '@vscode/l10n';
import { duration } from '../../text/quantities.ts';
import { waitingJobs, type EndpointSnapshot } from '../endpoints/endpointSnapshot.ts';
import { alternativesText } from '../hardware/hardwareWords.ts';
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
import { isInTrouble, queueDelayMs, situationOf, waitedMs, type Situation } from './situation.ts';

/** Returns why an endpoint's jobs wait or its workers do not run, and the next steps. The most certain cause wins. */
export function diagnose(observations: Observations): Diagnosis {
  const { snapshot, now } = observations;
  const situation = situationOf(snapshot, now);
  if (situation === 'unread') return unread(observations);
  const certain = failing(observations) ?? (situation === 'unhealthy' ? undefined : cannotStart(observations));
  return certain ?? DESCRIPTIONS[situation](observations);
}

/** Returns whether workers may wait for hardware of a hosted platform, so that its stock is part of the diagnosis. */
export function lacksHardware(snapshot: EndpointSnapshot, platform: Observations['platform']): boolean {
  const { running = 0, idle = 0, initializing = 0, throttled = 0 } = snapshot.workers?.summary ?? {};
  const wants = throttled > 0 || waitingJobs(snapshot) > 0;
  return platform === 'hosted' && wants && running + idle + initializing === 0;
}

/** Finds the reason for failures of workers in their logs. */
function failing(observations: Observations): Diagnosis | undefined {
  const { snapshot, logs } = observations;
  const works = (id: string) =>
    snapshot.workers?.workers.some((worker) => worker.id === id && ['RUNNING', 'IDLE'].includes(worker.status));
  const reasons = logs
    .filter(({ workerId }) => !works(workerId))
    .flatMap(({ workerId, events }) => {
      const finding = findReason(events);
      return finding ? [{ workerId, finding }] : [];
    });
  const [reason] = reasons;
  return reason && diagnosisOfFinding(observations, reason.workerId, reason.finding);
}

/** Reports that no worker can start on this machine, whether or not there is work. */
function cannotStart({ snapshot, obstacle, platform }: Observations): Diagnosis | undefined {
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
}

type Description = (observations: Observations) => Diagnosis;

const unread: Description = ({ snapshot: { problem, endpoint } }) => ({
  cause: 'unknown',
  severity: 'fine',
  headline: l10n.t('The state of the workers is unknown'),
  explanation:
    problem === undefined
      ? l10n.t('The workers have not been read yet.')
      : l10n.t`The workers could not be read: ${problem}.`,
  evidence: [],
  next: [step(l10n.t('Refresh'), l10n.t('Read the workers again.'), 'cloudCompute.endpoints.refreshOne', endpoint.id)],
});

const unhealthy: Description = ({ snapshot }) => {
  const { unhealthy: number = 0 } = snapshot.workers?.summary ?? {};
  const worker = snapshot.workers?.workers.find(({ status }) => status === 'UNHEALTHY');
  return {
    cause: 'unhealthy',
    severity: 'trouble',
    headline: number === 1 ? l10n.t('1 worker unhealthy') : l10n.t`${number} workers unhealthy`,
    explanation:
      number === 1
        ? l10n.t`The platform reports that a worker cannot run, but gives no reason. ${otherWorkersText(snapshot)}`
        : l10n.t`The platform reports that workers cannot run, but gives no reason. ${otherWorkersText(snapshot)}`,
    evidence: [],
    next: [...showLogs(snapshot, worker?.id), editStep(snapshot, l10n.t('Change the image, command, or environment.'))],
  };
};

const paused: Description = ({ snapshot }) => {
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

const initializing: Description = ({ snapshot }) => {
  const { initializing: number = 0 } = snapshot.workers?.summary ?? {};
  const waiting = waitingJobs(snapshot);
  const pulling = snapshot.workers && pullingWorkers(snapshot.workers);
  const progress =
    pulling && pulling.number > 0 ? startWords({ kind: 'pulling', percent: pulling.percent }) : undefined;
  return {
    cause: 'starting',
    severity: 'waiting',
    headline:
      number === 1
        ? l10n.t`1 worker starting${progress === undefined ? '' : `: ${progress}`}`
        : l10n.t`${number} workers starting${progress === undefined ? '' : `: ${progress}`}`,
    explanation: l10n.t`This is a cold start: the worker downloads the image and initializes.${waiting > 0 ? (waiting === 1 ? l10n.t(' It then takes the waiting job.') : l10n.t` It then takes the ${waiting} waiting jobs.`) : ''}`,
    evidence: [],
    next: showLogs(snapshot, snapshot.workers?.workers.find(({ status }) => status === 'INITIALIZING')?.id),
  };
};

const throttled: Description = ({ snapshot, platform, alternatives, now }) => {
  const { throttled: number = 0 } = snapshot.workers?.summary ?? {};
  const { id } = snapshot.endpoint;
  const start = snapshot.workers?.workers.find(({ status, start }) => status === 'THROTTLED' && start)?.start;
  const reason = start && waitReason(start);
  return {
    cause: 'throttled',
    severity: isInTrouble(snapshot, now) ? 'trouble' : 'waiting',
    headline:
      number === 1
        ? l10n.t`1 worker throttled: ${(start && startWords(start)) ?? l10n.t('no capacity is available')}`
        : l10n.t`${number} workers throttled: ${(start && startWords(start)) ?? l10n.t('no capacity is available')}`,
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
};

const starting: Description = ({ snapshot }) => {
  const waiting = waitingJobs(snapshot);
  const delay = queueDelayMs(snapshot);
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
};

const noCapacity: Description = ({ snapshot, alternatives, now }) => {
  const waiting = waitingJobs(snapshot);
  const waited = waitedMs(snapshot, now);
  const { id, workers } = snapshot.endpoint;
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

const notTaking: Description = ({ snapshot, now }) => {
  const { idle = 0 } = snapshot.workers?.summary ?? {};
  const waiting = waitingJobs(snapshot);
  const waited = waitedMs(snapshot, now);
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

const allBusy: Description = ({ snapshot }) => {
  const waiting = waitingJobs(snapshot);
  const { max } = snapshot.endpoint.workers;
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

const fine: Description = ({ snapshot }) => {
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
};

const DESCRIPTIONS: Readonly<Record<Situation, Description>> = {
  ...{ unread, unhealthy, paused, initializing, throttled, starting, noCapacity, notTaking, allBusy, fine },
};
