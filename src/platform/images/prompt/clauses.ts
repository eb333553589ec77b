import { INSTRUCTIONS } from '../instructions/table.ts';
import type { Instruction } from '../instructions/instruction.ts';
import { isParameter, parametersOf, type Parameters } from './parameters.ts';
import { tokensOf, type Token } from './tokens.ts';

/** An instruction in a sentence, with its parameters. */
export interface Clause {
  readonly instruction: Instruction;
  readonly parameters: Parameters;
  /** True if the sentence forbids the instruction. */
  readonly negated: boolean;
}

const NEGATIONS = new Set(["don't", 'dont', 'not', 'no', 'without', 'never', 'avoid', 'remove', 'nor', 'except']);

const PHRASES: readonly { readonly instruction: Instruction; readonly words: readonly string[] }[] =
  INSTRUCTIONS.flatMap((instruction) =>
    instruction.phrases.map((phrase) => ({ instruction, words: phrase.split(' ') })),
  ).sort((one, other) => other.words.length - one.words.length);

/** A token, or an instruction with the tokens that name it. */
type Piece =
  Token | { readonly kind: 'instruction'; readonly instruction: Instruction; readonly tokens: readonly Token[] };

/**
 * Returns the instructions of a text in their order. Phrases identify instructions. Separators (`,`, `and`, `then` …) split the text into
 * parts. The other words of a part are the parameters of its instruction. A part without an instruction contains parameters of the
 * previous instruction, unless it implies an instruction.
 */
export function clausesOf(text: string): Clause[] {
  const clauses: Found[] = [];
  let leading: Token[] = [];
  for (const part of parts(pieces(tokensOf(text)))) {
    const found = instructionsIn(part).map((each) => ({ ...each, negated: part.some(isNegation) }));
    const parameterTokens = part.filter((piece): piece is Token => piece.kind !== 'instruction');
    const implied = found.length === 0 ? impliedBy(parametersOf(parameterTokens)) : undefined;
    const last = clauses.at(-1);
    const negated = parameterTokens.some(isNegation);
    if (implied) clauses.push({ instruction: implied, tokens: [...leading, ...parameterTokens], negated });
    else if (found.length > 0) clauses.push(...withLeading(found, leading));
    else if (last) last.tokens.push(...parameterTokens);
    else leading.push(...parameterTokens);
    if (clauses.length > 0) leading = [];
  }
  return clauses.map(({ tokens, ...clause }) => ({ ...clause, parameters: parametersOf(tokens) }));
}

interface Found extends Pick<Clause, 'instruction' | 'negated'> {
  readonly tokens: Token[];
}

function pieces(tokens: readonly Token[]): Piece[] {
  const found: Piece[] = [];
  for (let at = 0; at < tokens.length;) {
    const match = PHRASES.find(({ words }) => words.every((word, offset) => fits(tokens[at + offset], word)));
    const token = tokens[at];
    if (match) {
      const { instruction, words } = match;
      found.push({ kind: 'instruction', instruction, tokens: tokens.slice(at, at + words.length) });
    } else if (token) found.push(token);
    at += match?.words.length ?? 1;
  }
  return found;
}

function fits(token: Token | undefined, word: string): boolean {
  if (!token || !('text' in token) || token.kind === 'quote') return false;
  return word.endsWith('*') ? token.text.startsWith(word.slice(0, -1)) : token.text === word;
}

function isNegation(piece: Piece): boolean {
  return piece.kind === 'word' && NEGATIONS.has(piece.text);
}

/** Splits a text at its separators. A negation also starts a part, as in "sharpen without a border". */
function parts(all: readonly Piece[]): Piece[][] {
  const result: Piece[][] = [[]];
  for (const piece of all) {
    if (piece.kind === 'separator' || isNegation(piece)) result.push([]);
    if (piece.kind !== 'separator') result.at(-1)?.push(piece);
  }
  return result;
}

/**
 * Returns the instructions of a part, each with its own tokens. Parameters precede their instruction in "strongly blur slightly sharpen",
 * and follow it in "blur strongly sharpen slightly". The position of the first parameter decides.
 */
function instructionsIn(part: readonly Piece[]): Omit<Found, 'negated'>[] {
  const found: Omit<Found, 'negated'>[] = [];
  let before: Token[] = [];
  let parametersLead: boolean | undefined;
  for (const piece of part) {
    if (piece.kind !== 'instruction') {
      before.push(piece);
      continue;
    }
    parametersLead ??= before.some(isParameter);
    const last = found.at(-1);
    if (last?.instruction === piece.instruction) last.tokens.push(...before, ...piece.tokens);
    else {
      if (last && !parametersLead) last.tokens.push(...before.splice(0));
      found.push({ instruction: piece.instruction, tokens: [...before, ...piece.tokens] });
    }
    before = [];
  }
  found.at(-1)?.tokens.push(...before);
  return found;
}

function withLeading([first, ...rest]: readonly Found[], leading: readonly Token[]): Found[] {
  return first ? [{ ...first, tokens: [...leading, ...first.tokens] }, ...rest] : [];
}

function impliedBy(parameters: Parameters): Instruction | undefined {
  return INSTRUCTIONS.find(({ implied }) => implied?.(parameters));
}
