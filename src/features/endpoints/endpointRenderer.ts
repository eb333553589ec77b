import * as l10n from '@vscode/l10n';
import type { Worker } from '../../contract/worker.ts';
import {
  conditionOf,
  isQueue,
  waitingJobs,
  type Condition,
  type EndpointSnapshot,
} from '../../account/endpoints/endpointSnapshot.ts';
import { rateWords, spokenRate, workerCostWords, type Rate, type WorkerCost } from '../../account/prices/workerCost.ts';
import { cents } from '../../account/prices/money.ts';
import type { Row } from '../../kit/trees.ts';
import { duration } from '../../text/quantities.ts';
import { isContainerImage } from '../../account/endpoints/imageChoices.ts';
import { workerDirectory } from '../../account/endpoints/workerProcess.ts';
import { conditionWords, shortImage } from '../../account/endpoints/words.ts';
import { pullingWorkers, startWords, stateWithStart } from '../../account/endpoints/workerStart.ts';

interface Appearance {
  readonly icon: string;
  readonly color?: string;
}

const GREEN = 'testing.iconPassed';
const RED = 'testing.iconFailed';
const YELLOW = 'list.warningForeground';

const conditionAppearance: Readonly<Record<Condition, Appearance>> = {
  unhealthy: { icon: 'error', color: RED },
  throttled: { icon: 'warning', color: YELLOW },
  running: { icon: 'sync~spin', color: GREEN },
  initializing: { icon: 'loading~spin' },
  idle: { icon: 'pass', color: GREEN },
  paused: { icon: 'debug-pause', color: YELLOW },
  noWorkers: { icon: 'circle-outline' },
  unknown: { icon: 'question' },
};

const BUSY: Appearance = { icon: 'loading~spin' };

/** @param rate price of the present workers, if it is known and shown @param isChatModel whether the chat of the editor can use it */
export function renderEndpoint(snapshot: EndpointSnapshot, favorite = false, rate?: Rate, isChatModel = false): Row {
  const { endpoint, deleting, updating = false, inTrouble = false } = snapshot;
  const busy = deleting ? l10n.t('Deleting…') : updating ? l10n.t('Updating…') : undefined;
  const condition = conditionOf(snapshot);
  const appearance =
    inTrouble && condition !== 'unhealthy' ? { icon: 'warning', color: YELLOW } : conditionAppearance[condition];
  const { icon, color }: Appearance = busy === undefined ? appearance : BUSY;
  const state = busy ?? stateWords(snapshot);
  const waiting = waitingJobs(snapshot);
  const debugging = snapshot.workers?.workers.some(({ debugged }) => debugged) ? [l10n.t('being debugged')] : [];
  const facts = [
    state,
    ...debugging,
    ...(waiting > 0 ? [l10n.t`${waiting} waiting`] : []),
    ...(rate ? [rateWords(rate)] : []),
    ...(isQueue(endpoint) ? [] : [l10n.t('load-balanced')]),
    ...(isChatModel ? [l10n.t('chat model')] : []),
    ...(endpoint.image === undefined ? [] : [shortImage(endpoint.image)]),
  ];
  const flags = [
    endpoint.type ?? 'QUEUE',
    ...(inTrouble ? ['trouble'] : []),
    ...(favorite ? ['favorite'] : []),
    ...(isChatModel ? ['chat'] : []),
    ...(isContainerImage(endpoint.image) ? ['image'] : []),
    ...(workerDirectory(endpoint) === undefined ? [] : ['process']),
    ...(endpoint.gpu ? ['gpu'] : []),
  ];
  return {
    label: endpoint.name,
    description: `${favorite ? '★ ' : ''}${facts.join(' · ')}`,
    icon,
    color,
    contextValue: deleting ? 'endpointDeleting' : `endpoint.${flags.join('.')}`,
    spoken: [
      l10n.t`Endpoint ${endpoint.name}`,
      ...(favorite ? [l10n.t('favorite')] : []),
      ...(inTrouble ? [l10n.t('needs attention')] : []),
      state,
      ...debugging,
      ...(waiting > 0 ? [waiting === 1 ? l10n.t('1 job waiting') : l10n.t`${waiting} jobs waiting`] : []),
      ...(rate ? [spokenRate(rate)] : []),
      ...(isQueue(endpoint) ? [] : [l10n.t('load-balanced')]),
      ...(isChatModel ? [l10n.t('chat model')] : []),
    ].join(', '),
  };
}

/** Describes the workers by state, most urgent state first. */
function stateWords(snapshot: EndpointSnapshot): string {
  const { workers, endpoint } = snapshot;
  if (!workers) return conditionWords.unknown;
  const { unhealthy, running, initializing: starting, throttled, idle } = workers.summary;
  const { number: pulling, percent } = pullingWorkers(workers);
  const pullWords = startWords({ kind: 'pulling', percent }) ?? '';
  const initializing = Math.max(0, starting - pulling);
  const counted = (number: number, state: string) => (number > 0 ? [`${number} ${state}`] : []);
  const words = [
    ...counted(unhealthy, conditionWords.unhealthy),
    ...counted(running, conditionWords.running),
    ...(pulling === 1 ? [pullWords] : counted(pulling, pullWords)),
    ...counted(initializing, conditionWords.initializing),
    ...counted(throttled, conditionWords.throttled),
    ...counted(idle, conditionWords.idle),
  ];
  if (words.length > 0) return words.join(', ');
  return endpoint.workers.max === 0 ? l10n.t('paused: no workers allowed') : conditionWords.noWorkers;
}

const workerAppearance: Record<string, Appearance & { readonly words: string }> = {
  RUNNING: { words: conditionWords.running, icon: 'sync~spin', color: GREEN },
  IDLE: { words: conditionWords.idle, icon: 'pass', color: GREEN },
  INITIALIZING: { words: conditionWords.initializing, icon: 'loading~spin' },
  THROTTLED: { words: conditionWords.throttled, icon: 'warning', color: YELLOW },
  UNHEALTHY: { words: conditionWords.unhealthy, icon: 'error', color: RED },
};

/** A worker that a debugger holds. */
const DEBUGGED: Appearance = { icon: 'debug', color: 'debugIcon.startForeground' };

/** Ignores inherited properties, because a platform can report any status, such as `constructor`. */
function appearanceOf(status: string): (typeof workerAppearance)[string] | undefined {
  return Object.hasOwn(workerAppearance, status) ? workerAppearance[status] : undefined;
}

/** Returns the state of a worker, and the progress of its start. */
export function workerState(worker: Worker): string {
  const { status, debugged } = worker;
  const state = stateWithStart(appearanceOf(status)?.words ?? status.toLowerCase(), worker);
  return debugged ? l10n.t`${state}, being debugged` : state;
}

export function hardwareOf({ gpuCount, gpuTypeId }: Worker): string {
  if (gpuCount === 0) return 'CPU';
  return gpuCount === 1 ? (gpuTypeId ?? 'GPU') : `${gpuCount} × ${gpuTypeId ?? 'GPU'}`;
}

/** @param cost cost of the worker, if it is known and shown */
export function renderWorker(worker: Worker, cost?: WorkerCost): Row {
  const { icon, color }: Appearance = worker.debugged
    ? DEBUGGED
    : (appearanceOf(worker.status) ?? { icon: 'question' });
  const state = workerState(worker);
  const up = worker.uptimeSeconds == null ? [] : [l10n.t`up ${duration(worker.uptimeSeconds)}`];
  const version = worker.version == null ? [] : [`v${worker.version}${worker.isStale ? l10n.t(', old version') : ''}`];
  const stale = worker.isStale && worker.version == null ? [l10n.t('old version')] : [];
  const hardware = hardwareOf(worker);
  // A narrow view cuts the end of the description, so the cost precedes the less important time.
  const now = cost ? [state, workerCostWords(cost), ...up] : [[state, ...up].join(', ')];
  return {
    label: worker.id,
    description: [...now, hardware, ...version, ...stale].join(' · '),
    icon,
    color,
    contextValue: 'worker',
    spoken: [
      l10n.t`Worker ${worker.id}`,
      state,
      ...up,
      ...(cost ? [spokenCost(cost)] : []),
      hardware,
      ...(worker.isStale ? [l10n.t('runs an old version')] : []),
    ].join(', '),
  };
}

function spokenCost({ soFar, ...rate }: WorkerCost): string {
  return soFar === undefined ? spokenRate(rate) : l10n.t`${cents(soFar)} so far at ${spokenRate(rate)}`;
}
