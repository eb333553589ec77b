import { SUGGESTIONS } from '../../src/features/images/model/suggestions.ts';
import { table } from './section.ts';

/** Returns a table of the instructions that the image-editing model understands. */
export function imageInstructions(): string {
  return table(
    ['Instruction', 'Parameters', 'Example'],
    SUGGESTIONS.map(({ label, prompt, takes }) => [label, takes, `*${prompt}*`]),
  );
}
