import * as l10n from '@vscode/l10n';
import { exitOf, readSystemLine, type ReadLine, type WorkerExit } from '../../../contract/systemLines.ts';
import type { LogEvent } from '../../../contract/workerLogs.ts';
import { startProblemOf } from '../../../contract/startProblem.ts';
import { withinBounds } from '../../../account/endpoints/boundedLogLine.ts';
import { startProblemWords } from '../../../account/endpoints/startProblems.ts';
import { exitText, mayBeOutOfMemory } from '../../../account/endpoints/words.ts';
import { readLogLine } from './readLogLine.ts';
import { mayBeTrouble, nothingListens, troubleIn, type FoundTrouble, type TroubleKind } from './troublePatterns.ts';

/** A problem of a worker that its log reveals. */
export interface Trouble extends FoundTrouble {
  /** Time of the line that reveals it, in ms since the epoch. */
  readonly at: number;
}

/** Words that link to the explanation of the endpoint. They end the line of a trouble. */
export const EXPLAIN_LINK = l10n.t('Explain This Endpoint');

/** Returns the text of the line that shows a trouble in a log. `LineText.note` writes it with the mark `trouble`. */
export function troubleText({ sentence }: Pick<Trouble, 'sentence'>): string {
  return `${sentence} ${EXPLAIN_LINK}`;
}

/** Time in which repeated failures or starts count as a crash loop, in ms. */
const LOOP_MS = 10 * 60_000;
const LOOP_FAILURES = 2;
/** Number of starts without a reported exit that indicate a crash loop. */
const LOOP_STARTS = 3;
/** Exit codes and signals of a process that ended on request. */
const STOPPED_CODES: readonly (number | undefined)[] = [0, 143];
const STOPPED_SIGNALS: readonly (string | undefined)[] = ['SIGTERM', 'SIGINT'];

/**
 * Finds the problems of one worker in the lines of its log. Each kind is reported once, and again after the worker has been ready in the
 * meantime.
 */
export class TroubleWatch {
  readonly #reported = new Set<TroubleKind>();
  /** Times of the latest failures and starts, oldest first. */
  readonly #failures: number[] = [];
  readonly #starts: number[] = [];
  /** Whether the worker has been ready since its last start. */
  #isReady = false;
  /** Whether the host is stopping the worker, so that any exit is intended. */
  #isStopping = false;

  /**
   * Takes the next line of the log.
   *
   * @param at time of the line, in ms since the epoch
   */
  take(event: LogEvent, at: number): Trouble | undefined {
    const isSystem = event.source === 'system';
    if (!isSystem && !mayBeTrouble(withinBounds(event).line)) return undefined;
    const { text, level } = readLogLine(event);
    const said = isSystem ? readSystemLine(text) : undefined;
    // Programs often catch an error, and log it with a lower level.
    const isHarmless = !isSystem && level !== undefined && level !== 'error';
    const found = (said && this.#follow(said, at)) ?? (isHarmless ? undefined : troubleIn(text));
    if (!found || this.#reported.has(found.kind)) return undefined;
    this.#reported.add(found.kind);
    return { ...found, at };
  }

  /** Follows the life cycle of the worker. */
  #follow(said: ReadLine, at: number): FoundTrouble | undefined {
    switch (said.kind) {
      case 'ready':
        this.#isReady = true;
        this.#starts.length = 0;
        this.#reported.clear();
        return undefined;
      case 'starting':
      case 'containerStarting':
        return this.#onStart(at);
      case 'stopping':
      case 'retired':
        this.#isStopping = true;
        return undefined;
      case 'restarting':
        this.#isStopping = true;
        return this.#onUnreachable(said.reason);
      case 'failed':
      case 'failedSilently':
      case 'ended':
        return this.#onExit(exitOf(said), at);
      case 'notStartedBecause':
        return notStarted(said.problem);
      case 'notReady':
        return this.#onUnreachable(said.reason);
      case 'stillStarting':
        return this.#onUnreachable(said.finding);
      default:
        return undefined;
    }
  }

  #onStart(at: number): FoundTrouble | undefined {
    this.#isReady = false;
    this.#isStopping = false;
    return isFrequent(this.#starts, at, LOOP_STARTS) ? crashLoop(l10n.t('no exit code was reported')) : undefined;
  }

  #onExit(exit: WorkerExit | undefined, at: number): FoundTrouble | undefined {
    this.#isReady = false;
    // A reported exit counts itself, so the starts count only since then.
    this.#starts.length = 0;
    if (exit?.outOfDisk) return { kind: 'diskFull', sentence: DISK_FULL };
    if (exit?.outOfMemory !== true && (this.#isStopping || isStop(exit))) return undefined;
    const isLoop = isFrequent(this.#failures, at, LOOP_FAILURES);
    if (mayBeOutOfMemory(exit) && !this.#reported.has('outOfMemory')) return outOfMemory(exit);
    return isLoop ? crashLoop(exitText(exit)) : undefined;
  }

  #onUnreachable(reason: string): FoundTrouble | undefined {
    return this.#isReady ? undefined : nothingListens(reason);
  }
}

/** Adds a time, and returns whether the latest `times` times are close together. */
function isFrequent(latest: number[], at: number, times: number): boolean {
  latest.push(at);
  if (latest.length > times) latest.shift();
  return latest.length === times && at - (latest[0] ?? at) <= LOOP_MS;
}

function isStop({ code, signal }: WorkerExit = {}): boolean {
  return signal === undefined ? STOPPED_CODES.includes(code) : STOPPED_SIGNALS.includes(signal);
}

const DISK_FULL = l10n.t(
  'The worker filled its disk and was terminated. Remove files, or raise the disk size of the endpoint (disk).',
);

/** @param words words of a start problem */
function notStarted(words: string): FoundTrouble | undefined {
  const problem = startProblemOf(words);
  if (problem === undefined) return undefined;
  // The explanation of the endpoint has the commands that only some platforms have.
  const { headline, remedies } = startProblemWords(problem, 'local');
  return { kind: 'notStarted', sentence: [`${headline}.`, remedies[0]?.why].filter(Boolean).join(' ') };
}

function crashLoop(how: string): FoundTrouble {
  return {
    kind: 'crashLoop',
    sentence: l10n.t`The worker crashes repeatedly (${how}). The lines before each exit contain the cause.`,
  };
}

function outOfMemory(exit: WorkerExit | undefined): FoundTrouble {
  const remedy = l10n.t('Use less memory at once, or a worker with more memory.');
  return exit?.outOfMemory
    ? { kind: 'outOfMemory', sentence: l10n.t`The worker ran out of memory and was terminated. ${remedy}` }
    : {
        kind: 'outOfMemory',
        sentence: l10n.t`The worker was killed, which often means that it ran out of memory. ${remedy}`,
      };
}
