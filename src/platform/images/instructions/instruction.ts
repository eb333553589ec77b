import type { Font } from '../pixels/caption.ts';
import type { Picture } from '../pixels/picture.ts';
import type { Parameters } from '../prompt/parameters.ts';

/** One kind of edit that the model supports. */
export interface Instruction {
  readonly name: string;
  /** Lowercase phrases that name the instruction. `*` matches any ending of a word. */
  readonly phrases: readonly string[];
  /** Returns true if a clause that names no instruction implies this one. */
  readonly implied?: (parameters: Parameters) => boolean;
  /** Description of the parameters, for documentation. */
  readonly takes: string;
  /** Example prompt, for documentation. */
  readonly example: string;
  /** @throws EditError if a parameter without a default is missing */
  readonly step: (parameters: Parameters) => Step;
}

export interface Step {
  /** Exact description of the edit, such as `rotate 90 degrees`. */
  readonly text: string;
  /** @throws EditError if the edit is impossible for this picture */
  readonly edit: (picture: Picture, tools: Tools) => Picture;
}

export interface Tools {
  /** Returns a number from 0 (inclusive) to 1 (exclusive). The seed of the request determines the sequence. */
  readonly random: () => number;
  readonly font: () => Font;
}

/** Formats a fraction as a percentage with at most one decimal, such as `25 %`. */
export const percentText = (amount: number): string => `${Math.round(amount * 1000) / 10} %`;

export const clamp = (value: number, least: number, most: number): number => Math.min(Math.max(value, least), most);
