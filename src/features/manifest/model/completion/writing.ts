import { stringify } from 'yaml';
import type { Place } from './entries.ts';

/* How a completion writes names and values at its place. */

export interface Writing {
  readonly style: Place['style'];
  /** Indentation of one level. */
  readonly unit: string;
  /** Indentation of the line. */
  readonly indent: string;
  /** Whether a map in braces has one line for each field. */
  readonly multiline: boolean;
  key(name: string): string;
  scalar(value: unknown): string;
}

const DEFAULT_UNIT = '  ';
const CONTROLS = /[\p{Cc}\u2028\u2029]/u;

export function writingAt(text: string, { style, quote, token }: Pick<Place, 'style' | 'quote' | 'token'>): Writing {
  const scalar = (value: unknown): string => {
    if (style === 'json') return JSON.stringify(value);
    if (typeof value === 'string' && quote)
      return quote === '"' || CONTROLS.test(value) ? JSON.stringify(value) : singleQuoted(value);
    return yamlScalar(value, style === 'flow');
  };
  const before = text.slice(text.lastIndexOf('\n', token.start - 1) + 1, token.start);
  return {
    style,
    unit: style === 'json' ? indentationOf(text) : DEFAULT_UNIT,
    indent: /^[ \t]*/.exec(before)?.[0] ?? '',
    multiline: style === 'json' && before.trim() === '',
    scalar,
    key: (name) => scalar(name),
  };
}

/** Writes a value as a YAML scalar, with quotation marks only where they are necessary. */
function yamlScalar(value: unknown, isFlow: boolean): string {
  if (typeof value !== 'string') return String(value);
  // Line breaks would start a block scalar, and brackets would end a plain scalar in a flow collection.
  if (CONTROLS.test(value)) return JSON.stringify(value);
  if (isFlow && /[,[\]{}]/.test(value)) return singleQuoted(value);
  return stringify(value, { singleQuote: true, lineWidth: 0 }).trimEnd();
}

function singleQuoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** Returns the indentation of the first indented line. */
function indentationOf(text: string): string {
  return /^(?:\t| {1,8})(?=\S)/m.exec(text)?.[0] ?? DEFAULT_UNIT;
}
