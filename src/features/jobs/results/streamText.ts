import * as l10n from '@vscode/l10n';
import { dataSize } from '../../../text/quantities.ts';

/** Maximum length of the shown text, in UTF-16 code units. */
export const MAX_STREAM_CHARACTERS = 4 * 1024 * 1024;
/** Part of the maximum that stays when text is removed. Removing much at a time changes the document less often. */
const KEPT = 0.75;
const MAX_NOTE = 100;

/** Text of the chunks of a job: strings as they are, and each other value as a line of JSON. */
export class StreamText {
  #text = '';
  #bytes = 0;
  #chunks = 0;
  #removedBytes = 0;
  #hasEnded = false;

  get text(): string {
    return this.#removedBytes === 0
      ? this.#text
      : l10n.t`— The first ${dataSize(this.#removedBytes)} are left out. —\n${this.#text}`;
  }

  /** Length of the shown text, in UTF-16 code units. */
  get length(): number {
    return this.#text.length;
  }

  get chunks(): number {
    return this.#chunks;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  append(outputs: readonly unknown[]): void {
    for (const output of outputs) {
      const chunk = typeof output === 'string' ? output : `${JSON.stringify(output)}\n`;
      if (typeof output !== 'string') this.#startLine();
      this.#text += chunk;
      this.#chunks++;
      this.#bytes += Buffer.byteLength(typeof output === 'string' ? output : chunk.slice(0, -1));
      this.#bound();
    }
  }

  /** Adds a note that chunks may have been lost. */
  interrupt(): void {
    this.#startLine();
    this.#text += l10n.t('— The connection was interrupted. Chunks may be missing here. —\n');
  }

  /** Adds the last line. @param outcome state of the job in words, such as `completed` */
  end(outcome: string): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#startLine();
    const words = outcome.charAt(0).toUpperCase() + outcome.slice(1);
    this.#text += `\n— ${words}: ${this.#chunks === 1 ? l10n.t('1 chunk') : l10n.t`${this.#chunks} chunks`}, ${dataSize(this.#bytes)} —\n`;
  }

  #startLine(): void {
    if (this.#text !== '' && !this.#text.endsWith('\n')) this.#text += '\n';
  }

  /** Removes the oldest text, up to the end of a line if one is near. */
  #bound(): void {
    const most = MAX_STREAM_CHARACTERS - MAX_NOTE;
    if (this.#text.length <= most) return;
    let start = this.#text.length - Math.floor(most * KEPT);
    const lineEnd = this.#text.indexOf('\n', start);
    if (lineEnd >= 0 && lineEnd - start < 10_000) start = lineEnd + 1;
    this.#removedBytes += Buffer.byteLength(this.#text.slice(0, start));
    this.#text = this.#text.slice(start);
  }
}
