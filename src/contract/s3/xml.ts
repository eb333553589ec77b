import { parseXml, XmlElement, XmlText, type XmlNode } from '@rgrove/parse-xml';

/*
 * A shape describes the children of an XML element. The same shape writes and reads a document, so that both directions agree. Unknown
 * elements are ignored, as S3 clients and servers do.
 */

/** Text, an integer, or true or false between tags; another shape; or a list of elements with the same name. `?` may be absent. */
export type XmlField = 'text' | 'text?' | 'integer' | 'integer?' | 'flag' | 'flag?' | XmlShape | readonly [XmlField];
export interface XmlShape {
  readonly [name: string]: XmlField;
}

type Scalar<Field> = Field extends 'text' | 'text?' ? string : Field extends 'integer' | 'integer?' ? number : boolean;
type FieldValue<Field extends XmlField> = Field extends string
  ? Scalar<Field>
  : Field extends readonly [infer Item extends XmlField]
    ? readonly FieldValue<Item>[]
    : Field extends XmlShape
      ? XmlValue<Field>
      : never;
type OptionalNames<Shape> = { [Name in keyof Shape]: Shape[Name] extends `${string}?` ? Name : never }[keyof Shape];

/** Value of a document with a shape. Absent lists are empty. */
export type XmlValue<Shape extends XmlShape> = {
  readonly [Name in Exclude<keyof Shape, OptionalNames<Shape>>]: FieldValue<Shape[Name]>;
} & { readonly [Name in OptionalNames<Shape>]?: FieldValue<Shape[Name]> | undefined };

/** A document, by the name of its root element. */
export interface XmlDocument<Shape extends XmlShape = XmlShape> {
  readonly root: string;
  readonly shape: Shape;
}

export const xmlDocument = <const Shape extends XmlShape>(root: string, shape: Shape): XmlDocument<Shape> => ({
  root,
  shape,
});

/** Thrown for a text that is not well-formed XML, or has another shape. */
export class XmlProblem extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'XmlProblem';
  }
}

const NAMESPACE = 'http://s3.amazonaws.com/doc/2006-03-01/';

/** Writes a document. Omits fields that are undefined. */
export function writeXml<Shape extends XmlShape>({ root, shape }: XmlDocument<Shape>, value: XmlValue<Shape>): string {
  const namespace = root === 'Error' ? '' : ` xmlns="${NAMESPACE}"`;
  const content = written(shape, value);
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${root}${namespace}>${content}</${root}>`;
}

function written(shape: XmlShape, value: Readonly<Record<string, unknown>>): string {
  return Object.entries(shape)
    .map(([name, field]) => {
      const content = value[name];
      if (content === undefined) return '';
      if (!Array.isArray(field)) return element(name, field as Exclude<XmlField, readonly [XmlField]>, content);
      const [item] = field as readonly [Exclude<XmlField, readonly [XmlField]>];
      return (content as readonly unknown[]).map((one) => element(name, item, one)).join('');
    })
    .join('');
}

function element(name: string, field: Exclude<XmlField, readonly [XmlField]>, value: unknown): string {
  const content =
    typeof field === 'string' ? escaped(String(value)) : written(field, value as Readonly<Record<string, unknown>>);
  return `<${name}>${content}</${name}>`;
}

/** Line breaks and other control characters would not survive as themselves. XML 1.0 cannot contain some of them even as references. */
const SPECIAL = /[&<>"\u0000-\u001f\u007f]/g;

function escaped(text: string): string {
  return text.replace(SPECIAL, (character) => ENTITIES[character] ?? `&#x${character.charCodeAt(0).toString(16)};`);
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/**
 * Reads a document. The parser knows no entities except those of XML itself, so a text cannot expand.
 *
 * @throws XmlProblem
 */
export function readXml<Shape extends XmlShape>({ root, shape }: XmlDocument<Shape>, text: string): XmlValue<Shape> {
  let found: XmlElement | null;
  try {
    // The parser would need quadratic time to normalize line breaks (XML 1.0, section 2.11).
    found = parseXml(text.replace(/\r\n?/g, '\n')).root;
  } catch (error) {
    // A RangeError for too many nested elements has no message worth showing.
    throw new XmlProblem('it is not well-formed', { cause: error });
  }
  if (found?.name !== root) throw new XmlProblem(`its root element is not ${root}`);
  return read(shape, found, root) as XmlValue<Shape>;
}

function read(shape: XmlShape, { children }: XmlElement, path: string): Record<string, unknown> {
  const value: Record<string, unknown> = {};
  const elements = children.filter(isElement);
  for (const [name, field] of Object.entries(shape)) {
    const found = elements.filter((one) => one.name === name);
    const at = `${path}.${name}`;
    if (Array.isArray(field)) {
      const [item] = field as readonly [Exclude<XmlField, readonly [XmlField]>];
      value[name] = found.map((one) => fieldOf(item, one, at));
      continue;
    }
    const [first, second] = found;
    if (second) throw new XmlProblem(`${at} occurs more than once`);
    if (first) value[name] = fieldOf(field as Exclude<XmlField, readonly [XmlField]>, first, at);
    else if (typeof field !== 'string' || !field.endsWith('?')) throw new XmlProblem(`${at} is missing`);
  }
  return value;
}

function fieldOf(field: Exclude<XmlField, readonly [XmlField]>, found: XmlElement, path: string): unknown {
  if (typeof field !== 'string') return read(field, found, path);
  const text = textOf(found);
  if (field.startsWith('text')) return text;
  const trimmed = text.trim();
  if (field.startsWith('flag')) {
    if (trimmed !== 'true' && trimmed !== 'false') throw new XmlProblem(`${path} is not true or false`);
    return trimmed === 'true';
  }
  if (!/^\d{1,15}$/.test(trimmed)) throw new XmlProblem(`${path} is not an integer`);
  return Number(trimmed);
}

const isElement = (node: XmlNode): node is XmlElement => node instanceof XmlElement;

/** Returns the text directly between the tags of an element. */
function textOf({ children }: XmlElement): string {
  return children.map((child) => (child instanceof XmlText ? child.text : '')).join('');
}
