import { counted } from '../../agents/model/boundedOutput.ts';
import { keyRemover } from '../../account/withoutKeys.ts';
import { variable } from '../../contract/environment.ts';
import { GateError } from '../../features/gate/actions/gateError.ts';
import type { GatePlace } from '../../features/gate/actions/gateSide.ts';
import { RecordingError } from '../../features/gate/actions/readRecordings.ts';
import { runGate, type GateOptions, type GateProgress, type GateResult } from '../../features/gate/actions/runGate.ts';
import {
  jobLines,
  measurementNote,
  measurementRows,
  verdictWords,
  type Hide,
} from '../../features/gate/model/gateWords.ts';
import { plainLine } from '../../features/jobs/actions/workerLogSince.ts';
import { EnvironmentValues } from '../connection/environmentValues.ts';
import { readLocalText } from '../localFiles.ts';
import { CannotRunError, EXIT_CODES } from '../program/exitCodes.ts';
import type { Surroundings } from '../program/surroundings.ts';

export type GateSubject = Pick<GateOptions, 'manifest' | 'part' | 'environment' | 'base' | 'image' | 'jobs'>;

/** A result, and what removes the secrets that were used from its words. */
export interface HiddenResult {
  readonly result: GateResult;
  readonly hide: Hide;
}

/** Runs a gate on local platforms of its own. @throws CannotRunError */
export function runPrivateGate(subject: GateSubject, surroundings: Surroundings): Promise<HiddenResult> {
  return runGateOn({ kind: 'private', platformScript: surroundings.platformScript }, subject, surroundings);
}

/** Runs a gate with values of environment variables, and shows its progress. @throws CannotRunError if it cannot run */
export async function runGateOn(
  place: GatePlace,
  subject: GateSubject,
  surroundings: Surroundings,
): Promise<HiddenResult> {
  const { environment, signal } = surroundings;
  const values = new EnvironmentValues(environment);
  const used = new Set<string>();
  const hide: Hide = (text) => keyRemover([...used, ...values.used])(text);
  const secretOf = (name: string): string | undefined => {
    const value = variable(environment, name);
    if (value !== undefined) used.add(value);
    return value;
  };
  try {
    const result = await runGate({
      ...{ ...subject, place, values, secretOf, signal, readText: readLocalText },
      onProgress: (progress) => showProgress(progress, surroundings),
    });
    return { result, hide };
  } catch (error) {
    if (error instanceof GateError || error instanceof RecordingError)
      throw new CannotRunError(hide(error.message), EXIT_CODES.cannotTest);
    throw error;
  }
}

function showProgress(progress: GateProgress, { tell, show }: Surroundings): void {
  if (progress.kind === 'starting') tell('starting both versions of the worker');
  else show?.(`ran ${progress.done} of ${counted(progress.total, 'job')}`);
}

/** Returns the verdict, and the jobs with other results. */
export function verdictLines({ report, problems }: GateResult, hide: Hide): readonly string[] {
  const others = report.jobs.filter(({ outcome }) => outcome === 'differs' || outcome === 'notRun');
  return [
    ...problems.map(({ message }) => hide(message)),
    `${verdictWords(report)}.`,
    ...others.flatMap((job) => [`${job.name}:`, ...jobLines(job, hide).map((line) => `  ${line}`)]),
  ].map((line) => plainLine(line));
}

/** Returns the measurements as a table. */
export function measurementLines({ report, isStored }: GateResult): readonly string[] {
  const { before, after } = report;
  const rows: readonly (readonly [string, string, string])[] = [
    ['', before.label, after.label],
    ...measurementRows(report),
  ];
  const note = measurementNote(report);
  const width = (column: 0 | 1) => Math.max(...rows.map((row) => row[column].length));
  return [
    ...rows.map(([label, old, now]) => `${label.padEnd(width(0))}  ${old.padEnd(width(1))}  ${now}`),
    ...(note === undefined ? [] : ['', note]),
    ...(isStored ? [] : ['', 'The verdict is not stored, because it is not about the files and all jobs of the gate.']),
  ];
}
