import { stringify } from 'yaml';
import { isFields, type Fields } from './editedValue.ts';
import type { Eol } from './lines.ts';

/* Text of values in YAML, indented by hand so that it fits its surroundings. */

export interface YamlStyle {
  readonly eol: Eol;
  /** Indentation of maps in maps, in columns. */
  readonly mapIndent: number;
  /** Indentation of lists in maps, in columns. */
  readonly listIndent: number;
  readonly singleQuote: boolean;
}

/** Characters that need an escape. */
const UNPRINTABLE = /[\p{C}\u2028\u2029]/u;

/** A value after `key:` or `-`. */
export interface BlockText {
  /** Text on the line of the key. Empty for a map or list in block style. */
  readonly head: string;
  /** Lines below, relative to the column of the key. */
  readonly rest: readonly string[];
}

export function blockText(value: unknown, style: YamlStyle): BlockText {
  if (isFields(value) && Object.keys(value).length > 0)
    return { head: '', rest: indented(mapLines(value, style), style.mapIndent) };
  if (Array.isArray(value) && value.length > 0)
    return { head: '', rest: indented(listLines(value, style), style.listIndent) };
  const lines = typeof value === 'string' ? literalLines(value) : undefined;
  if (lines) {
    return { head: String(value).endsWith('\n') ? '|' : '|-', rest: indented(lines, style.mapIndent) };
  }
  return { head: flowText(value, style), rest: [] };
}

/** Returns the lines of a text that a literal block scalar represents exactly, or undefined. */
function literalLines(text: string): readonly string[] | undefined {
  if (!text.includes('\n')) return undefined;
  const lines = text.replace(/\n$/, '').split('\n');
  const isExact = lines.every((line) => !UNPRINTABLE.test(line) && (line === '' || /\S/.test(line)));
  return isExact && /^\S/.test(text) && lines.at(-1) !== '' ? lines : undefined;
}

/** Returns the text of an item after its dash. */
export function itemText(value: unknown, style: YamlStyle): BlockText {
  const [first = '', ...rest] = listLines([value], style);
  return { head: first.slice(2), rest };
}

export function mapLines(fields: Fields, style: YamlStyle): string[] {
  return Object.entries(fields).flatMap(([name, value]) => {
    const { head, rest } = blockText(value, style);
    return [`${keyText(name, style)}:${head && ` ${head}`}`, ...rest];
  });
}

export function listLines(items: readonly unknown[], style: YamlStyle): string[] {
  return items.flatMap((item) => {
    const { head, rest } = blockText(item, style);
    if (head !== '') return [`- ${head}`, ...rest];
    const [first = '', ...lines] = Array.isArray(item) ? listLines(item, style) : mapLines(item as Fields, style);
    return [`- ${first}`, ...indented(lines, 2)];
  });
}

/** Returns the text of a value on one line. It is valid in flow and block style. */
export function flowText(value: unknown, style: YamlStyle): string {
  if (Array.isArray(value)) return `[${value.map((item) => flowText(item, style)).join(', ')}]`;
  if (!isFields(value)) return scalarText(value, style);
  const members = Object.entries(value).map(([name, inner]) => `${keyText(name, style)}: ${flowText(inner, style)}`);
  return members.length > 0 ? `{ ${members.join(', ')} }` : '{}';
}

/** Returns the text of a property name. A name that would be another type, or that merges a map, is quoted. */
export function keyText(name: string, style: YamlStyle): string {
  return name === '<<' ? quoted(name, style) : scalarText(name, style);
}

/** Returns a string in quotation marks. Single ones cannot represent line breaks and control characters. */
export function quoted(text: string, { singleQuote }: Pick<YamlStyle, 'singleQuote'>): string {
  return singleQuote && !UNPRINTABLE.test(text) ? `'${text.replaceAll("'", "''")}'` : JSON.stringify(text);
}

function scalarText(value: unknown, style: YamlStyle): string {
  if (typeof value === 'string' && (UNPRINTABLE.test(value) || value === '')) return quoted(value, style);
  // In a list in flow style, a string is quoted if it needs quotation marks in any place. YAML 1.1 has more words that are not strings.
  const text = stringify([value], { collectionStyle: 'flow', lineWidth: 0, compat: 'yaml-1.1' });
  const plain = text.trim().slice(1, -1).trim();
  return typeof value === 'string' && /^["']/.test(plain) ? quoted(value, style) : plain;
}

function indented(lines: readonly string[], columns: number): string[] {
  return lines.map((line) => (line === '' ? '' : ' '.repeat(columns) + line));
}
