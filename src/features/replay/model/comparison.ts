import path from 'node:path';
import * as l10n from '@vscode/l10n';
import type { Job } from '../../../contract/job.ts';
import type { RecordedJob } from '../../../contract/recordedJob.ts';
import { parseWorkerError } from '../../../contract/workerError.ts';
import { tracebackPlaces } from '../../../account/sourceLinks/tracebackPlaces.ts';
import { subsetMismatches } from '../../jobs/model/expectations/checkExpectations.ts';
import { MAX_MISMATCHES, pathText, type JsonPath } from '../../jobs/model/expectations/mismatch.ts';

/** The end of a job, as far as two ends are compared. */
export interface JobEnd {
  readonly status: string;
  readonly output?: unknown;
  readonly error?: unknown;
}

/** A part in which the replayed job differs from the recorded one. */
export interface EndDifference {
  readonly code: 'status' | 'errorType' | 'errorMessage' | 'output';
  /** Place in the result, such as `['output', 'text']`. */
  readonly path: JsonPath;
  readonly recorded: unknown;
  readonly replayed: unknown;
}

/**
 * How the end of a replayed job compares with the recorded one.
 *
 * - `same`: the same status, and the same type and message of the error, or the same output.
 * - `sameType`: the same type of error with another message, which can contain a time or an ID.
 * - `different`: another status, another type of error, or another output.
 */
export interface Comparison {
  readonly verdict: 'same' | 'sameType' | 'different';
  readonly differences: readonly EndDifference[];
}

export function endOfRecording({ result }: Pick<RecordedJob, 'result'>): JobEnd {
  const { status, output, error } = result;
  return { status, output, error };
}

export function compareEnds(recorded: JobEnd, replayed: JobEnd): Comparison {
  if (recorded.status !== replayed.status)
    return different([
      { code: 'status', path: ['status'], recorded: recorded.status, replayed: replayed.status },
      ...errorDifferences(recorded, replayed),
    ]);
  const differences =
    recorded.status === 'COMPLETED' ? outputDifferences(recorded, replayed) : errorDifferences(recorded, replayed);
  if (differences.length === 0) return { verdict: 'same', differences };
  const type = parseWorkerError(recorded.error)?.type;
  const isSameType =
    type !== undefined && !GENERAL_TYPES.includes(type) && differences.every(({ code }) => code === 'errorMessage');
  return isSameType ? { verdict: 'sameType', differences } : different(differences);
}

/** Types of errors of any cause. */
const GENERAL_TYPES: readonly string[] = ['Error', 'Exception'];

const different = (differences: readonly EndDifference[]): Comparison => ({ verdict: 'different', differences });

/** Compares the parts of errors that the protocol of workers defines. A traceback contains paths of the machine, and is not compared. */
function errorDifferences({ error: recorded }: JobEnd, { error: replayed }: JobEnd): EndDifference[] {
  const [before, after] = [parseWorkerError(recorded), parseWorkerError(replayed)];
  const differences: EndDifference[] = [];
  if (before?.type !== after?.type)
    differences.push({ code: 'errorType', path: ['error'], recorded: before?.type, replayed: after?.type });
  if (before?.message !== after?.message)
    differences.push({ code: 'errorMessage', path: ['error'], recorded: before?.message, replayed: after?.message });
  return differences;
}

/** Returns the places in which the outputs differ. Platforms omit an output of null. */
function outputDifferences({ output: recorded = null }: JobEnd, { output: replayed = null }: JobEnd): EndDifference[] {
  const missing = subsetMismatches(recorded, replayed, ['output']);
  const known = new Set(missing.map(({ path }) => JSON.stringify(path)));
  const added = subsetMismatches(replayed, recorded, ['output']).filter(({ path }) => !known.has(JSON.stringify(path)));
  return [
    ...missing.map(({ path, expected, actual }) => ({ path, recorded: expected, replayed: actual })),
    ...added.map(({ path, expected, actual }) => ({ path, recorded: actual, replayed: expected })),
  ]
    .slice(0, MAX_MISMATCHES)
    .map((difference): EndDifference => ({ code: 'output', ...difference }));
}

/** The place at which an exception was thrown. */
export interface FailingPlace {
  readonly path: string;
  /** From 1. */
  readonly line: number;
}

/**
 * Returns the place that the traceback of an error names as its origin, preferably in the directory of the worker: the last one of Python, and
 * the first one of Node.js. Undefined if the error has no traceback.
 */
export function failingPlace(error: unknown, directory?: string): FailingPlace | undefined {
  const traceback = parseWorkerError(error)?.traceback;
  if (traceback === undefined) return undefined;
  const places = tracebackPlaces(traceback);
  const nearestFirst = traceback.trimStart().startsWith(PYTHON) ? places.toReversed() : places;
  const own = nearestFirst.find(({ path }) => directory !== undefined && isOwn(directory, path));
  const place = own ?? nearestFirst[0];
  return place && { path: place.path, line: place.line };
}

/** First line of the tracebacks of Python. */
const PYTHON = 'Traceback (most recent call last)';

/** Folders of libraries, and the start of a name without a file, such as `<string>`. */
const FOREIGN = /\/(?:node_modules|site-packages)\/|^</;

/** Returns whether a file is one of the worker. A path is relative to its directory, such as that of the handler under debugpy. */
function isOwn(directory: string, file: string): boolean {
  if (FOREIGN.test(file)) return false;
  return !path.isAbsolute(file) || file.startsWith(directory.endsWith('/') ? directory : `${directory}/`);
}

/** Returns an error in one line, such as `KeyError: 'text' at handler.py:12`. Undefined for a job without an error. */
export function errorSummary({ error }: Pick<Job, 'error'>, directory?: string): string | undefined {
  const parsed = parseWorkerError(error);
  if (!parsed) return undefined;
  const head = [parsed.type, parsed.message.trim()].filter((part) => part !== undefined && part !== '').join(': ');
  const place = failingPlace(error, directory);
  const name = place?.path.split(/[\\/]/).at(-1);
  return place ? `${head} at ${name ?? ''}:${place.line}` : head;
}

const LONGEST_VALUE = 200;

/** Returns a difference in one line. */
export function differenceText({ code, path, recorded, replayed }: EndDifference): string {
  const [before, after] = [valueText(recorded), valueText(replayed)];
  switch (code) {
    case 'status':
      return l10n.t`status: recorded ${before}, now ${after}`;
    case 'errorType':
      return l10n.t`type of the error: recorded ${before}, now ${after}`;
    case 'errorMessage':
      return l10n.t`message of the error: recorded ${before}, now ${after}`;
    case 'output':
      return l10n.t`${pathText(path)}: recorded ${before}, now ${after}`;
  }
}

function valueText(value: unknown): string {
  const text = value === undefined ? l10n.t('nothing') : JSON.stringify(value);
  return text.length <= LONGEST_VALUE ? text : `${text.slice(0, LONGEST_VALUE - 1)}…`;
}
