import { isNativeError } from 'node:util/types';
import vm from 'node:vm';

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

/** State of a search. The script changes it, so that it is up to date after a run that took too long. */
interface Search {
  readonly expression: RegExp;
  readonly texts: readonly string[];
  /** Index of the next text. */
  next: number;
  /** The first match in each text. */
  readonly found: (Match | undefined)[];
}

/** Copies the variable of the context to local constants, because each access to a variable of a context is slow. */
const SCRIPT = new vm.Script(`{
  const current = search;
  const { expression, texts, found } = current;
  for (let index = current.next; index < texts.length; current.next = ++index) {
    const match = expression.exec(texts[index]);
    found[index] = match === null ? undefined : { start: match.index, end: match.index + match[0].length };
  }
}`);

/**
 * Finds the first match of a regular expression in texts. Some expressions take exponential time for some texts. JavaScript cannot end a
 * search from outside, other than the search of a script with a time limit, so the search runs in such a script. The limit ends a search
 * that takes too long in the middle of a text.
 *
 * The alternative is a thread that can be ended. It also needs a limit, copies each line, and is another file of the bundle.
 */
export class TimedMatcher {
  readonly #expression: RegExp;
  readonly #context: { search?: Search };
  #tooSlow = 0;

  /** @param expression without the flags g and y */
  constructor(expression: RegExp) {
    this.#expression = expression;
    this.#context = vm.createContext({});
  }

  /**
   * Searches texts in turn, in runs of at most 10 ms. Calls `pause` between two runs, and after the last one.
   *
   * @returns a result for each text
   * @throws ExpressionTooSlow, and the errors of `pause`
   */
  async match(texts: readonly string[], pause: () => Promise<void>): Promise<readonly MatchResult[]> {
    const search: Search = { expression: this.#expression, texts, next: 0, found: [] };
    this.#context.search = search;
    const tooSlow = new Set<number>();
    let attempts = 0;
    while (search.next < texts.length) {
      const first = search.next;
      attempts = !this.#run() && search.next === first ? attempts + 1 : 0;
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
  #run(): boolean {
    try {
      SCRIPT.runInContext(this.#context, { timeout: BUDGET_MS });
      return true;
    } catch (error) {
      // An error of a script has the class of the script's context.
      if (isNativeError(error) && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return false;
      throw error;
    }
  }
}
