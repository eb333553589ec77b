import type { Font } from '../pixels/caption.ts';
import type { Picture } from '../pixels/picture.ts';
import type { Parameters } from '../prompt/parameters.ts';

/** Something the model can be asked to do. */
export interface Instruction {
  readonly name: string;
  /** What it is called by, in lower case; a star stands for any ending of a word. */
  readonly phrases: readonly string[];
  /** Whether a clause that names no instruction means this one. */
  readonly implied?: (parameters: Parameters) => boolean;
  /** What it takes beside its name, for people. */
  readonly takes: string;
  /** A sentence that uses it, for people; also what the documentation shows. */
  readonly example: string;
  /** @throws EditError when something is missing that has no default */
  readonly step: (parameters: Parameters) => Step;
}

export interface Step {
  /** What is done, exactly: `rotate 90 degrees`. */
  readonly text: string;
  /** @throws EditError when it does not fit this picture */
  readonly edit: (picture: Picture, tools: Tools) => Picture;
}

export interface Tools {
  /** From 0 up to 1; by the seed of the request. */
  readonly random: () => number;
  readonly font: () => Font;
}

/** `25 %`, without digits that say nothing. */
export const percentText = (amount: number): string => `${Math.round(amount * 1000) / 10} %`;

export const clamp = (value: number, least: number, most: number): number => Math.min(Math.max(value, least), most);
