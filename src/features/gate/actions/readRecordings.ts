import { createHash } from 'node:crypto';
import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { ruleMessage } from '../../../account/contractText.ts';
import { isTerminal, type JobInput, type JobRequest } from '../../../contract/job.ts';
import {
  FILE_REFERENCE,
  FileReference,
  LITERAL_OBJECT,
  LiteralObject,
  RECORDING_SUFFIX,
  RecordedJob,
  SECRET_REFERENCE,
  SecretReference,
} from '../../../contract/recordedJob.ts';
import { parseJson } from '../../../contract/parsedJson.ts';
import { checkShape } from '../../../contract/shapeCheck.ts';
import { UserError } from '../../../kit/userError.ts';
import { shown, type ShownText } from '../../../text/shownText.ts';
import { dataUrl } from '../../jobs/model/dataUrl.ts';
import { recordingsFolder } from '../../manifest/model/deployment/recordingsFolder.ts';
import { nameOfRecording } from '../model/recordingFiles.ts';

/** Maximum sizes of a recording, and of one file beside it, in bytes. A request can have 20 MB. */
const MAX_BYTES = 24 * 1_048_576;
/** Maximum number of levels of an input. */
const MAX_DEPTH = 400;

/** A valid recording. Its files are not checked yet. */
export interface Recording {
  /** Path of the recording. */
  readonly file: string;
  /** Name of the recording without its ending: the ID of the job, unless a file system cannot have it. */
  readonly name: string;
  readonly recorded: RecordedJob;
}

/** Reasons why a recording cannot be used. */
export type RecordingProblem =
  | 'unreadable'
  | 'tooLarge'
  | 'notJson'
  | 'unknownVersion'
  | 'invalid'
  | 'outside'
  | 'missingFile'
  | 'wrongHash'
  | 'missingSecret';

/** A recording that cannot be used. */
export class RecordingError extends UserError {
  readonly code: RecordingProblem;
  /** Path of the recording. */
  readonly file: string;
  /** Names of secrets without a value, for `missingSecret`. */
  readonly secrets: readonly string[];

  constructor(code: RecordingProblem, file: string, words: ShownText, secrets: readonly string[] = []) {
    super(shown`${path.basename(file)}: ${words}`);
    this.name = 'RecordingError';
    this.code = code;
    this.file = file;
    this.secrets = secrets;
  }
}

/** Returns the recordings of a manifest, the oldest job first, and the errors of the others. An absent folder has none. */
export async function readRecordings(
  manifest: string,
): Promise<{ readonly recordings: readonly Recording[]; readonly problems: readonly RecordingError[] }> {
  const folder = recordingsFolder(manifest);
  const names = await readdir(folder).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  });
  const recordings: Recording[] = [];
  const problems: RecordingError[] = [];
  for (const name of names.filter((one) => one.endsWith(RECORDING_SUFFIX)).sort()) {
    try {
      recordings.push(await readRecording(path.join(folder, name)));
    } catch (error) {
      if (!(error instanceof RecordingError)) throw error;
      problems.push(error);
    }
  }
  // A date-time without an offset sorts by its text.
  recordings.sort((a, b) => Date.parse(a.recorded.submittedAt) - Date.parse(b.recorded.submittedAt));
  return { recordings, problems };
}

/** Reads a recording, without its files. @throws RecordingError */
export async function readRecording(file: string): Promise<Recording> {
  const text = (await readBounded(file, file, 'unreadable')).toString('utf8').replace(/^\ufeff/, '');
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new RecordingError('notJson', file, shown`it is not a JSON object`);
  const { version } = value as { readonly version?: unknown };
  if (typeof version === 'number' && version !== 1)
    throw new RecordingError('unknownVersion', file, shown`a newer version of the extension wrote it`);
  const { data: recorded, violations } = checkShape(RecordedJob, value);
  if (!recorded) {
    const [violation] = violations;
    throw new RecordingError('invalid', file, shown`${violation.path.join('.')}: ${ruleMessage(violation)}`);
  }
  if (!isTerminal(recorded.result.status))
    throw new RecordingError('invalid', file, shown`result.status: the job has not ended`);
  return { file, name: nameOfRecording(file), recorded };
}

/** Returns the names of the secrets that a recorded job needs. @throws RecordingError */
export function secretsOf({ file, recorded }: Recording): readonly string[] {
  const names = new Set<string>();
  const visit = (value: unknown, depth: number): void => {
    const kind = kindOf(value, file, depth);
    if (kind.kind === 'secret') names.add(kind.reference[SECRET_REFERENCE]);
    else if (kind.kind === 'other') for (const item of childrenOf(kind.value)) visit(item, depth + 1);
  };
  visit(recorded.request.input, 0);
  return [...names];
}

/**
 * Returns the request of a recorded job with the values of its references.
 *
 * @param secretOf returns the value of a secret, or undefined if it has none
 * @throws RecordingError
 */
export async function requestOfRecording(
  { file, recorded }: Recording,
  secretOf: (name: string) => string | undefined | PromiseLike<string | undefined>,
): Promise<JobRequest> {
  const missing = new Set<string>();
  const restored = async (value: unknown, depth: number): Promise<unknown> => {
    const found = kindOf(value, file, depth);
    switch (found.kind) {
      case 'secret': {
        const { [SECRET_REFERENCE]: name, type } = found.reference;
        const secret = await secretOf(name);
        if (secret === undefined) missing.add(name);
        return type === 'number' ? Number(secret) : secret;
      }
      case 'file':
        return contentOf(file, found.reference);
      case 'other': {
        if (Array.isArray(found.value)) return inTurn(found.value, (item) => restored(item, depth + 1));
        if (typeof found.value !== 'object' || found.value === null) return found.value;
        const members = await inTurn(Object.entries(found.value), async ([name, content]) => [
          name,
          await restored(content, depth + 1),
        ]);
        return Object.fromEntries(members as [string, unknown][]);
      }
    }
  };
  const input = await restored(recorded.request.input, 0);
  if (missing.size > 0) {
    const names = [...missing];
    throw new RecordingError('missingSecret', file, shown`no value for the secrets ${names.join(', ')}`, names);
  }
  const { policy } = recorded.request;
  return { input: input as JobInput, ...(policy && { policy }) };
}

/** Awaits the results one after the other, so that few files are open. */
async function inTurn<Item, Result>(items: readonly Item[], act: (item: Item) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  for (const item of items) results.push(await act(item));
  return results;
}

type Kind =
  | { readonly kind: 'secret'; readonly reference: SecretReference }
  | { readonly kind: 'file'; readonly reference: FileReference }
  | { readonly kind: 'other'; readonly value: unknown };

/** Returns what a recorded value stands for. @throws RecordingError for an incomplete reference, and for a value that is nested too deeply */
function kindOf(value: unknown, file: string, depth: number): Kind {
  if (depth > MAX_DEPTH) throw new RecordingError('invalid', file, shown`the input is nested too deeply`);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { kind: 'other', value };
  const invalid = (name: string) =>
    new RecordingError('invalid', file, shown`an object with “${name}” is not a valid reference`);
  if (Object.hasOwn(value, LITERAL_OBJECT)) {
    const { data } = LiteralObject.safeParse(value);
    if (!data) throw invalid(LITERAL_OBJECT);
    return { kind: 'other', value: data[LITERAL_OBJECT] };
  }
  if (Object.hasOwn(value, SECRET_REFERENCE)) {
    const { data: reference } = SecretReference.safeParse(value);
    if (!reference) throw invalid(SECRET_REFERENCE);
    return { kind: 'secret', reference };
  }
  if (Object.hasOwn(value, FILE_REFERENCE)) {
    const { data: reference } = FileReference.safeParse(value);
    if (!reference) throw invalid(FILE_REFERENCE);
    return { kind: 'file', reference };
  }
  return { kind: 'other', value };
}

function childrenOf(value: unknown): readonly unknown[] {
  return typeof value === 'object' && value !== null ? Object.values(value) : [];
}

/** Returns the text that a file beside a recording stands for. @throws RecordingError */
async function contentOf(file: string, { [FILE_REFERENCE]: name, sha256, mediaType }: FileReference): Promise<string> {
  const folder = path.dirname(file);
  const outside = () =>
    new RecordingError('outside', file, shown`the file “${name}” is not in the folder of the recording`);
  if (/[\\:\0]/.test(name) || path.posix.isAbsolute(name) || name.split('/').includes('..')) throw outside();
  const place = path.join(folder, name);
  const [real, realFolder] = await Promise.all([realpath(place).catch(() => undefined), realpath(folder)]);
  if (real === undefined) throw new RecordingError('missingFile', file, shown`the file “${name}” does not exist`);
  // A link can lead elsewhere.
  const relative = path.relative(realFolder, real);
  if (relative.startsWith('..') || path.isAbsolute(relative)) throw outside();
  const content = await readBounded(file, real, 'missingFile');
  if (createHash('sha256').update(content).digest('hex') !== sha256)
    throw new RecordingError('wrongHash', file, shown`the file “${name}” has changed since the job was recorded`);
  return mediaType === undefined ? content.toString('utf8') : dataUrl(mediaType, content);
}

/** @param recording path of the recording that the error names */
async function readBounded(recording: string, file: string, otherwise: 'unreadable' | 'missingFile'): Promise<Buffer> {
  try {
    const facts = await stat(file);
    if (!facts.isFile()) throw new RecordingError(otherwise, recording, shown`${path.basename(file)} is not a file`);
    if (facts.size > MAX_BYTES)
      throw new RecordingError('tooLarge', recording, shown`${path.basename(file)} is too large`);
    return await readFile(file);
  } catch (error) {
    if (error instanceof RecordingError) throw error;
    throw new RecordingError(otherwise, recording, shown`it cannot be read (${(error as Error).message})`);
  }
}
