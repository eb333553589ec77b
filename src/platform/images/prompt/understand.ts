import type { Step } from '../instructions/instruction.ts';
import { INSTRUCTIONS } from '../instructions/table.ts';
import { EditError } from '../pixels/picture.ts';
import { clausesOf } from './clauses.ts';

/** Longest prompt, in characters. */
export const MAX_PROMPT = 4_000;
/** So many things in one sentence are no sentence. */
const MAX_STEPS = 30;

/**
 * What a prompt asks for, in its order, without what the negative prompt names.
 *
 * @throws EditError with a text that lists what is understood, when nothing in the prompt is
 */
export function understand(prompt: string, negativePrompt = ''): Step[] {
  for (const text of [prompt, negativePrompt]) {
    if (text.length > MAX_PROMPT) throw new EditError(`a prompt may have ${MAX_PROMPT} characters, not ${text.length}`);
  }
  const clauses = clausesOf(prompt);
  const excluded = new Set(clausesOf(negativePrompt).map(({ instruction }) => instruction));
  for (const { instruction, negated } of clauses) if (negated) excluded.add(instruction);
  const wanted = clauses.filter(({ instruction }) => !excluded.has(instruction));
  if (wanted.length > MAX_STEPS) throw new EditError(`a prompt may ask for ${MAX_STEPS} things, not ${wanted.length}`);
  if (wanted.length > 0) return wanted.map(({ instruction, parameters }) => instruction.step(parameters));
  const names = INSTRUCTIONS.map(({ name }) => name).join(', ');
  throw new EditError(
    clauses.length === 0
      ? `nothing in the prompt is understood; the model of this platform understands: ${names}`
      : `nothing is left to do: all that the prompt asks for is excluded. The model of this platform understands: ${names}`,
  );
}
