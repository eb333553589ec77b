import { colorInstructions } from './color.ts';
import type { Instruction } from './instruction.ts';
import { shapeInstructions } from './shape.ts';
import { surfaceInstructions } from './surface.ts';

/** All instructions that the model understands, in `prompt` and in `negative_prompt`. */
export const INSTRUCTIONS: readonly Instruction[] = [
  ...colorInstructions,
  ...surfaceInstructions,
  ...shapeInstructions,
];
