/* JSON of any size and depth, written in pieces, so that the caller can pause between them or stop. */

/** A string and its place in the JSON text. */
export interface PlacedString {
  readonly value: string;
  readonly place: Place | undefined;
  /** Name of the root's member that contains the string, or index in a list. */
  readonly member: string | number | undefined;
  /** Line in the text, from 0. */
  readonly line: number;
}

interface JsonOptions {
  /** Number of spaces for each level. 0: no line breaks. */
  readonly indent: number;
  /** Returns the text of a string. Default: its JSON. */
  readonly textOf?: (string: PlacedString) => string;
  /** Returns true once the rest is left out. The text then ends with the number of missing items, and is valid JSON. */
  readonly isFull?: () => boolean;
  /** Number of levels that are written. Deeper values become `"…"`. Default: all. */
  readonly maxDepth?: number;
}

interface Frame {
  readonly place: Place | undefined;
  readonly value: Readonly<Record<string | number, unknown>>;
  /** Names of the members. Undefined for a list. */
  readonly names: readonly string[] | undefined;
  readonly size: number;
  next: number;
}

/** Number of levels with an indentation of their own. Indentation would otherwise make deeply nested values far larger. */
const MAX_INDENTED = 100;

/** Yields the JSON of a value, one piece for each value in it. Members that are undefined are left out. */
export function* jsonPieces(root: unknown, options: JsonOptions): Generator<string, void> {
  const { indent, textOf = ({ value }) => JSON.stringify(value), isFull = () => false, maxDepth = Infinity } = options;
  const stack: Frame[] = [];
  const colon = indent > 0 ? ': ' : ':';
  let line = 0;
  const newLine = () => {
    if (indent === 0) return '';
    line++;
    return `\n${' '.repeat(indent * Math.min(stack.length, MAX_INDENTED))}`;
  };
  let value = root;
  let place: Place | undefined;
  let member: string | number | undefined;
  for (;;) {
    const frame = frameOf(value, place);
    if (frame && stack.length >= maxDepth) yield '"…"';
    else if (frame) {
      stack.push(frame);
      yield frame.names ? '{' : '[';
    } else if (typeof value === 'string') yield textOf({ value, place, member, line });
    else yield jsonOf(value);

    for (;;) {
      const top = stack.at(-1);
      if (!top) return;
      const left = top.size - top.next;
      if (left > 0 && !isFull()) {
        const name = top.names?.[top.next];
        const comma = top.next > 0 ? ',' : '';
        place = { name: name ?? top.next, parent: top.place };
        if (stack.length === 1) member = place.name;
        value = top.value[place.name];
        yield `${comma}${newLine()}${name === undefined ? '' : `${JSON.stringify(name)}${colon}`}`;
        top.next++;
        break;
      }
      if (left > 0) {
        const missing = JSON.stringify(`${left} more`);
        yield `${top.next > 0 ? ',' : ''}${newLine()}${top.names ? `"…"${colon}` : ''}${missing}`;
      }
      stack.pop();
      yield `${newLine()}${top.names ? '}' : ']'}`;
    }
  }
}

/** Returns the frame of a list or an object with members. */
function frameOf(value: unknown, place: Place | undefined): Frame | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) {
    const items = value as unknown as Frame['value'];
    return value.length === 0 ? undefined : { place, value: items, names: undefined, size: value.length, next: 0 };
  }
  const members = value as Frame['value'];
  const names = Object.keys(members).filter((name) => members[name] !== undefined);
  return names.length === 0 ? undefined : { place, value: members, names, size: names.length, next: 0 };
}

function jsonOf(value: unknown): string {
  if (value === undefined) return 'null';
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? '[]' : '{}';
  return JSON.stringify(value);
}

/** Longest time without a pause, in characters. */
const PAUSE_CHARACTERS = 512 * 1024;

/** Returns the whole JSON of a value as bytes. Pauses while writing, so that a large value does not block the editor. */
export async function jsonBytes(value: unknown): Promise<Uint8Array> {
  const buffers: Buffer[] = [];
  let pieces: string[] = [];
  let length = 0;
  const flush = () => {
    buffers.push(Buffer.from(pieces.join('')));
    pieces = [];
    length = 0;
  };
  for (const piece of jsonPieces(value, { indent: 2 })) {
    pieces.push(piece);
    length += piece.length;
    if (length < PAUSE_CHARACTERS) continue;
    flush();
    await new Promise(setImmediate);
  }
  pieces.push('\n');
  flush();
  return Buffer.concat(buffers);
}

/** Place of a value in a JSON value. Undefined for the whole value. A deep value has the places of its parents, which are not copied. */
export interface Place {
  /** Name of a member, or index in a list. */
  readonly name: string | number;
  readonly parent: Place | undefined;
}

/** Path of a value, such as `["images", 0]`. */
export type Path = readonly (string | number)[];

export function pathOf(place: Place | undefined): Path {
  const names: (string | number)[] = [];
  for (let at = place; at; at = at.parent) names.push(at.name);
  return names.reverse();
}
