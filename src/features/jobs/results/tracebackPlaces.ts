/** A place in a program that a traceback names. */
export interface TracebackPlace {
  /** Offsets of the place in the text, in UTF-16 code units. */
  readonly start: number;
  readonly end: number;
  /** Path as the worker wrote it: absolute or relative, in the form of its operating system. */
  readonly path: string;
  /** Line and column, from 1. */
  readonly line: number;
  readonly column: number | undefined;
}

const MAX_PLACES = 500;
const MAX_LINE = 2_000;

const PYTHON = /File "([^"\n]{1,1000})", line (\d{1,7})/g;
/** An absolute path or a `file:` URL with a line, and in most cases a column. */
const NODE = /^((?:file:\/\/\/|\/|[A-Za-z]:[\\/])[^()]{1,1000}?):(\d{1,7})(?::(\d{1,7}))?$/;

/** Returns the places in a traceback of Python or Node.js, in the order of the text. Takes linear time. */
export function tracebackPlaces(text: string): readonly TracebackPlace[] {
  const places: TracebackPlace[] = [];
  let start = 0;
  for (const line of text.split('\n')) {
    if (line.length <= MAX_LINE) places.push(...placesOf(line.trimEnd(), start));
    if (places.length >= MAX_PLACES) break;
    start += line.length + 1;
  }
  return places;
}

function placesOf(line: string, offset: number): readonly TracebackPlace[] {
  const python = [...line.matchAll(PYTHON)].map((match): TracebackPlace => {
    const [whole, path = '', number] = match;
    const start = offset + match.index;
    return { start, end: start + whole.length, path, line: Number(number), column: undefined };
  });
  if (python.length > 0) return python;
  const at = addressStart(line);
  const match = NODE.exec(line.slice(at, line.endsWith(')') ? -1 : undefined));
  if (!match) return [];
  const [whole, address = '', number, column] = match;
  const path = pathOf(address);
  if (path === undefined) return [];
  const start = offset + at;
  return [
    {
      ...{ start, end: start + whole.length, path, line: Number(number) },
      column: column === undefined ? undefined : Number(column),
    },
  ];
}

/** Returns where the address begins in a line of Node.js: `at name (address)`, `at address`, `at async address`, or only the address. */
function addressStart(line: string): number {
  if (line.endsWith(')')) return line.lastIndexOf('(') + 1;
  return /^\s{0,40}at (?:async )?/.exec(line)?.[0].length ?? 0;
}

/** Returns the path of an address, which is a path or a `file:` URL. */
function pathOf(address: string): string | undefined {
  if (!address.startsWith('file://')) return address;
  try {
    const path = decodeURIComponent(new URL(address).pathname);
    return /^\/[A-Za-z]:/.test(path) ? path.slice(1) : path;
  } catch {
    return undefined;
  }
}
