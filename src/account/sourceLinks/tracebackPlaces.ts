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
    places.push(...placesInLine(line, start));
    if (places.length >= MAX_PLACES) break;
    start += line.length + 1;
  }
  return places;
}

/**
 * Returns the places in a line: those of a traceback, or else all names of source files with a line, such as `src/main.rs:2:5`. Takes linear
 * time, and ignores lines that are too long.
 *
 * @param offset of the line, which is added to the offsets of the places
 */
export function placesInLine(text: string, offset = 0): readonly TracebackPlace[] {
  if (text.length > MAX_LINE) return [];
  const line = text.trimEnd();
  const python = [...line.matchAll(PYTHON)].map((match): TracebackPlace => {
    const [whole, path = '', number] = match;
    const start = offset + match.index;
    return { start, end: start + whole.length, path, line: Number(number), column: undefined };
  });
  if (python.length > 0) return python;
  const at = addressStart(line);
  const match = NODE.exec(line.slice(at, line.endsWith(')') ? -1 : undefined));
  const node = match && placeOf(match, offset + at);
  return node ? [node] : sourceFiles(line, offset);
}

/** The end of the name of a source file, with its line and in most cases its column. */
const SOURCE_FILE =
  /(?<=[\w-])\.(?:py|[cm]?[jt]s|[jt]sx|go|rs|java|kt|rb|php|cs|c|cc|cpp|cu|h|hpp):(\d{1,7})(?::(\d{1,7}))?(?!\w)/g;
/** A character of a path. White space ends a path, because the end of a path in a sentence is unknown. */
const PATH_CHARACTER = /[^\s"'`()[\]{}<>,:;=|*?│]/;
const MAX_PATH = 300;

function sourceFiles(line: string, offset: number): readonly TracebackPlace[] {
  const places: TracebackPlace[] = [];
  let last = 0;
  for (const match of line.matchAll(SOURCE_FILE)) {
    // Searches backward for the beginning of the path, so that no text is searched twice.
    const least = Math.max(last, match.index - MAX_PATH);
    let start = match.index;
    while (start > least && PATH_CHARACTER.test(line.charAt(start - 1))) start--;
    last = match.index + match[0].length;
    start -= ROOT.exec(line.slice(Math.max(0, start - 6), start))?.[0].length ?? 0;
    const whole = NAMED_FILE.exec(line.slice(start, last));
    const place = whole && placeOf(whole, offset + start);
    if (place) places.push(place);
  }
  return places;
}

/** The part of an address before its first slash, up to the colon that ends it. */
const ROOT = /(?:file|https?|(?<![A-Za-z])[A-Za-z]):$/;
/** A path or a `file:` URL, and not a web address. */
const NAMED_FILE = /^((?:file:\/\/\/|[A-Za-z]:[\\/])?[^:]{2,1000}):(\d{1,7})(?::(\d{1,7}))?$/;

/** @param match the address, the line, and the column. @param start offset of the match */
function placeOf([whole, address = '', line, column]: RegExpExecArray, start: number): TracebackPlace | undefined {
  const path = pathOf(address);
  if (path === undefined) return undefined;
  const end = start + whole.length;
  return { start, end, path, line: Number(line), column: column === undefined ? undefined : Number(column) };
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
