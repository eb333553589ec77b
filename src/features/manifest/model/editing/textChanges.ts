import type { TextChange } from '../../../../text/span.ts';

/** Applies changes whose spans refer to the given text and do not overlap. */
export function applyChanges(text: string, changes: readonly TextChange[]): string {
  let result = '';
  let at = 0;
  for (const { start, end, text: inserted } of inOrder(changes)) {
    result += text.slice(at, start) + inserted;
    at = end;
  }
  return result + text.slice(at);
}

/** A piece of the current text: a span of the original text, or new text. */
type Piece = { readonly start: number; readonly end: number } | { readonly inserted: string };

/** Composes successive changes of a text into changes of the original text. */
export class ComposedChanges {
  readonly #length: number;
  #pieces: readonly Piece[];

  /** @param length length of the original text */
  constructor(length: number) {
    this.#length = length;
    this.#pieces = [{ start: 0, end: length }];
  }

  /** Adds changes whose spans refer to the text after all earlier changes. */
  add(changes: readonly TextChange[]): void {
    for (const { start, end, text } of inOrder(changes).reverse())
      this.#pieces = [
        ...piecesBetween(this.#pieces, 0, start),
        { inserted: text },
        ...piecesBetween(this.#pieces, end, Infinity),
      ];
  }

  /** Returns the changes of the original text, in order. */
  get changes(): TextChange[] {
    const changes: TextChange[] = [];
    let at = 0;
    let text = '';
    const keep = (start: number) => {
      if (start > at || text !== '') changes.push({ start: at, end: start, text });
      text = '';
    };
    for (const piece of this.#pieces) {
      if ('inserted' in piece) text += piece.inserted;
      else if (piece.end > piece.start) {
        keep(piece.start);
        at = piece.end;
      }
    }
    keep(this.#length);
    return changes;
  }
}

/** Returns the pieces of a range of the current text. */
function piecesBetween(pieces: readonly Piece[], from: number, to: number): Piece[] {
  let at = 0;
  return pieces.flatMap((piece): Piece[] => {
    const length = 'inserted' in piece ? piece.inserted.length : piece.end - piece.start;
    const first = Math.max(from - at, 0);
    const last = Math.min(to - at, length);
    at += length;
    if (first >= last) return [];
    return 'inserted' in piece
      ? [{ inserted: piece.inserted.slice(first, last) }]
      : [{ start: piece.start + first, end: piece.start + last }];
  });
}

function inOrder(changes: readonly TextChange[]): TextChange[] {
  return [...changes].sort((a, b) => a.start - b.start || a.end - b.end);
}
