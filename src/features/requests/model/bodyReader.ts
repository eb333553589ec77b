import type { HttpBody, Piece } from './httpFile.ts';
import { fileReferenceIn, isBlank, isComment, type Line } from './lineSyntax.ts';
import type { ProblemList } from './problem.ts';

interface Run {
  readonly start: number;
  /** End of the last line that is not blank, and the offset of the line after it. */
  end: number;
  next: number;
}

const UTF_8 = ['', 'utf8', 'utf-8'];

/**
 * Collects the lines of a body. Leading and trailing blank lines do not belong to it. Comment lines are removed from JSON, which cannot
 * contain them. In other text, a line that begins with # is text.
 */
export class BodyReader {
  readonly #text: string;
  readonly #problems: ProblemList;
  readonly #runs: Run[] = [];
  #kind: 'unknown' | 'json' | 'text' | 'file' = 'unknown';
  #file: { readonly body: HttpBody; readonly path: Piece } | undefined;
  /** Comment lines before the first line that decides the kind. */
  #comments: Run | undefined;
  #isInterrupted = true;

  constructor(text: string, problems: ProblemList) {
    this.#text = text;
    this.#problems = problems;
  }

  add(line: Line): void {
    if (isBlank(line.text)) return;
    if (this.#kind === 'unknown') this.#begin(line);
    else if (this.#kind === 'json' && isComment(line.text)) this.interrupt();
    else if (this.#kind === 'file') this.#problems.add('mixedBody', line, {});
    else {
      if (this.#kind === 'text' && isLaterFile(line)) this.#problems.add('mixedBody', line, {});
      this.#extend(line);
    }
  }

  /** Ends a run of lines, because the next line does not belong to the body. */
  interrupt(): void {
    this.#isInterrupted = true;
  }

  finish(): { readonly body: HttpBody | undefined; readonly pieces: readonly Piece[] } {
    if (this.#file) return { body: this.#file.body, pieces: [this.#file.path] };
    if (this.#kind === 'unknown' && this.#comments) this.#runs.push(this.#comments);
    const pieces = this.#runs.map(({ start, end, next }, index) => ({
      start,
      text: this.#text.slice(start, index === this.#runs.length - 1 ? end : next),
    }));
    const text = pieces.map((piece) => piece.text).join('');
    return { body: pieces.length === 0 ? undefined : { kind: 'text', text }, pieces };
  }

  #begin(line: Line): void {
    if (isComment(line.text)) {
      this.#comments = extended(this.#comments, line);
      return;
    }
    const file = fileReferenceIn(line);
    if (file) {
      this.#kind = 'file';
      const { path, isTemplate, encoding } = file;
      if (!UTF_8.includes(encoding.toLowerCase())) this.#problems.add('unsupportedEncoding', line, { name: encoding });
      this.#file = {
        body: { kind: 'file', path: path.text, ...(isTemplate && { isTemplate }) },
        path: { text: path.text, start: path.start },
      };
      return;
    }
    this.#kind = looksLikeJson(line.text) ? 'json' : 'text';
    if (this.#kind === 'text' && this.#comments) {
      this.#runs.push(this.#comments);
      this.#isInterrupted = false;
    }
    this.#extend(line);
  }

  #extend(line: Line): void {
    const last = this.#isInterrupted ? undefined : this.#runs.at(-1);
    const run = extended(last, line);
    if (!last) this.#runs.push(run);
    this.#isInterrupted = false;
  }
}

function extended(run: Run | undefined, { start, end, next }: Line): Run {
  if (!run) return { start, end, next };
  run.end = end;
  run.next = next;
  return run;
}

/** Returns whether a text begins like a JSON object or array. Text that begins with a variable does not. */
export function looksLikeJson(text: string): boolean {
  return /^\s*(?:\{(?!\{)|\[)/.test(text);
}

/** Returns whether a line in a text names a file. Its path begins like a relative or absolute path, so that other text is not one. */
function isLaterFile(line: Line): boolean {
  const file = fileReferenceIn(line);
  return file !== undefined && /^\.{0,2}\//.test(file.path.text);
}
