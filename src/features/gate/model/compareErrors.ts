import { parseWorkerError } from '../../../contract/workerError.ts';
import { boundedValue, type OutputDifference, type Tolerance } from './compareOutputs.ts';
import { textDifference } from './textDifference.ts';

/** The error of a job that did not complete. */
export interface JobError {
  /** Value of `error`. Undefined if the job has none. */
  readonly error: unknown;
  /** Texts that are different in each run, such as the ID of the job. The error may contain them. */
  readonly own: readonly string[];
}

/**
 * Compares the errors of a job that fails on both versions of a worker: their types, and their messages with the tolerance for texts. Tracebacks
 * are not compared, because an edit moves lines.
 */
export function compareErrors(before: JobError, after: JobError, tolerance: Tolerance = {}): OutputDifference[] {
  const [old, now] = [parseWorkerError(before.error), parseWorkerError(after.error)];
  const differences: OutputDifference[] = [];
  if (old?.type !== now?.type)
    differences.push({ kind: 'errorType', path: [], before: old?.type ?? null, after: now?.type ?? null });
  const messages = [old?.message.trim() ?? '', now?.message.trim() ?? ''] as const;
  const fraction = textDifference(withoutOwn(messages[0], before.own), withoutOwn(messages[1], after.own));
  if (fraction > (tolerance.text ?? 0))
    differences.push({
      kind: 'errorMessage',
      path: [],
      ...{ before: boundedValue(messages[0]), after: boundedValue(messages[1]) },
      fraction,
    });
  return differences;
}

/** Returns the error of a job in one line, without its traceback. Undefined for a job without an error. */
export function errorLine(error: unknown): string | undefined {
  const parsed = parseWorkerError(error);
  return parsed && [parsed.type, parsed.message.trim()].filter((part) => part !== undefined && part !== '').join(': ');
}

/** Returns the paths in which two directories differ: without their common end, so that the files of a version are below its path. */
export function ownRoots(before: string, after: string): readonly [string, string] {
  const [first, second] = [before, after].map((directory) => directory.split(/[\\/]/)) as [string[], string[]];
  while (first.length > 1 && second.length > 1 && first.at(-1) === second.at(-1)) {
    first.pop();
    second.pop();
  }
  return [before.slice(0, first.join('/').length), after.slice(0, second.join('/').length)];
}

function withoutOwn(message: string, own: readonly string[]): string {
  return own.filter((text) => text !== '').reduce((rest, text) => rest.replaceAll(text, '…'), message);
}
