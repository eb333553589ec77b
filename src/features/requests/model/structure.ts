import { createScanner } from 'jsonc-parser';
import { looksLikeJson } from './bodyReader.ts';
import { spanOf, type HttpFile, type ParsedBlock } from './httpFile.ts';
import type { Span } from '../../../text/span.ts';

/* The outline, the folding, and the links of a file. */

/** An entry of the outline: a request or a variable. */
export interface HttpSymbol extends Span {
  readonly kind: 'request' | 'variable';
  readonly name: string;
  readonly detail: string;
  /** The part that the editor selects. */
  readonly selection: Span;
}

/** Returns the variables and requests in the order of the text. */
export function httpSymbols({ blocks, variables }: HttpFile): HttpSymbol[] {
  const requests = blocks.map((block): HttpSymbol => {
    const { start, end, requestLine, method, url, name } = block;
    const line = `${method} ${url}`;
    return {
      kind: 'request',
      name: name ?? line,
      detail: name === undefined ? '' : line,
      start,
      end,
      selection: requestLine,
    };
  });
  const definitions = variables.map((one): HttpSymbol => {
    const { start, end, name, nameSpan, value } = one;
    return { kind: 'variable', name: `@${name}`, detail: value.text, start, end, selection: nameSpan };
  });
  return [...requests, ...definitions].sort((a, b) => a.start - b.start);
}

/** Returns the spans that can be folded: each request, and the objects and arrays of its JSON. */
export function httpFolds({ blocks }: HttpFile): Span[] {
  return blocks.flatMap((block) => [{ start: block.start, end: block.end }, ...jsonFolds(block)]);
}

function jsonFolds({ body, bodyPieces }: ParsedBlock): Span[] {
  if (body?.kind !== 'text' || !looksLikeJson(body.text)) return [];
  const folds: Span[] = [];
  const open: number[] = [];
  for (const { text, start } of bodyPieces) {
    const scanner = createScanner(text, true);
    while (scanner.getPosition() < text.length) {
      scanner.scan();
      const offset = scanner.getTokenOffset();
      const sign = text.charAt(offset);
      if (sign === '{' || sign === '[') open.push(start + offset);
      const from = sign === '}' || sign === ']' ? open.pop() : undefined;
      if (from !== undefined) folds.push({ start: from, end: start + offset });
    }
  }
  return folds;
}

/** A path in the file that the editor can open. */
export interface HttpLink extends Span {
  readonly path: string;
}

/** Returns the files of bodies whose paths contain no variables. */
export function httpLinks({ blocks }: HttpFile): HttpLink[] {
  return blocks.flatMap(({ body, bodyPieces: [piece] }) =>
    body?.kind === 'file' && piece && piece.text !== '' && !piece.text.includes('{{')
      ? [{ ...spanOf(piece), path: piece.text }]
      : [],
  );
}
