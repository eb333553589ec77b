import { randomInt } from 'node:crypto';
import * as l10n from '@vscode/l10n';
import { ApiError } from '../../../client/apiError.ts';
import type { Client } from '../../../client/client.ts';
import { callAfter, type Clock } from '../../../client/clock.ts';
import { cancelAndRead } from '../../../client/followToEnd.ts';
import { imageResultOf } from '../../../client/imageResult.ts';
import { runSync } from '../../../client/runSync.ts';
import type { ImageEditInput } from '../../../contract/imageEdit.ts';
import { IMAGE_EDIT_ENDPOINT_ID, MAX_RANDOM_SEED } from '../../../contract/imageModel.ts';
import { isTerminal, type Job } from '../../../contract/job.ts';
import { shown, type ShownText } from '../../../text/shownText.ts';
import { UserError } from '../../../kit/userError.ts';
import { parameterProblems, type ParameterProblem } from '../model/form.ts';
import type { EditParameters, EditSource, FinishedEdit, SentParameters } from '../model/imageEdit.ts';

/** Maximum duration of an edit with its time in the queue, in ms. */
export const EDIT_TIMEOUT_MS = 300_000;
/** Time for which the platform holds the first response, in ms. Until then the job has no ID, and cannot be canceled. */
const FIRST_WAIT_MS = 1_000;
/** Time in ms that a cancellation waits for the ID of the job. Platforms that ignore `wait` respond at the end of the edit. */
const ID_WAIT_MS = 5_000;
/** Seed with which the service chooses one. */
const SERVICE_CHOOSES = -1;

export interface EditImageOptions {
  readonly client: Client;
  readonly clock: Clock;
  /** Cancels the job on the platform when aborted. */
  readonly signal: AbortSignal;
  /** Called with each new state of the job. */
  readonly onJob?: ((job: Job) => void) | undefined;
  /** Called when the edit starts to wait for a rate limit, before it is sent. */
  readonly onWait?: (() => void) | undefined;
}

/** Parameters that the platform would refuse. Thrown before a request. */
export class InvalidParametersError extends UserError {
  readonly problems: readonly ParameterProblem[];

  constructor(problems: readonly ParameterProblem[]) {
    super(problems.map(({ message }) => message).join(' '));
    this.name = 'InvalidParametersError';
    this.problems = problems;
  }
}

/**
 * How an edit failed.
 *
 * - `failed`: the model could not edit the image, or refused it.
 * - `ended`: someone else canceled the job, or its time on the platform passed.
 * - `tooLong`: the edit did not end within `EDIT_TIMEOUT_MS`, and was canceled.
 * - `noImage`: the job completed without an image.
 */
export type EditFailure = 'failed' | 'ended' | 'tooLong' | 'noImage';

/** A job that ended without an edited image. */
export class EditFailedError extends UserError {
  readonly code: EditFailure;
  /** ID of the job. */
  readonly jobId: string;
  /** The platform's explanation, which is foreign text. Undefined if there is none. */
  readonly reason: string | undefined;

  constructor(code: EditFailure, { id, error }: Pick<Job, 'id' | 'error'>) {
    super(WORDS[code](error));
    this.name = 'EditFailedError';
    this.code = code;
    this.jobId = id;
    this.reason = error;
  }
}

/** The user canceled an edit, and the platform did not confirm it. The job may still run. */
export class UnconfirmedCancelError extends UserError {
  /** ID of the job. Undefined if the platform has not reported it. */
  readonly jobId: string | undefined;

  constructor(jobId: string | undefined) {
    super(l10n.t('the cancellation is not confirmed, so the edit may still run and be billed'));
    this.name = 'UnconfirmedCancelError';
    this.jobId = jobId;
  }
}

const WORDS: Readonly<Record<EditFailure, (reason: string | undefined) => ShownText>> = {
  failed: (reason) => (reason === undefined ? shown`the platform gave no reason` : shown`${reason}`),
  ended: (reason) => (reason === undefined ? shown`the job was canceled or timed out` : shown`${reason}`),
  tooLong: () => shown`the edit took longer than ${EDIT_TIMEOUT_MS / 1000} s`,
  noImage: () => shown`the job completed without an image`,
};

/**
 * Edits an image with the public model, and waits for the result. Chooses a random seed itself, because the service does not report the
 * seed that it chooses. An edit that completes before its cancellation reaches the platform is billed, so it is returned.
 *
 * @throws InvalidParametersError before the request
 * @throws EditFailedError if the job ends without an image
 * @throws UnconfirmedCancelError if the signal was aborted, and the platform did not confirm that the job ended
 * @throws ApiError of kind `canceled` after the signal was aborted, and of other kinds if the platform cannot be called
 */
export async function editImage(
  options: EditImageOptions,
  source: EditSource,
  parameters: EditParameters,
): Promise<FinishedEdit> {
  const problems = parameterProblems(parameters);
  if (problems.length > 0) throw new InvalidParametersError(problems);
  const isRandom = parameters.seed === 'random' || parameters.seed === SERVICE_CHOOSES;
  const seed = isRandom ? randomInt(MAX_RANDOM_SEED + 1) : parameters.seed;
  const sent = { ...parameters, seed };
  const job = await run(options, inputOf(source, sent));
  return finishedEdit(job, sent, options.clock.now());
}

/** Returns the input of the job that edits an image. Parameters that are left to the service are omitted. */
function inputOf(source: EditSource, parameters: SentParameters): ImageEditInput {
  const { prompt, negativePrompt, seed, format, safetyChecker } = parameters;
  return {
    prompt,
    image: source.kind === 'file' ? dataUrl(source) : source.url,
    ...(negativePrompt.trim() !== '' && { negative_prompt: negativePrompt }),
    ...(seed !== undefined && { seed }),
    ...(format !== undefined && { output_format: format }),
    ...(safetyChecker !== undefined && { enable_safety_checker: safetyChecker }),
  };
}

function dataUrl({ bytes, mediaType }: Extract<EditSource, { kind: 'file' }>): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return `data:${mediaType};base64,${buffer.toString('base64')}`;
}

/** Returns the last state of the job. Cancels it on the platform when the signal is aborted or the time limit passes. */
async function run({ client, clock, signal, onJob, onWait }: EditImageOptions, input: ImageEditInput): Promise<Job> {
  if (signal.aborted) throw new ApiError('canceled', 'canceled', { operation: 'runJobSync' });
  /** Time in ms since the epoch at which the request is sent again. Until then, the platform has no job. */
  let sentAt = -Infinity;
  const seen: { job?: Job } = {};
  const stop = new AbortController();
  let cancelWait = (): void => undefined;
  const onAbort = () => {
    // Without its ID, the job could not be canceled on the platform.
    if (seen.job || clock.now() < sentAt) stop.abort();
    else cancelWait = callAfter(clock, ID_WAIT_MS, () => stop.abort());
  };
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    const request = { endpointId: IMAGE_EDIT_ENDPOINT_ID, body: { input }, timeout: EDIT_TIMEOUT_MS };
    const job = await runSync(
      client,
      { ...request, longestWait: FIRST_WAIT_MS },
      {
        signal: stop.signal,
        onJob: (state) => {
          seen.job = state;
          onJob?.(state);
          if (signal.aborted) stop.abort();
        },
        onWait: ({ ms }) => {
          sentAt = clock.now() + ms;
          onWait?.();
          if (signal.aborted) stop.abort();
        },
      },
    );
    if (isTerminal(job.status)) return job;
    const ended = await cancelAndRead(client, { endpointId: IMAGE_EDIT_ENDPOINT_ID, jobId: job.id });
    if (ended.status === 'COMPLETED') return ended;
    throw new EditFailedError('tooLong', ended);
  } catch (error) {
    if (!(error instanceof ApiError && error.kind === 'canceled')) throw error;
    const address = seen.job && { endpointId: IMAGE_EDIT_ENDPOINT_ID, jobId: seen.job.id };
    if (!address && clock.now() < sentAt) throw error;
    const ended = address && (await cancelAndRead(client, address).catch(() => undefined));
    if (!ended || !isTerminal(ended.status)) throw new UnconfirmedCancelError(address?.jobId);
    if (ended.status === 'COMPLETED') return ended;
    throw error;
  } finally {
    cancelWait();
    signal.removeEventListener('abort', onAbort);
  }
}

function finishedEdit(job: Job, parameters: SentParameters, now: number): FinishedEdit {
  if (job.status === 'FAILED') throw new EditFailedError('failed', job);
  if (job.status !== 'COMPLETED') throw new EditFailedError('ended', job);
  const result = imageResultOf(job, now);
  if (!result) throw new EditFailedError('noImage', job);
  return {
    id: job.id,
    parameters,
    ...result,
    cost: result.cost,
    delayTime: job.delayTime,
    executionTime: job.executionTime,
    workerId: job.workerId,
  };
}
