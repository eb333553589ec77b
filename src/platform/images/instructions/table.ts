import { colourInstructions } from './colour.ts';
import type { Instruction } from './instruction.ts';
import { shapeInstructions } from './shape.ts';
import { surfaceInstructions } from './surface.ts';

/** Everything the model understands. Each name stands for itself in `negative_prompt` too. */
export const INSTRUCTIONS: readonly Instruction[] = [
  ...colourInstructions,
  ...surfaceInstructions,
  ...shapeInstructions,
];
