import * as l10n from '@vscode/l10n';
import { describeFollowState } from '../model/followState.ts';
import { LineText, type TextLine } from '../model/lineText.ts';
import { isLevelShown, type LogViewOptions } from '../model/logOptions.ts';
import { readLogLine } from '../model/readLogLine.ts';
import { RepeatCollapser, repeatedText } from '../model/repeats.ts';
import { troubleText } from '../model/trouble.ts';
import type { WorkerTag } from '../model/workerTag.ts';
import type { PanelItem } from './panelQueue.ts';

/** Formats the items of one log for the panel. */
export class PanelText {
  readonly #options: LogViewOptions;
  readonly #text: LineText;
  readonly #repeats = new RepeatCollapser();
  /** Returns the tag of a worker, or undefined in a log of one worker. */
  readonly #tagOf: (workerId: string) => WorkerTag | undefined;
  #last = { at: 0, workerId: '' };

  constructor(options: LogViewOptions, tagOf: (workerId: string) => WorkerTag | undefined) {
    this.#options = options;
    this.#tagOf = tagOf;
    this.#text = new LineText({ timestamps: options.timestamps });
  }

  /** Formats the next items. Hidden lines are omitted. */
  format(items: readonly PanelItem[]): readonly TextLine[] {
    const lines: TextLine[] = [];
    for (const [index, item] of items.entries()) {
      switch (item.kind) {
        case 'line':
          this.#addLine(item, lines);
          break;
        case 'trouble':
          this.#endRepeats(lines);
          lines.push(this.#text.note(troubleText(item.trouble), item.at, 'trouble', this.#tagOf(item.worker.workerId)));
          break;
        case 'state':
          this.#endRepeats(lines);
          this.#addState(items, index, lines);
      }
    }
    this.#endRepeats(lines);
    return lines;
  }

  #addLine({ worker, entry, at }: Extract<PanelItem, { kind: 'line' }>, lines: TextLine[]): void {
    const { source, minimumLevel } = this.#options;
    if (source !== 'both' && entry.event.source !== source) return;
    const read = readLogLine(entry.event);
    if (!isLevelShown(read.level, minimumLevel)) return;
    const { repeated, isShown } = this.#repeats.take(read.text, worker.workerId);
    if (repeated > 0) lines.push(this.#repeatLine(repeated));
    this.#last = { at, workerId: worker.workerId };
    if (isShown) lines.push(this.#text.line(read, at, this.#tagOf(worker.workerId)));
  }

  #endRepeats(lines: TextLine[]): void {
    const repeated = this.#repeats.flush();
    if (repeated > 0) lines.push(this.#repeatLine(repeated));
  }

  /** Returns the line that follows the last repetition of a line. */
  #repeatLine(repeated: number): TextLine {
    const { at, workerId } = this.#last;
    const read = { text: repeatedText(repeated), spans: [], level: undefined, requestId: undefined, isSystem: false };
    return this.#text.line(read, at, this.#tagOf(workerId));
  }

  /** Adds a change of a stream. Several workers often change at once, such as when the platform stops, and share one line. */
  #addState(items: readonly PanelItem[], index: number, lines: TextLine[]): void {
    const item = items[index];
    if (item?.kind !== 'state') return;
    const { state, worker, at } = item;
    const isSame = (other: PanelItem): boolean =>
      other.kind === 'state' && other.state.kind === state.kind && other.worker !== undefined;
    const same = worker && state.kind !== 'refused' ? items.filter(isSame) : [item];
    if (items.findIndex(isSame) < index && same.length > 1) return;
    const words = describeFollowState(state);
    if (same.length > 1) lines.push(this.#text.note(l10n.t`${same.length} workers: ${words}`, at));
    else lines.push(this.#text.note(words, at, 'following', worker && this.#tagOf(worker.workerId)));
  }
}
