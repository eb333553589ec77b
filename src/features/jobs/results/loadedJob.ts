import * as l10n from '@vscode/l10n';
import { workerDirectory } from '../../../account/endpoints/workerProcess.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';
import { isTerminal, type Job } from '../../../contract/job.ts';
import type { ConnectedJob } from '../actions/followedJob.ts';
import type { StoredJob } from '../model/storedJob.ts';
import type { JobDocument } from './jobAddress.ts';
import { imageOf, imagesIn, type ResultImage } from './resultImages.ts';
import { resultText, unavailableContent, type ResultText } from './resultText.ts';
import { StreamText } from './streamText.ts';
import { parseWorkerError } from '../../../contract/workerError.ts';
import { withoutControls } from '../../../text/shownText.ts';
import { statusWords, timesWords } from '../../../account/jobWords.ts';

/** Facts about a job apart from its state. */
export interface JobContext {
  readonly address: ConnectedJob;
  readonly stored: () => StoredJob | undefined;
  readonly endpoint: () => Endpoint | undefined;
}

/** A job whose documents were opened, with their content. */
export class LoadedJob {
  readonly #context: JobContext;
  #job: Job | undefined;
  #reason: string | undefined;
  #code: ExplanationCode | undefined;
  #result: ResultText | undefined;
  #images: readonly ResultImage[] | undefined;
  #stream: StreamText | undefined;
  #isStreamRead = false;

  constructor(context: JobContext) {
    this.#context = context;
  }

  get address(): ConnectedJob {
    return this.#context.address;
  }

  get stored(): StoredJob | undefined {
    return this.#context.stored();
  }

  /** Undefined if the job could not be read. */
  get job(): Job | undefined {
    return this.#job;
  }

  /** Whether the job has ended, so that it does not change anymore. */
  get isFinal(): boolean {
    return this.#job !== undefined && isTerminal(this.#job.status);
  }

  get stream(): StreamText | undefined {
    return this.#stream;
  }

  /** Whether all chunks of the stream are read. */
  get isStreamRead(): boolean {
    return this.#isStreamRead;
  }

  /** Content of the document of the result. */
  get result(): ResultText {
    this.#result ??= resultText(this.#content(), ({ value, place }) => imageOf(value, place) !== undefined);
    return this.#result;
  }

  get images(): readonly ResultImage[] {
    this.#images ??= imagesIn(this.#job?.output);
    return this.#images;
  }

  /** Reasons why the document of the result does not show what the user expects. */
  get codes(): readonly ExplanationCode[] {
    if (!this.#job) return this.#code ? [this.#code] : [];
    const { status, output } = this.#job;
    const isEmpty = status === 'COMPLETED' && (output === undefined || output === null) && !this.#stream;
    const { isCut, isShortened } = this.result;
    return [
      ...(isEmpty ? (['noOutput'] as const) : []),
      ...(isCut ? (['cut'] as const) : []),
      ...(isShortened ? (['shortened'] as const) : []),
    ];
  }

  /** Directory of the worker on this machine, if the endpoint runs a process. */
  get directory(): string | undefined {
    return workerDirectory(this.#context.endpoint());
  }

  take(job: Job): void {
    this.#set(job, undefined, undefined);
  }

  takeReason(reason: string, code: ExplanationCode | undefined): void {
    this.#set(code ? undefined : this.#job, reason, code);
  }

  /** Makes the next read ask the platform. A job that has ended is kept, because its result is still shown. */
  forget(): void {
    if (!this.isFinal) this.#set(undefined, undefined, undefined);
  }

  append(outputs: readonly unknown[]): void {
    this.#stream ??= new StreamText();
    this.#stream.append(outputs);
  }

  interruptStream(): void {
    this.#stream?.interrupt();
  }

  endStream(): void {
    this.#isStreamRead = true;
  }

  /** Returns the content of a document. Undefined if the job does not have it. */
  textOf({ part, image: number = 0 }: JobDocument): string | Uint8Array | undefined {
    switch (part) {
      case 'result':
        return `${this.result.text}\n`;
      case 'error':
        return this.#errorText();
      case 'stream':
        return this.#stream?.text ?? NO_STREAM;
      case 'image': {
        const image = this.images[number - 1];
        return image?.kind === 'embedded' ? Buffer.from(image.base64, 'base64') : undefined;
      }
    }
  }

  #errorText(): string {
    const { endpointId } = this.address;
    if (!this.#job) return `${this.#reason ?? ''}\n`;
    const name = this.#context.endpoint()?.name ?? this.stored?.endpointName;
    const endpoint = name === undefined ? endpointId : `${name} (${endpointId})`;
    return errorText({ job: this.#job, endpoint, directory: this.directory });
  }

  #content(): object {
    if (this.#job) return this.#job;
    const stored = this.#code === undefined ? undefined : this.stored;
    return unavailableContent(stored ?? { id: this.address.jobId }, this.#reason ?? '');
  }

  #set(job: Job | undefined, reason: string | undefined, code: ExplanationCode | undefined): void {
    this.#job = job;
    this.#reason = reason;
    this.#code = code;
    this.#result = undefined;
    this.#images = undefined;
  }
}

const NO_STREAM = l10n.t(
  'The chunks of this stream are no longer available, because the platform returns each chunk once.\n',
);

/**
 * Reason why a document does not show the output that the user expects.
 *
 * - `noOutput`: the job completed without an output.
 * - `expired`: the platform deleted a result that had been available.
 * - `removed`: the platform deleted a job that waited, for example because its queue was purged.
 * - `lost`: the platform deleted a job that was running.
 * - `unknown`: the platform does not have the job, and this editor did not submit it.
 * - `emptyInput`: the job was submitted with an empty input.
 * - `cut`: the document shows the beginning of a large result.
 * - `shortened`: the document shortens data URLs.
 */
export type ExplanationCode =
  'noOutput' | 'expired' | 'removed' | 'lost' | 'unknown' | 'emptyInput' | 'cut' | 'shortened';

export const explanations: Readonly<Record<ExplanationCode, string>> = {
  noOutput: l10n.t(
    'The job completed without an output. The worker returned nothing, or its output exceeded the limit of the platform.',
  ),
  expired: l10n.t(
    'The result has expired. Platforms keep a result for a limited time. This is the last state that the editor has seen.',
  ),
  removed: l10n.t(
    'The job is no longer in the queue. The queue was purged, or the job expired before a worker took it.',
  ),
  lost: l10n.t('The platform no longer has this job. It was running when the editor saw it last.'),
  unknown: l10n.t('This job does not exist on the connected platform.'),
  emptyInput: l10n.t(
    'The input of this job was empty. Hosted platforms drop an empty input, so the worker received none.',
  ),
  cut: l10n.t('The result is large. This document shows its beginning.'),
  shortened: l10n.t('Data URLs are shortened in this document.'),
};

/** Returns why the platform does not have a job. @param stored the job in the history of this editor */
export function goneCode(stored: StoredJob | undefined): ExplanationCode {
  if (!stored) return 'unknown';
  if (isTerminal(stored.status)) return 'expired';
  return stored.status === 'IN_QUEUE' ? 'removed' : 'lost';
}

interface ErrorFacts {
  readonly job: Job;
  /** Name of the endpoint, or its ID. */
  readonly endpoint: string;
  /** Directory of the worker on this machine. */
  readonly directory: string | undefined;
}

/** Returns whether an error has more to show than its message in one line. */
export function hasTraceback(error: unknown): boolean {
  const parsed = parseWorkerError(error);
  return parsed !== undefined && (parsed.traceback !== undefined || parsed.message.trim().includes('\n'));
}

/** Returns the readable text of a job's error: type, message, traceback, and the facts about the job. */
export function errorText({ job, endpoint, directory }: ErrorFacts): string {
  const error = parseWorkerError(job.error);
  const head = error
    ? [error.type, error.message.trim()].filter((part) => part !== undefined && part !== '').join(': ')
    : '';
  const facts = [
    [l10n.t('Job'), job.id],
    [l10n.t('Endpoint'), endpoint],
    [l10n.t('Worker'), job.workerId],
    [l10n.t('State'), timesWords(job)],
    [l10n.t('Directory'), directory],
  ].filter((fact): fact is [string, string] => fact[1] !== undefined);
  const width = Math.max(...facts.map(([name]) => name.length)) + 2;
  const paragraphs = [
    head === '' ? l10n.t`The job is ${statusWords(job.status)}. It has no error.` : head,
    ...(error?.traceback === undefined ? [] : [error.traceback.trimEnd()]),
    facts.map(([name, fact]) => `${name.padEnd(width)}${fact.replaceAll(/\s+/g, ' ')}`).join('\n'),
  ];
  return `${withoutControls(paragraphs.join('\n\n')).replaceAll('\r\n', '\n')}\n`;
}
