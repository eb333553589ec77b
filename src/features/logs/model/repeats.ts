import * as l10n from '@vscode/l10n';

/** Number of equal lines that are shown before the following ones are collapsed: the line and two repetitions. */
const SHOWN = 3;
/** Number of collapsed lines after which their count is reported, although the same line continues. */
const MAX_COLLAPSED = 10_000;

/** The result for a line that arrives. */
export interface Collapsed {
  /** Number of lines that were collapsed before this line, and that must be reported first. */
  readonly repeated: number;
  /** Whether to show this line. */
  readonly isShown: boolean;
}

/** Collapses consecutive lines of a log that are equal apart from their time. */
export class RepeatCollapser {
  #text: string | undefined;
  #worker: string | undefined;
  #seen = 0;
  #repeated = 0;

  /**
   * Takes the next line of the log.
   *
   * @param text of the line without its time
   * @param worker any name of the worker, in a log of several workers
   */
  take(text: string, worker?: string): Collapsed {
    if (text !== this.#text || worker !== this.#worker) {
      const repeated = this.flush();
      this.#text = text;
      this.#worker = worker;
      this.#seen = 1;
      return { repeated, isShown: true };
    }
    if (this.#seen < SHOWN) {
      this.#seen++;
      return { repeated: 0, isShown: true };
    }
    this.#repeated++;
    return { repeated: this.#repeated < MAX_COLLAPSED ? 0 : this.flush(), isShown: false };
  }

  /** Returns the number of collapsed lines that were not reported. The next equal line is collapsed again. */
  flush(): number {
    const repeated = this.#repeated;
    this.#repeated = 0;
    return repeated;
  }
}

/** Describes collapsed lines. @param repeated at least 1 */
export function repeatedText(repeated: number): string {
  return repeated === 1
    ? l10n.t('… repeated 1 more time')
    : l10n.t`… repeated ${repeated.toLocaleString('en-US')} more times`;
}
