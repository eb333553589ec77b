import type { Span } from '../../../text/span.ts';
import { isError, problem, type HttpProblem, type HttpProblemCode, type HttpProblemData } from './problem.ts';

/** Maximum number of problems that are kept. The validity of a request does not depend on it. */
export const MAX_PROBLEMS = 1000;

/** Collects problems in the order of the text. */
export class ProblemList {
  readonly problems: HttpProblem[] = [];
  #errors = 0;

  /** Number of errors, those included that are not kept. */
  get errors(): number {
    return this.#errors;
  }

  add<Code extends HttpProblemCode>(code: Code, span: Span, data: HttpProblemData[Code]): void {
    const found = problem(code, span, data);
    if (isError(found)) this.#errors++;
    if (this.problems.length < MAX_PROBLEMS) this.problems.push(found);
  }
}
