import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as l10n from '@vscode/l10n';
import type { Client } from '../../../client/client.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';
import { parseImageReference } from '../../../contract/imageReference.ts';
import { isTerminal, JOB_STATUSES, type Job } from '../../../contract/job.ts';
import { PROCESS_IMAGE_PREFIX } from '../../../contract/processImage.ts';
import { RecordedJob } from '../../../contract/recordedJob.ts';
import { replaceFile } from '../../../kit/replaceFile.ts';
import { SHORTEST_SECRET } from '../../../text/keyPatterns.ts';
import { UserError } from '../../../kit/userError.ts';
import { readJobTrace } from '../../jobs/actions/readJobLife.ts';
import { ValueRecorder, type RecordedFile, type Replacement } from '../model/recordedValue.ts';
import { recordingsFolder } from '../../manifest/model/deployment/recordingsFolder.ts';
import { recordingFileName, recordingName } from '../model/recordingFiles.ts';
import { readLocalDifferences, readLocalJob, type RepeatableRequest } from './readLocalJob.ts';

/** An ended job to record. */
export interface JobToRecord {
  readonly endpointId: string;
  readonly jobId: string;
  /** The request, as the editor or the local platform stored it, or as the file of the job has it. */
  readonly request: RepeatableRequest;
  /** Time of the submission, in ms since the epoch. */
  readonly submittedAt: number;
  /** Path of the manifest of the endpoint. */
  readonly manifest: string;
  /** Known secrets and their names. */
  readonly secrets: ReadonlyMap<string, string>;
  /** Values that are no secrets, although the names of their members look like it: `pathKey` of their paths. */
  readonly kept?: ReadonlySet<string>;
}

export interface RecordServices {
  readonly client: Client;
  /** Whether the platform is the local one. */
  readonly isLocal: boolean;
  readonly signal?: AbortSignal;
}

/** A recording that is not written yet, which the user can check. */
export interface PreparedRecording {
  /** Path of the recording. */
  readonly file: string;
  /** Content of the recording. */
  readonly text: string;
  readonly recorded: RecordedJob;
  /** Files beside the recording. */
  readonly files: readonly RecordedFile[];
  /** Values that references replace. */
  readonly replacements: readonly Replacement[];
}

/**
 * Reads an ended job and returns its recording. Neither the recording nor its files contain a secret.
 *
 * @throws UserError if the job has not ended, or cannot be recorded without a secret
 * @throws ApiError if the job or its endpoint cannot be read
 */
export async function prepareRecording(job: JobToRecord, services: RecordServices): Promise<PreparedRecording> {
  const { client, isLocal, signal } = services;
  const { endpointId, jobId, request, manifest } = job;
  const options = signal ? { signal } : {};
  const [state, endpoint, local] = await Promise.all([
    client.getJobStatus({ endpointId, jobId }, options),
    client.getEndpoint({ id: endpointId }, options),
    isLocal ? readLocalJob(client, job, signal) : undefined,
  ]);
  if (!isTerminal(state.status)) throw new UserError(l10n.t('the job has not ended, so it has no result to record'));
  // The endpoint can have another image since.
  const image = local?.image ?? endpoint.image ?? '';
  const recorder = new ValueRecorder({ ...job, name: recordingName(jobId) });
  const input = recorder.input(request.input);
  const recorded = RecordedJob.parse({
    version: 1,
    endpoint: recorder.hidden(endpoint.name),
    submittedAt: new Date(job.submittedAt).toISOString(),
    request: { input, ...policyOf(request) },
    result: resultOf(recorder, state),
    worker: {
      image: recorder.hidden(portableImage(image, path.dirname(manifest))),
      ...digestOf(image, local?.digest),
      ...(await releaseOf(job, services)),
      environment: Object.keys(endpoint.env ?? {}).map((name) => recorder.hidden(name)),
      volumes: volumesOf(endpoint),
    },
    ...(isLocal && (await localDifferences(recorder, services))),
  });
  const text = `${JSON.stringify(recorded, null, 2)}\n`;
  const { files, replacements } = recorder;
  checkNoSecret([text, ...files.map(({ content }) => Buffer.from(content).toString('latin1'))], recorder.secrets);
  return { file: path.join(recordingsFolder(manifest), recordingFileName(jobId)), text, recorded, files, replacements };
}

/** Writes a recording and its files. An earlier recording of the job is replaced. @throws the errors of the file system */
export async function writeRecording({ file, text, files }: PreparedRecording): Promise<void> {
  const folder = path.dirname(file);
  await mkdir(folder, { recursive: true });
  for (const { name, content } of files) await writeFile(path.join(folder, name), content);
  // The recording is last, so that its files exist.
  await replaceFile(file, (write) => write(text));
  const kept = new Set(files.map(({ name }) => name));
  await removeFiles(file, (name) => !kept.has(name));
}

/** Deletes a recording and its files. @throws the errors of the file system */
export async function removeRecording(file: string): Promise<void> {
  await rm(file, { force: true });
  await removeFiles(file, () => true);
}

/** Deletes files of a recording, which have its name and a number. */
async function removeFiles(recording: string, isRemoved: (name: string) => boolean): Promise<void> {
  const folder = path.dirname(recording);
  const [jobName = ''] = path.basename(recording).split('.');
  for (const name of await readdir(folder)) {
    const [start, number = '', ...rest] = name.split('.');
    if (start === jobName && /^\d+$/.test(number) && rest.length === 1 && isRemoved(name))
      await rm(path.join(folder, name), { force: true });
  }
}

function policyOf({ policy }: RepeatableRequest): Pick<RepeatableRequest, 'policy'> {
  if (!policy) return {};
  const { executionTimeout, ttl, lowPriority } = policy;
  return { policy: { executionTimeout, ttl, lowPriority } };
}

function resultOf(recorder: ValueRecorder, { status, output, error, delayTime, executionTime }: Job) {
  return {
    status: JOB_STATUSES.find((known) => known === status) ?? 'FAILED',
    ...(output !== undefined && { output: recorder.result(output, ['output']) }),
    ...(error !== undefined && { error: recorder.result(error, ['error']) }),
    ...(delayTime !== undefined && { delayTimeMs: Math.max(0, delayTime) }),
    ...(executionTime !== undefined && { executionTimeMs: Math.max(0, executionTime) }),
  };
}

/** Returns an image with a directory that other machines can have, too. */
function portableImage(image: string, folder: string): string {
  if (!image.startsWith(PROCESS_IMAGE_PREFIX)) return image;
  const directory = path.relative(folder, image.slice(PROCESS_IMAGE_PREFIX.length));
  return PROCESS_IMAGE_PREFIX + directory.split(path.sep).join('/');
}

/** @param ran digest of the image that ran the job, if the platform knows it */
function digestOf(image: string, ran: string | undefined): { readonly digest?: string } {
  const digest = ran ?? parseImageReference(image)?.digest;
  return digest === undefined ? {} : { digest };
}

function volumesOf({ networkVolumes, mounts }: Endpoint): readonly string[] {
  const mounted = [...(mounts?.network ?? []), ...(mounts?.global ?? [])].map(({ volumeId }) => volumeId);
  return [...new Set([...networkVolumes, ...mounted])];
}

/** Returns the release that ran the job, if the platform records it. */
async function releaseOf({ jobId: id, endpointId }: JobToRecord, { client, signal }: RecordServices) {
  const read = await readJobTrace({ client, job: { id, endpointId }, ...(signal && { signal }) });
  const release = read?.trace.spans.findLast((span) => span.kind === 'running')?.release;
  return release === undefined ? {} : { release };
}

/** Returns how the local platform differs from its usual behavior. */
async function localDifferences(
  recorder: ValueRecorder,
  { client, signal }: RecordServices,
): Promise<Pick<RecordedJob, 'local'>> {
  const local = await readLocalDifferences(client, signal);
  return local ? { local: { ...local, faults: recorder.result(local.faults, ['faults']) as unknown[] } } : {};
}

/** Checks the texts that are written, as the last step. @throws UserError */
function checkNoSecret(texts: readonly string[], secrets: readonly string[]): void {
  // A shorter secret occurs in hashes and numbers.
  const long = secrets.filter(({ length }) => length >= SHORTEST_SECRET);
  const forms = long.flatMap((value) => [value, JSON.stringify(value).slice(1, -1)]);
  if (texts.some((text) => forms.some((form) => text.includes(form))))
    throw new UserError(
      l10n.t('the job cannot be recorded, because a secret occurs in a place that cannot be replaced'),
    );
}
