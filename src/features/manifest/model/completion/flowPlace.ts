import type { Path } from '../../../../contract/violation.ts';
import { FlowReader, type FlowReaderOptions, type FlowToken } from './flowReader.ts';
import type { Place } from './entries.ts';

/*
 * Finds the cursor in JSON, and in braces and brackets of YAML. Unlike a parser, it gives a meaning to every half-typed text. Takes linear
 * time.
 */

export interface FlowText extends FlowReaderOptions {
  readonly text: string;
  /** Offset of the first character. */
  readonly start: number;
  readonly offset: number;
  /** Path of the value that begins at the start. */
  readonly path: Path;
}

export interface FlowResult {
  /** Offset after the value. */
  readonly end: number;
  /** Whether the cursor is inside the value. */
  readonly inside: boolean;
  /** The place of the cursor. Undefined if it is outside, or where nothing can be completed. */
  readonly place?: Place | undefined;
}

interface Frame {
  readonly kind: 'map' | 'list' | 'root';
  /** Expected token. `next` is a comma or the end. */
  state: 'key' | 'colon' | 'value' | 'next';
  /** The latest key, or the index. */
  segment: string | number;
  /** The latest token in the frame. */
  last: FlowToken | undefined;
  readonly keys: FlowToken[];
}

/** The cursor in a frame, before the frame is read to its end. */
interface Found {
  readonly frame: Frame;
  readonly state: Frame['state'];
  readonly segment: string | number;
  /** Path of the frame. */
  readonly path: Path;
  readonly depth: number;
  readonly token: FlowToken | undefined;
  readonly previous: FlowToken | undefined;
}

export function flowPlace(source: FlowText): FlowResult {
  const { text, offset, style } = source;
  const reader = new FlowReader(text, source.start, source);
  const frames: [Frame, ...Frame[]] = [newFrame('root')];
  const current = (): Frame => frames.at(-1) ?? frames[0];
  let found: Found | undefined;
  const find = (token: FlowToken | undefined): void => {
    const frame = current();
    const { state, segment, last: previous } = frame;
    const path = [...source.path, ...frames.slice(1, -1).map((outer) => outer.segment)];
    found = { frame, state, segment, path, depth: frames.length, token, previous };
  };

  let end = source.start;
  for (let token = reader.next(); token; token = reader.next()) {
    const isScalar = token.kind === 'scalar';
    const isWord = isScalar && token.quote === undefined;
    if (!found && (isWord ? offset < token.start : offset <= token.start)) find(undefined);
    if (!found && (offset < token.end || (offset === token.end && token.open))) {
      if (!isScalar) return { end: token.end, inside: true };
      find(token);
    }
    if (token.kind === 'comment') continue;
    end = token.end;
    step(current(), token);
    if (token.kind === 'open') frames.push(newFrame(token.text === '{' ? 'map' : 'list'));
    if (token.kind === 'close' && frames.length > 1) {
      frames.pop();
      current().last = token;
    }
    if (found && frames.length < found.depth) break;
    if (style === 'flow' && frames.length === 1)
      return { end, inside: found !== undefined, place: placeOf(found, source) };
  }
  if (!found) {
    const isOpen = frames.length > 1 || end === source.start;
    if (!isOpen || offset > Math.max(reader.at, end)) return { end: Math.max(reader.at, end), inside: false };
    find(undefined);
  }
  return { end: Math.max(reader.at, end), inside: true, place: placeOf(found, source) };
}

function newFrame(kind: Frame['kind']): Frame {
  return {
    kind,
    state: kind === 'map' ? 'key' : 'value',
    segment: kind === 'map' ? '' : 0,
    last: undefined,
    keys: [],
  };
}

/** Moves a frame to its next state. Missing colons, commas, and values are tolerated. */
function step(frame: Frame, token: FlowToken): void {
  const { last } = frame;
  frame.last = token;
  const isMap = frame.kind === 'map';
  switch (token.kind) {
    case 'comma':
      if (typeof frame.segment === 'number') frame.segment++;
      frame.state = isMap ? 'key' : 'value';
      break;
    case 'colon':
      // A scalar before a colon is a key, also if it was expected to be a value.
      if (isMap && frame.state === 'next' && last?.kind === 'scalar') addKey(frame, last);
      if (isMap) frame.state = 'value';
      break;
    case 'scalar':
      if (isMap && frame.state !== 'value') addKey(frame, token);
      else frame.state = 'next';
      break;
    case 'open':
      frame.state = 'next';
      break;
    case 'close':
    case 'comment':
      break;
  }
}

function addKey(frame: Frame, token: FlowToken): void {
  frame.segment = token.text;
  frame.keys.push(token);
  frame.state = 'colon';
}

function placeOf(found: Found | undefined, source: FlowText): Place | undefined {
  if (!found) return undefined;
  const { frame, token, previous, path } = found;
  const span = token ?? { start: source.offset, end: source.offset };
  const reader = new FlowReader(source.text, span.end, source);
  const next = reader.nextOfValue();
  const hasColon = next?.kind === 'colon';
  const role = roleOf(found, hasColon);
  // The field has its value after the cursor, unless the next scalar is a key.
  const isValue = next?.kind === 'open' || (next?.kind === 'scalar' && reader.nextOfValue()?.kind !== 'colon');
  if (role === 'value' && !token && frame.kind !== 'list' && isValue) return undefined;
  const lacksComma = found.state === 'next' && role !== undefined;
  // On the line of the previous value, the next character is usually a comma.
  const isOnLine = previous && !source.text.slice(previous.end, span.start).includes('\n');
  if (!role || (lacksComma && (!previous || isOnLine))) return undefined;
  const place = {
    token: { start: span.start, end: span.end },
    quote: token?.quote,
    style: source.style,
    position: 'inline',
    column: 0,
    lead: role === 'value' && source.text.charAt(span.start - 1) === ':' ? ' ' : '',
    trail: hasColon || !next || next.kind === 'close' || next.kind === 'comma' ? '' : ',',
    missingComma: lacksComma ? previous?.end : undefined,
  } as const;
  if (role === 'field') {
    const siblings = frame.keys.filter(({ start }) => start !== token?.start).map(({ text }) => text);
    return { ...place, role, path, hasColon, siblings };
  }
  const segment = typeof found.segment === 'number' && lacksComma ? found.segment + 1 : found.segment;
  return { ...place, role, path: frame.kind === 'root' ? path : [...path, segment], hasColon: false, siblings: [] };
}

function roleOf({ frame, state, token }: Found, hasColon: boolean): Place['role'] | undefined {
  if (frame.kind === 'root') return state === 'value' ? 'value' : undefined;
  if (frame.kind === 'list') return hasColon ? undefined : 'value';
  if (state === 'value') return token && hasColon ? 'field' : 'value';
  return state === 'colon' && !token ? undefined : 'field';
}
