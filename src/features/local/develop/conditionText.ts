import { contractText } from '../../../account/contractText.ts';
import { conditionProblem } from '../../../contract/jobCondition.ts';

/** Returns why a text is not a condition for jobs, in the language of the editor. Undefined if it is one. */
export function conditionText(condition: string): string | undefined {
  const problem = conditionProblem(condition);
  return problem && contractText(problem);
}
