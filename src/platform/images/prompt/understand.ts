import { MAX_PROMPT_LENGTH } from '../../../contract/imageEdit.ts';
import type { Step } from '../instructions/instruction.ts';
import { INSTRUCTIONS } from '../instructions/table.ts';
import { EditError } from '../pixels/picture.ts';
import { clausesOf } from './clauses.ts';

/** Maximum number of instructions in a prompt. */
const MAX_STEPS = 30;

/**
 * Returns the steps of a prompt in their order, without the instructions in the negative prompt.
 *
 * @throws EditError if the prompt is too long, contains too many instructions, or contains none to run
 */
export function understand(prompt: string, negativePrompt = ''): Step[] {
  for (const text of [prompt, negativePrompt]) {
    if (text.length > MAX_PROMPT_LENGTH)
      throw new EditError(`a prompt may have at most ${MAX_PROMPT_LENGTH} characters, not ${text.length}`);
  }
  const clauses = clausesOf(prompt);
  const excluded = new Set(clausesOf(negativePrompt).map(({ instruction }) => instruction));
  for (const { instruction, negated } of clauses) if (negated) excluded.add(instruction);
  const wanted = clauses.filter(({ instruction }) => !excluded.has(instruction));
  if (wanted.length > MAX_STEPS)
    throw new EditError(`a prompt may have at most ${MAX_STEPS} instructions, not ${wanted.length}`);
  if (wanted.length > 0) return wanted.map(({ instruction, parameters }) => instruction.step(parameters));
  const names = INSTRUCTIONS.map(({ name }) => name).join(', ');
  throw new EditError(
    clauses.length === 0
      ? `the prompt contains no known instruction; the known instructions are: ${names}`
      : `every instruction in the prompt is excluded; the known instructions are: ${names}`,
  );
}
