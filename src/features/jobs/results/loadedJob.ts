import * as l10n from '@vscode/l10n';
import { workerDirectory } from '../../sourceLinks/workerDirectory.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';
import { isTerminal, type Job } from '../../../contract/job.ts';
import type { StoredJob } from '../jobHistoryStore.ts';
import { errorText } from './errorText.ts';
import type { ExplanationCode } from './explanations.ts';
import { partPath, type ConnectedJob, type JobPart } from './jobAddress.ts';
import { imageOf, imagesIn, type ResultImage } from './resultImages.ts';
import { resultText, unavailableContent, type ResultText } from './resultText.ts';
import { StreamText } from './streamText.ts';

/** Facts about a job apart from its state. */
export interface JobContext {
  readonly address: ConnectedJob;
  readonly now: () => number;
  readonly stored: () => StoredJob | undefined;
  readonly endpoint: () => Endpoint | undefined;
}

/** A job whose documents were opened, with their content. */
export class LoadedJob {
  readonly #context: JobContext;
  #job: Job | undefined;
  #reason: string | undefined;
  #code: ExplanationCode | undefined;
  #mtime = 0;
  #result: ResultText | undefined;
  #images: readonly ResultImage[] | undefined;
  #stream: StreamText | undefined;
  #isStreamRead = false;

  constructor(context: JobContext) {
    this.#context = context;
    this.touch();
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

  /** Time of the last change, in ms since the epoch. */
  get mtime(): number {
    return this.#mtime;
  }

  get stream(): StreamText | undefined {
    return this.#stream;
  }

  /** Whether all chunks of the stream are read. */
  get isStreamRead(): boolean {
    return this.#isStreamRead;
  }

  /** Paths of the text documents. */
  get paths(): readonly string[] {
    return (['result', 'error', 'stream'] as const).map((part) => partPath(this.address, part));
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
    return workerDirectory(this.#context.endpoint()?.image);
  }

  /** Returns whether the document of the result changes. */
  take(job: Job): boolean {
    const before = this.#result?.text;
    this.#job = job;
    this.#reason = undefined;
    this.#code = undefined;
    return this.#reset(before);
  }

  takeReason(reason: string, code: ExplanationCode | undefined): boolean {
    const before = this.#result?.text;
    if (code) this.#job = undefined;
    this.#reason = reason;
    this.#code = code;
    return this.#reset(before);
  }

  /** Makes the next read ask the platform. A job that has ended is kept, because its result is still shown. */
  forget(): void {
    if (this.#job && isTerminal(this.#job.status)) return;
    this.#job = undefined;
    this.#result = undefined;
    this.touch();
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

  /** The editor reloads a file only if its modification time has changed. */
  touch(): void {
    this.#mtime = Math.max(this.#context.now(), this.#mtime + 1);
  }

  /** Returns the content of a document. Undefined if the job does not have it. */
  bytesOf(part: JobPart): Uint8Array | undefined {
    if (typeof part === 'object') {
      const image = this.images[part.image - 1];
      return image?.kind === 'embedded' ? Buffer.from(image.base64, 'base64') : undefined;
    }
    switch (part) {
      case 'result':
        return Buffer.from(`${this.result.text}\n`);
      case 'error':
        return Buffer.from(this.#errorText());
      case 'stream':
        return Buffer.from(this.#stream?.text ?? NO_STREAM);
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

  #reset(before: string | undefined): boolean {
    this.#result = undefined;
    this.#images = undefined;
    const changed = before === undefined || before !== this.result.text;
    if (changed) this.touch();
    return changed;
  }
}

const NO_STREAM = l10n.t(
  'The chunks of this stream are no longer available, because the platform returns each chunk once.\n',
);
