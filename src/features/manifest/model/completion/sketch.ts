import { stringify } from 'yaml';
import { snippetText } from '../../../../text/snippetText.ts';
import { discriminatorOf, fieldsOf, kindsOf, type FieldSchema } from '../fields/fieldSchema.ts';
import type { Place } from './place.ts';

/* The text of a new field: its required parts, with placeholders. */

/** A placeholder of a snippet. */
interface Hole {
  /** Suggested text. */
  readonly text: string;
  /** Values to choose from. */
  readonly values?: readonly string[];
  /** Whether the placeholder is a string, which has quotation marks in JSON. */
  readonly isText?: boolean;
  /** Whether the editor can suggest values there. */
  readonly asks?: boolean;
}

/** A value with names such as `HOLE_0_` in place of its placeholders. A map that consists of a placeholder has the member `HOLE_0_: null`. */
export interface Sketch {
  readonly value: unknown;
  /** The placeholders in reading order. */
  readonly holes: readonly Hole[];
}

/** Returns the required parts of a field. `accepts` decides which alternative of a discriminated union fits the manifest. */
export function sketchOf(schema: FieldSchema, accepts: (alternative: FieldSchema) => boolean): Sketch {
  const holes: Hole[] = [];
  const add = (hole: Hole) => `HOLE_${holes.push(hole) - 1}_`;
  return { value: valueOf(schema), holes };

  function valueOf(part: FieldSchema): unknown {
    const [kind] = kindsOf(part).toReversed();
    switch (kind) {
      case 'map': {
        const { additionalProperties: others } = part;
        if (typeof others === 'object' && kindsOf(others).includes('map')) {
          const [name = 'NAME'] = Object.keys(part.examples?.[0] ?? {});
          return { [add({ text: name, isText: true })]: valueOf(others) };
        }
        if (typeof others === 'object')
          return { [add({ text: 'NAME', isText: true })]: add({ text: '', isText: true }) };
        const alternative = part.oneOf?.find(accepts) ?? part.oneOf?.[0] ?? part;
        const selector = part.oneOf && discriminatorOf(part);
        const required = fieldsOf(alternative).filter((field) => field.required);
        if (required.length === 0) return { [add({ text: '', asks: true })]: null };
        return Object.fromEntries(
          required.map(({ name, schema: member }) => [name, name === selector ? member.const : memberOf(member)]),
        );
      }
      case 'list':
        return [valueOf(part.items ?? {})];
      case 'number': {
        const suggested = part.default ?? part.examples?.[0] ?? part.minimum;
        return typeof suggested === 'number' ? add({ text: String(suggested) }) : add({ text: '', asks: true });
      }
      default:
        return add({ text: '', isText: kind !== 'boolean', asks: true });
    }
  }

  /** The editor suggests values only at the first placeholder, so the others list their values. */
  function memberOf(part: FieldSchema): unknown {
    return part.enum ? add({ text: '', values: part.enum.map(String) }) : valueOf(part);
  }
}

/** Returns whether the first placeholder of a sketch has values to suggest. */
export function asksForValue({ holes }: Sketch): boolean {
  return holes[0]?.asks ?? false;
}

/** Returns the snippet of a field and its value. `column` is the column of its name in a block. */
export function fieldSnippet(name: string, sketch: Sketch, writing: Writing, column: number): string {
  return snippetOf(`${writing.key(name)}:${afterColon(sketch.value, writing, column)}`, sketch, writing);
}

/** Returns the snippet of a value after a colon that is already there. */
export function valueSnippet(sketch: Sketch, writing: Writing, column: number): string {
  return snippetOf(afterColon(sketch.value, writing, column).replace(/^ /, ''), sketch, writing);
}

/** Returns the snippet of an item, or of a value on its own line. */
export function itemSnippet(sketch: Sketch, writing: Writing, column: number): string {
  const { value } = sketch;
  return snippetOf(writing.style === 'block' ? block(value, column) : inline(value, writing), sketch, writing);
}

function afterColon(value: unknown, writing: Writing, column: number): string {
  return writing.style === 'block' ? block({ k: value }, column).slice('k:'.length) : ` ${inline(value, writing)}`;
}

const YAML = { singleQuote: true, lineWidth: 0 } as const;

/** Writes a value whose first line has its indentation already. */
function block(value: unknown, column: number): string {
  return stringify(value, YAML)
    .trimEnd()
    .replaceAll('\n', `\n${' '.repeat(column)}`);
}

/** Writes a value in braces or brackets. In JSON, each member has its own line if the place has room for lines. */
function inline(value: unknown, { style, multiline, unit, indent }: Writing): string {
  if (style !== 'json') return unpadded(stringify(value, { ...YAML, collectionStyle: 'flow' }).trimEnd());
  const text = JSON.stringify(value, null, multiline ? unit : 1).replaceAll('\n', multiline ? `\n${indent}` : ' ');
  return unpadded(multiline ? text : text.replaceAll(/ +/g, ' '));
}

/** Joins the lines of lists of scalars, and removes the white space in their brackets and around a placeholder in braces. */
function unpadded(text: string): string {
  return text
    .replaceAll(/\[\s+([^[\]{}]*?)\s+\]/g, (_, items: string) => `[${items.replaceAll(/\s*\n\s*/g, ' ')}]`)
    .replaceAll(/\{ ("?HOLE_\d+_"?: null) \}/g, '{$1}');
}

/** Replaces the names of placeholders. A single placeholder is the final one, so that the snippet ends where the user types. */
function snippetOf(text: string, { holes }: Sketch, writing: Writing): string {
  return snippetText(text).replaceAll(/("?)HOLE_(\d+)_"?(?:: null)?/g, (_, quote: string, index: string) => {
    const { text: suggested, values, isText = false } = holes[Number(index)] ?? { text: '' };
    const number = holes.length === 1 ? 0 : Number(index) + 1;
    const choices = values?.map((one) => writing.scalar(one).replaceAll(/[\\,|]/g, '\\$&')).join(',');
    const content = choices === undefined ? suggested && `:${suggested}` : `|${choices}|`;
    const placeholder = content === '' ? `$${number}` : `\${${number}${content}}`;
    return isText ? quote + placeholder + quote : placeholder;
  });
}

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
