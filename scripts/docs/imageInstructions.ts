import { INSTRUCTIONS } from '../../src/platform/images/instructions/table.ts';
import { table } from './section.ts';

/** Returns a table of the instructions that the image-editing model understands. */
export function imageInstructions(): string {
  return table(
    ['Instruction', 'Parameters', 'Example'],
    INSTRUCTIONS.map(({ name, takes, example }) => [name, takes, `*${example}*`]),
  );
}
