import type { Path } from '../../../../contract/violation.ts';
import type { Span } from '../../../../text/span.ts';
import { flowPlace } from './flowPlace.ts';
import type { Place } from './entries.ts';
import {
  contentOf,
  isDash,
  isDocumentMark,
  isEmpty,
  keyOf,
  lineAt,
  nextContent,
  plainOf,
  withoutProperties,
} from './yamlLine.ts';

/*
 * Finds the cursor in YAML. As in the specification, indentation decides the parent, so syntax errors elsewhere have no effect. Takes
 * linear time.
 */

/** A block around the current line: a map, or a list with dashes. */
interface Level {
  readonly kind: 'map' | 'list';
  readonly column: number;
  /** Current key or index. */
  segment: string | number;
  /** Whether the current entry has a value. */
  filled: boolean;
  /** Keys of the map so far. */
  readonly keys: string[];
}

/** The place of the cursor, or the offset of the next line to read. */
type Reading = { readonly place: Place | undefined } | { readonly next: number };

const NOTHING: Reading = { place: undefined };

/** Returns the place of the cursor, or undefined where nothing can be completed, such as in a comment or a block scalar. */
export function yamlPlace(text: string, offset: number): Place | undefined {
  const cursor = new YamlCursor(text, offset);
  let at = text.startsWith('\uFEFF') ? 1 : 0;
  while (at <= Math.min(offset, text.length)) {
    const reading = cursor.read(at);
    if ('place' in reading) return reading.place;
    at = reading.next;
  }
  return undefined;
}

class YamlCursor {
  readonly #text: string;
  readonly #offset: number;
  readonly #levels: Level[] = [];
  /** Minimum column of the lines of a block scalar, while the lines belong to one. */
  #scalarColumn: number | undefined;

  constructor(text: string, offset: number) {
    this.#text = text;
    this.#offset = offset;
  }

  /** Reads the line at an offset. */
  read(start: number): Reading {
    const line = lineAt(this.#text, start);
    const reading = this.#readLine(line);
    // The line of the cursor is the last one.
    return 'next' in reading && this.#offset < reading.next ? NOTHING : reading;
  }

  #readLine(line: Span): Reading {
    const next = { next: line.end + 1 };
    if (isDocumentMark(this.#text, line)) {
      this.#levels.length = 0;
      this.#scalarColumn = undefined;
      return next;
    }
    const content = contentOf(this.#text, line);
    const isBlank = content.start === content.end;
    const column = (isBlank ? Math.min(this.#offset, line.end) : content.start) - line.start;
    if (this.#scalarColumn !== undefined) {
      if (column >= this.#scalarColumn) return next;
      if (!isBlank) this.#scalarColumn = undefined;
    }
    const isHere = this.#offset <= line.end;
    if (isEmpty(this.#text, content)) {
      if (!isHere || (!isBlank && this.#offset > content.start)) return next;
      return { place: this.#placeOnLine(line, { start: this.#offset, end: this.#offset }) };
    }
    if (isHere && this.#offset < content.start) return NOTHING;
    return this.#readContent(line, content);
  }

  /** Reads dashes, and the content after them. */
  #readContent(line: Span, content: Span): Reading {
    let rest = content;
    while (isDash(this.#text, rest)) {
      const dash = rest.start;
      this.#enterItem(dash - line.start);
      rest = contentOf(this.#text, { start: dash + 1, end: rest.end });
      if (this.#offset <= dash) return NOTHING;
      const isLast = isEmpty(this.#text, rest);
      const isBefore = this.#offset <= line.end && (isLast || this.#offset < rest.start);
      if (isBefore && (!isLast || (rest.start < rest.end && this.#offset > rest.start))) return NOTHING;
      if (isBefore) return { place: this.#emptyItem(line, dash) };
      if (isLast) return { next: line.end + 1 };
      this.#fill();
    }
    return this.#readNode(line, rest, rest !== content);
  }

  /** Returns the place after a dash without content. */
  #emptyItem(line: Span, dash: number): Place | undefined {
    const lead = this.#offset === dash + 1 ? ' ' : '';
    const column = this.#offset + lead.length - line.start;
    const following = nextContent(this.#text, line);
    const isContinued = following !== undefined && following.column > dash - line.start;
    if (isContinued && following.column !== column) return undefined;
    return {
      ...this.#value('item', column, this.#empty(), lead),
      continuedBy: isContinued ? following.kind : undefined,
    };
  }

  /** Reads a key with its value, or a value that begins the line or the item. */
  #readNode(line: Span, content: Span, isItem: boolean): Reading {
    const column = content.start - line.start;
    const key = keyOf(this.#text, content);
    if (key) {
      this.#enterKey(column, key.name);
      if (this.#offset <= key.end) return { place: this.#field(column, key, { quote: key.quote, hasColon: true }) };
      if (this.#offset <= key.colon) return NOTHING;
      return this.#readValue(line, { start: key.colon + 1, end: content.end }, column);
    }
    const first = this.#text.charAt(content.start);
    if (!isItem) this.#leave(column);
    if (first === '|' || first === '>') return this.#enterScalar(line);
    if (/["'[{]/.test(first)) return this.#readQuotedOrFlow(line, content, isItem);
    const token = this.#plain(line, content);
    if (this.#offset > token.end) return { next: line.end + 1 };
    return { place: isItem ? this.#value('item', column, token) : this.#placeOnLine(line, token) };
  }

  #readQuotedOrFlow(line: Span, content: Span, isItem: boolean): Reading {
    const column = content.start - line.start;
    const first = this.#text.charAt(content.start);
    const top = this.#levels.at(-1);
    if (!isItem) {
      const isKey = !top || top.column === column;
      if (isKey && (first === '"' || first === "'")) {
        if (this.#offset > line.end) return { next: line.end + 1 };
        const place = this.#placeOnLine(line, content);
        return { place: place && { ...place, quote: first } };
      }
      if (top && (isKey || top.filled)) return { next: line.end + 1 };
    }
    this.#fill();
    return this.#readFlow(line, content, { path: this.#path(), position: isItem ? 'item' : 'line', column });
  }

  /** Reads the value after a colon. */
  #readValue(line: Span, after: Span, column: number): Reading {
    const content = withoutProperties(this.#text, contentOf(this.#text, after));
    if (isEmpty(this.#text, content)) {
      const isComment = content.start < content.end;
      if (this.#offset > line.end || (isComment && this.#offset > content.start)) return { next: line.end + 1 };
      if (this.#offset > after.start && /\S/.test(this.#text.charAt(this.#offset - 1))) return NOTHING;
      const lead = this.#offset === after.start ? ' ' : '';
      return { place: this.#value('inline', column, this.#empty(), lead) };
    }
    this.#fill();
    if (this.#offset < content.start) return NOTHING;
    const first = this.#text.charAt(content.start);
    if (first === '|' || first === '>') return this.#enterScalar(line);
    if (/["'[{]/.test(first)) return this.#readFlow(line, content, { path: this.#path(), position: 'inline', column });
    const token = this.#plain(line, content);
    if (first === '*' || this.#offset > token.end) return { next: line.end + 1 };
    return { place: this.#value('inline', column, token) };
  }

  /** Returns the plain scalar with the blanks before the cursor, because the next word belongs to the scalar too. */
  #plain(line: Span, content: Span): Span {
    const { start, end } = plainOf(this.#text, content);
    const isAtEnd = end === content.end && this.#offset > end && this.#offset <= line.end;
    return { start, end: isAtEnd ? this.#offset : end };
  }

  #enterScalar(line: Span): Reading {
    this.#scalarColumn = (this.#levels.at(-1)?.column ?? -1) + 1;
    return { next: line.end + 1 };
  }

  /** Reads a quoted scalar, or braces or brackets, which can span lines. */
  #readFlow(line: Span, { start }: Span, at: Pick<Place, 'path' | 'position' | 'column'>): Reading {
    const parentColumn = this.#levels.at(-1)?.column ?? -1;
    const source = {
      text: this.#text,
      style: 'flow',
      start,
      offset: this.#offset,
      path: at.path,
      parentColumn,
    } as const;
    const { end, inside, place } = flowPlace(source);
    // The whole value is a scalar of the block.
    const isScalar = place?.token.start === start;
    if (inside) return { place: isScalar ? { ...place, ...at, style: 'block', trail: '' } : place };
    return { next: Math.max(line.end, lineAt(this.#text, Math.min(end, this.#text.length)).end) + 1 };
  }

  #enterItem(column: number): void {
    this.#leave(column);
    const top = this.#levels.at(-1);
    if (top?.kind === 'list' && top.column === column) {
      top.segment = Number(top.segment) + 1;
      top.filled = false;
      return;
    }
    this.#fill();
    this.#levels.push({ kind: 'list', column, segment: 0, filled: false, keys: [] });
  }

  #enterKey(column: number, name: string): void {
    this.#leave(column);
    if (this.#isListOfParent(column)) this.#levels.pop();
    let top = this.#levels.at(-1);
    if (top?.kind !== 'map' || top.column !== column) {
      this.#fill();
      top = { kind: 'map', column, segment: name, filled: false, keys: [] };
      this.#levels.push(top);
    }
    top.segment = name;
    top.filled = false;
    top.keys.push(name);
  }

  /** Ends the blocks that are indented further than a column. */
  #leave(column: number): void {
    while ((this.#levels.at(-1)?.column ?? -1) > column) this.#levels.pop();
  }

  #fill(): void {
    const top = this.#levels.at(-1);
    if (top) top.filled = true;
  }

  /** Returns whether the innermost block is a list whose dashes have this column. */
  #isListOfParent(column: number): boolean {
    const top = this.#levels.at(-1);
    return top?.kind === 'list' && top.column === column;
  }

  #path(): Path {
    return this.#levels.map(({ segment }) => segment);
  }

  #empty(): Span {
    return { start: this.#offset, end: this.#offset };
  }

  /** Returns the place of a token that begins a line and is not a key with a colon. */
  #placeOnLine(line: Span, token: Span): Place | undefined {
    const column = token.start - line.start;
    this.#leave(column);
    const following = nextContent(this.#text, line);
    // The next line would become a child of the completion, or its indentation would match no block.
    if (following && following.column > column) return undefined;
    const isContinued = following?.column === column;
    if (following && !isContinued && !this.#levels.some((level) => level.column === following.column)) return undefined;

    const continuedBy = isContinued ? following.kind : undefined;
    const isItem = this.#isListOfParent(column);
    const isOfParentMap = isItem && this.#levels.at(-2)?.column === column;
    if (isItem && !(isOfParentMap && continuedBy !== 'item')) {
      if (continuedBy === 'key') return undefined;
      const top = this.#levels.at(-1);
      const path = [...this.#path().slice(0, -1), Number(top?.segment) + 1];
      return { ...this.#value('item', column + 2, token, '- '), path };
    }
    if (isOfParentMap) this.#levels.pop();
    const top = this.#levels.at(-1);
    if (!top || top.column === column)
      return continuedBy === 'item' ? undefined : this.#field(column, token, { hasColon: false });
    return top.filled ? undefined : { ...this.#value('line', column, token), continuedBy };
  }

  #value(position: Place['position'], column: number, { start, end }: Span, lead = ''): Place {
    return {
      ...{
        role: 'value',
        path: this.#path(),
        token: { start, end },
        quote: undefined,
        style: 'block',
        position,
        column,
      },
      ...{ lead, trail: '', hasColon: false, siblings: [] },
    };
  }

  #field(
    column: number,
    { start, end }: Span,
    written: Pick<Place, 'hasColon'> & Partial<Pick<Place, 'quote'>>,
  ): Place {
    const top = this.#levels.at(-1);
    const isInMap = top?.column === column && top.kind === 'map';
    const keys = isInMap ? top.keys.slice(0, written.hasColon ? -1 : undefined) : [];
    const path = isInMap ? this.#path().slice(0, -1) : this.#path();
    return {
      ...{ role: 'field', path, token: { start, end }, quote: written.quote, style: 'block', position: 'line', column },
      ...{ lead: '', trail: '', hasColon: written.hasColon, siblings: keys },
    };
  }
}
