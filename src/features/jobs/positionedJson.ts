type Path = readonly (string | number)[];

/** A strict JSON text, read. */
export type PositionedJson =
  | {
      readonly value: unknown;
      /** Where the value at a path starts, or its nearest parent that is there. */
      readonly offsetOf: (path: Path) => number;
    }
  /** Not JSON; `offset` is where that shows. `JSON.parse` names the place in some of its messages only. */
  | { readonly error: string; readonly offset: number };

class JsonError extends Error {
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

/** Reads JSON and keeps the places: of its values, or of its first mistake. */
export function parsePositionedJson(text: string): PositionedJson {
  const offsets = new Map<string, number>();
  try {
    new Walk(text, offsets).document();
    const value: unknown = JSON.parse(text);
    return { value, offsetOf: (path) => nearestOffset(offsets, path) };
  } catch (error) {
    if (error instanceof JsonError) return { error: error.message, offset: error.offset };
    return { error: (error as Error).message, offset: 0 };
  }
}

const keyOf = (path: Path) => JSON.stringify(path);

function nearestOffset(offsets: ReadonlyMap<string, number>, path: Path): number {
  const known = [...path, ''].map((_, left) => offsets.get(keyOf(path.slice(0, path.length - left))));
  return known.find((offset) => offset !== undefined) ?? 0;
}

const SPACE = /[ \t\r\n]*/y;
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const SCALAR = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.+-])/y;

/** Goes through a text by the grammar of JSON, noting where each value starts. */
class Walk {
  readonly #text: string;
  readonly #offsets: Map<string, number>;
  #at = 0;

  constructor(text: string, offsets: Map<string, number>) {
    this.#text = text;
    this.#offsets = offsets;
  }

  document(): void {
    this.#value([]);
    this.#skip(SPACE);
    if (this.#at < this.#text.length) this.#fail('there is more after the end of the value');
  }

  #value(path: Path): void {
    this.#skip(SPACE);
    this.#offsets.set(keyOf(path), this.#at);
    if (this.#take('{')) this.#members(path);
    else if (this.#take('[')) this.#items(path);
    else if (!this.#skip(STRING) && !this.#skip(SCALAR))
      this.#fail(this.#startsString() ? 'a text does not end, or holds a line break' : 'expected a value');
  }

  #members(path: Path): void {
    if (this.#take('}')) return;
    do {
      this.#skip(SPACE);
      const start = this.#at;
      if (!this.#skip(STRING)) this.#fail('expected a property name in double quotes');
      const name = JSON.parse(this.#text.slice(start, this.#at)) as string;
      if (!this.#take(':')) this.#fail("expected ':' after the property name");
      this.#value([...path, name]);
    } while (this.#take(','));
    if (!this.#take('}')) this.#fail("expected ',' or '}'");
  }

  #items(path: Path): void {
    if (this.#take(']')) return;
    let index = 0;
    do this.#value([...path, index++]);
    while (this.#take(','));
    if (!this.#take(']')) this.#fail("expected ',' or ']'");
  }

  #take(mark: string): boolean {
    this.#skip(SPACE);
    if (this.#text[this.#at] !== mark) return false;
    this.#at++;
    return true;
  }

  /** Moves behind what matches here. */
  #skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (match) this.#at = pattern.lastIndex;
    return match !== null;
  }

  #startsString(): boolean {
    return this.#text[this.#at] === '"';
  }

  #fail(message: string): never {
    const atEnd = this.#at >= this.#text.length;
    throw new JsonError(atEnd ? `${message}, but the text ends` : message, this.#at);
  }
}
