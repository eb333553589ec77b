import { isNativeError } from 'node:util/types';
import vm from 'node:vm';

/** Work took longer than its time limit, and was ended in the middle. */
export class TimeLimitExceeded extends Error {
  readonly limitMs: number;

  constructor(limitMs: number) {
    super(`the work takes longer than ${limitMs} ms`);
    this.name = 'TimeLimitExceeded';
    this.limitMs = limitMs;
  }
}

const context = vm.createContext({}) as { work?: () => unknown };
const SCRIPT = new vm.Script('work()');

/**
 * Runs synchronous work on foreign data, such as a regular expression of a workspace, which can take exponential time. JavaScript cannot end
 * a function from outside, other than the run of a script with a time limit, so such a script calls the function. The limit ends the
 * function at any instruction, without its `finally` blocks. The caller drops all objects that the function may have been changing.
 *
 * The alternative is a thread that can be ended. It also needs a limit, copies its data, and is another file of the bundle.
 *
 * @throws TimeLimitExceeded, and the errors of the work
 */
export function withTimeLimit<Result>(limitMs: number, work: () => Result): Result {
  context.work = work;
  try {
    return SCRIPT.runInContext(context, { timeout: limitMs }) as Result;
  } catch (error) {
    // An error of a script has the class of the script's context.
    if (isNativeError(error) && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT')
      throw new TimeLimitExceeded(limitMs);
    throw error;
  } finally {
    delete context.work;
  }
}
