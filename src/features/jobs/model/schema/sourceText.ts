import type { Position, Range, TextDocument } from 'vscode-json-languageservice';

/** A text with lines, as the JSON language service needs it. */
export class SourceText implements TextDocument {
  readonly uri: string;
  readonly languageId = 'jsonc';
  readonly version = 1;
  readonly #text: string;
  readonly #starts: readonly number[];

  constructor(uri: string, text: string) {
    this.uri = uri;
    this.#text = text;
    this.#starts = [0, ...[...text.matchAll(/\r\n?|\n/g)].map(({ index, 0: { length } }) => index + length)];
  }

  get lineCount(): number {
    return this.#starts.length;
  }

  getText(range?: Range): string {
    return range ? this.#text.slice(this.offsetAt(range.start), this.offsetAt(range.end)) : this.#text;
  }

  positionAt(offset: number): Position {
    const at = Math.max(0, Math.min(offset, this.#text.length));
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#starts[middle] ?? 0) <= at) low = middle;
      else high = middle - 1;
    }
    return { line: low, character: at - (this.#starts[low] ?? 0) };
  }

  offsetAt({ line, character }: Position): number {
    const start = this.#starts[line] ?? this.#text.length;
    return Math.min(start + character, this.#starts[line + 1] ?? this.#text.length);
  }

  getLineRange(line: number): Range {
    const start = this.#starts[line] ?? this.#text.length;
    const end = (this.#starts[line + 1] ?? this.#text.length) - this.getEOLCharacters(line).length;
    return { start: this.positionAt(start), end: this.positionAt(end) };
  }

  getEOLCharacters(line: number): string {
    const next = this.#starts[line + 1];
    return next === undefined ? '' : (/(\r\n?|\n)$/.exec(this.#text.slice(Math.max(0, next - 2), next))?.[0] ?? '');
  }
}
