import { discriminatorOf, fieldsOf, kindsOf, type FieldSchema } from '../fields/fieldSchema.ts';
import type { Writing } from './writing.ts';
import { snippetText } from '../../../../text/snippetText.ts';

/* The text of a new field: its required parts, with placeholders. */

/** The parts of a value that a completion inserts. */
export type Sketch =
  | { readonly kind: 'map'; readonly members: readonly (readonly [name: string, value: Sketch])[] }
  | { readonly kind: 'list'; readonly items: readonly Sketch[] }
  /** A map whose names the user chooses. */
  | { readonly kind: 'names' }
  | { readonly kind: 'value'; readonly value: unknown }
  /** A place to type a value. Its text is a suggestion. */
  | { readonly kind: 'hole'; readonly suggested?: number | undefined; readonly isText: boolean }
  /** A place to choose a value of an enumeration. */
  | { readonly kind: 'choice'; readonly values: readonly string[] };

/** Returns the required parts of a field. `accepts` decides which alternative of a discriminated union fits the manifest. */
export function sketchOf(schema: FieldSchema, accepts: (alternative: FieldSchema) => boolean): Sketch {
  const [kind] = kindsOf(schema).toReversed();
  switch (kind) {
    case 'map': {
      if (typeof schema.additionalProperties === 'object') return { kind: 'names' };
      const alternative = schema.oneOf?.find(accepts) ?? schema.oneOf?.[0] ?? schema;
      const selector = schema.oneOf && discriminatorOf(schema);
      const required = fieldsOf(alternative).filter((field) => field.required);
      const members = required.map(({ name, schema: member }): [string, Sketch] => [
        name,
        name === selector ? { kind: 'value', value: member.const } : memberSketch(member, accepts),
      ]);
      return { kind: 'map', members };
    }
    case 'list':
      return { kind: 'list', items: [sketchOf(schema.items ?? {}, accepts)] };
    case 'number': {
      const suggested = schema.default ?? schema.examples?.[0] ?? schema.minimum;
      return { kind: 'hole', isText: false, suggested: typeof suggested === 'number' ? suggested : undefined };
    }
    default:
      return { kind: 'hole', isText: kind !== 'boolean' };
  }
}

function memberSketch(schema: FieldSchema, accepts: (alternative: FieldSchema) => boolean): Sketch {
  // The editor suggests values only at the first placeholder, so the others list their values.
  return schema.enum ? { kind: 'choice', values: schema.enum.map(String) } : sketchOf(schema, accepts);
}

/** Returns a sketch of a value, such as an example of the contract. */
export function sketchOfValue(value: unknown): Sketch {
  if (Array.isArray(value)) return { kind: 'list', items: value.map(sketchOfValue) };
  if (typeof value !== 'object' || value === null) return { kind: 'value', value };
  return { kind: 'map', members: Object.entries(value).map(([name, member]) => [name, sketchOfValue(member)]) };
}

/** Returns whether the first placeholder of a sketch has values to suggest. */
export function asksForValue(sketch: Sketch): boolean {
  switch (sketch.kind) {
    case 'map': {
      const open = sketch.members.find(([, member]) => hasHole(member));
      return open ? asksForValue(open[1]) : sketch.members.length === 0;
    }
    case 'list':
      return sketch.items.some(asksForValue);
    case 'hole':
      return sketch.suggested === undefined;
    case 'names':
    case 'choice':
    case 'value':
      return false;
  }
}

function hasHole(sketch: Sketch): boolean {
  if (sketch.kind === 'map') return sketch.members.length === 0 || sketch.members.some(([, member]) => hasHole(member));
  if (sketch.kind === 'list') return sketch.items.some(hasHole);
  return sketch.kind !== 'value';
}

type ScalarSketch = Extract<Sketch, { kind: 'value' | 'hole' | 'choice' }>;

function isScalar(sketch: Sketch): sketch is ScalarSketch {
  return sketch.kind === 'value' || sketch.kind === 'hole' || sketch.kind === 'choice';
}

/** Writes sketches as a snippet. Its placeholders are numbered in reading order. */
export class SketchWriter {
  readonly #writing: Writing;
  #count = 0;

  constructor(writing: Writing) {
    this.#writing = writing;
  }

  /** Writes a field and its value. `column` is the column of its name in a block. */
  field(name: string, value: Sketch, column: number): string {
    return this.#finished(this.#field(name, value, column));
  }

  /** Writes a value after a colon that is already there. */
  afterColon(value: Sketch, column: number): string {
    const isBlock = this.#writing.style === 'block';
    return this.#finished(isBlock ? this.#afterColon(value, column).replace(/^ /, '') : this.#inline(value, 0));
  }

  /** Writes the value of an item, or a value on its own line. */
  own(value: Sketch, column: number): string {
    return this.#finished(this.#writing.style === 'block' ? this.#block(value, column) : this.#inline(value, 0));
  }

  /** Makes a single placeholder the final one, so that the snippet ends where the user types. */
  #finished(text: string): string {
    return this.#count === 1 ? text.replace(/(?<!\\)\$(\{?)1/, '$$$10') : text;
  }

  #field(name: string, value: Sketch, column: number): string {
    const written = snippetText(this.#writing.key(name));
    if (this.#writing.style !== 'block') return `${written}: ${this.#inline(value, column)}`;
    return `${written}:${this.#afterColon(value, column)}`;
  }

  #afterColon(value: Sketch, column: number): string {
    if (isScalar(value)) return ` ${this.#scalar(value)}`;
    const inner = column + this.#writing.unit.length;
    return `\n${' '.repeat(inner)}${this.#block(value, inner)}`;
  }

  /** Writes a value whose first line has its indentation already. */
  #block(value: Sketch, column: number): string {
    const separator = `\n${' '.repeat(column)}`;
    switch (value.kind) {
      case 'map':
        if (value.members.length === 0) return this.#hole('');
        return value.members.map(([name, member]) => this.#field(name, member, column)).join(separator);
      case 'list':
        return value.items.map((item) => `- ${this.#block(item, column + 2)}`).join(separator);
      case 'names':
        return `${this.#hole('NAME')}: ${this.#hole('')}`;
      case 'value':
      case 'choice':
      case 'hole':
        return this.#scalar(value);
    }
  }

  /** Writes a value in braces or brackets. `level` counts the levels of JSON above it. */
  #inline(value: Sketch, level: number): string {
    switch (value.kind) {
      case 'map':
        if (value.members.length === 0) return this.#enclosed('{', [this.#hole('')], level);
        return this.#enclosed(
          '{',
          value.members.map(([name, member]) => this.#field(name, member, level + 1)),
          level,
        );
      case 'names':
        return this.#enclosed('{', [`${this.#textHole('NAME')}: ${this.#textHole('')}`], level);
      case 'list': {
        const isNested = value.items.some(({ kind }) => kind === 'map');
        const items = value.items.map((item) => this.#inline(item, isNested ? level + 1 : level));
        return this.#enclosed('[', items, isNested ? level : undefined);
      }
      case 'hole':
        return value.isText ? this.#textHole('') : this.#scalar(value);
      case 'value':
      case 'choice':
        return this.#scalar(value);
    }
  }

  /** Encloses parts in brackets, with one line for each if a level is given and the place has room for lines. */
  #enclosed(open: '{' | '[', parts: readonly string[], level: number | undefined): string {
    const { multiline, unit, indent } = this.#writing;
    const close = open === '{' ? '\\}' : ']';
    if (level !== undefined && multiline) {
      const lineBreak = (depth: number): string => `\n${indent}${unit.repeat(depth)}`;
      return `${open}${lineBreak(level + 1)}${parts.join(`,${lineBreak(level + 1)}`)}${lineBreak(level)}${close}`;
    }
    const space = open === '{' && parts.some((part) => part.includes(':')) ? ' ' : '';
    return `${open}${space}${parts.join(', ')}${space}${close}`;
  }

  #scalar(value: ScalarSketch): string {
    if (value.kind === 'value') return snippetText(this.#writing.scalar(value.value));
    if (value.kind === 'choice') {
      this.#count++;
      const values = value.values.map((one) => this.#writing.scalar(one).replaceAll(/[\\,|]/g, '\\$&'));
      return `\${${this.#count}|${values.join(',')}|}`;
    }
    return this.#hole(value.suggested === undefined ? '' : String(value.suggested));
  }

  #textHole(text: string): string {
    return this.#writing.style === 'json' ? `"${this.#hole(text)}"` : this.#hole(text);
  }

  #hole(text: string): string {
    this.#count++;
    return text === '' ? `$${this.#count}` : `\${${this.#count}:${text}}`;
  }
}
