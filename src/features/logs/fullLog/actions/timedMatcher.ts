import { TimeLimitExceeded, withTimeLimit } from '../../../../machine/timeLimit.ts';

/** A match in a text, in UTF-16 code units. */
export interface Match {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

/** The result for one text. `tooSlow`: the expression takes too long for this text. */
export type MatchResult = Match | 'tooSlow' | undefined;

/** Maximum time of one run, in ms. */
const BUDGET_MS = 10;
/** Number of runs that a text gets by itself. A busy machine can spend the time of a run on other work. */
const ATTEMPTS = 3;

/** An expression takes too long for many texts, so the search ended. */
export class ExpressionTooSlow extends Error {
  constructor() {
    super('the expression takes too long for many texts');
    this.name = 'ExpressionTooSlow';
  }
}

/** Number of texts that an expression may take too long for. */
const MAX_TOO_SLOW = 50;

/** State of a search, which is up to date after a run that took too long. */
interface Search {
  readonly texts: readonly string[];
  /** Index of the next text. */
  next: number;
  /** The first match in each text. */
  readonly found: (Match | undefined)[];
}

/**
 * Finds the first match of a regular expression in texts. Some expressions take exponential time for some texts, so the search has a time
 * limit.
 */
export class TimedMatcher {
  readonly #expression: RegExp;
  #tooSlow = 0;

  /** @param expression without the flags g and y */
  constructor(expression: RegExp) {
    this.#expression = expression;
  }

  /**
   * Searches texts in turn, in runs of at most 10 ms. Calls `pause` between two runs, and after the last one.
   *
   * @returns a result for each text
   * @throws ExpressionTooSlow, and the errors of `pause`
   */
  async match(texts: readonly string[], pause: () => Promise<void>): Promise<readonly MatchResult[]> {
    const search: Search = { texts, next: 0, found: [] };
    const tooSlow = new Set<number>();
    let attempts = 0;
    while (search.next < texts.length) {
      const first = search.next;
      attempts = !this.#run(search) && search.next === first ? attempts + 1 : 0;
      if (attempts === ATTEMPTS) {
        if (++this.#tooSlow > MAX_TOO_SLOW) throw new ExpressionTooSlow();
        tooSlow.add(first);
        search.next++;
        attempts = 0;
      }
      await pause();
    }
    return texts.map((_, index) => (tooSlow.has(index) ? 'tooSlow' : search.found[index]));
  }

  /** Returns false if the run took too long. */
  #run(search: Search): boolean {
    const expression = this.#expression;
    const { texts, found } = search;
    try {
      withTimeLimit(BUDGET_MS, () => {
        for (let index = search.next; index < texts.length; search.next = ++index) {
          const match = expression.exec(texts[index] ?? '');
          found[index] = match === null ? undefined : { start: match.index, end: match.index + match[0].length };
        }
      });
      return true;
    } catch (error) {
      if (error instanceof TimeLimitExceeded) return false;
      throw error;
    }
  }
}
