import type { JobRequest } from '../../../contract/job.ts';
import type { RecordedJob } from '../../../contract/recordedJob.ts';
import { requestOfRecording, secretsOf } from '../../gate/actions/readRecordings.ts';
import { endOfRecording, type JobEnd } from '../model/comparison.ts';

/** A job to replay: a recording, or a job that is described like one. */
export interface ReplaySubject {
  readonly recorded: RecordedJob;
  /** Path of the recording. Undefined for a job without a recording, whose input contains no references. */
  readonly file?: string | undefined;
}

/** Mark in place of a hidden value, as `hideSecrets` writes it. */
const MARK = '…';

/** Returns the names of the secrets that the input needs. @throws RecordingError */
export function secretsOfSubject({ recorded, file }: ReplaySubject): readonly string[] {
  return file === undefined ? [] : secretsOf({ file, name: '', recorded });
}

/** Returns the request with the values of its references. @throws RecordingError */
export async function requestOfSubject(
  { recorded, file }: ReplaySubject,
  secrets: ReadonlyMap<string, string>,
): Promise<Pick<JobRequest, 'input' | 'policy'>> {
  if (file === undefined) return recorded.request;
  return requestOfRecording({ file, name: '', recorded }, (name) => secrets.get(name));
}

/** Returns the recorded end with the contents of its files, and with marks in place of its secrets. @throws RecordingError */
export async function endOfSubject({ recorded, file }: ReplaySubject): Promise<JobEnd> {
  const { status, ...parts } = endOfRecording(recorded);
  if (file === undefined) return { status, ...parts };
  // The parts of a result have the same references as an input.
  const { input } = await requestOfRecording(
    { file, name: '', recorded: { ...recorded, request: { input: withoutUndefined(parts) } } },
    () => MARK,
  );
  return { status, output: input['output'], error: input['error'] };
}

function withoutUndefined(parts: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined));
}
