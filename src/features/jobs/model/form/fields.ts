import * as l10n from '@vscode/l10n';
import type {
  JobFormField,
  JobFormFile,
  JobFormMember,
  JobFormSimpleControl,
} from '../../../../webviews/jobForm/messages.ts';
import { isObject } from '../jobInput.ts';
import { resolved, type SchemaFields, type SchemaSource } from '../schema/resolvedSchema.ts';
import type { JsonSchema } from '../schema/schemaFiles.ts';

/* The fields of a form for a JSON schema. A part that has no control is edited as JSON. */

/** Maximum number of schemas that are read. */
const MAX_SCHEMAS = 2_000;
/** Maximum number of fields. The others are edited in the JSON. */
const MAX_FIELDS = 200;
const MAX_CHOICES = 1_000;
/** Maximum length of a text of the schema, in UTF-16 code units. */
const LONGEST_TEXT = 1_000;

/** Returns the fields of the members of an input, required ones first. An empty list if the schema names no members. */
export function formFields(schema: JsonSchema): readonly JobFormField[] {
  const root: SchemaSource = { schema, left: MAX_SCHEMAS };
  return membersOf(resolved(schema, root), root, (given, name) => {
    const part = resolved(given, root);
    const isGroup = typeIn(part) === 'object' && isObject(part['properties']) && !hasAlternatives(given);
    if (!isGroup) return memberControl(given, name, root);
    const members = membersOf(part, root, (member, own) => memberControl(member, own, root));
    return members.length > 0 ? { kind: 'group', members } : { kind: 'json' };
  });
}

function membersOf<Control>(
  schema: SchemaFields,
  root: SchemaSource,
  controlOf: (given: unknown, name: string) => Control,
) {
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const required = new Set(Array.isArray(schema['required']) ? (schema['required'] as unknown[]) : []);
  const members = Object.entries(properties)
    .filter(([, member]) => member !== false)
    .slice(0, MAX_FIELDS)
    .map(([name, member]) => {
      const part = resolved(member, root);
      const { title, description } = part;
      const defaultText = 'default' in part ? cut(JSON.stringify(part['default'])) : undefined;
      return {
        name,
        label: typeof title === 'string' && title !== '' ? cut(title) : name,
        ...(typeof description === 'string' && description !== '' && { description: cut(description) }),
        isRequired: required.has(name) && !('default' in part),
        ...(defaultText !== undefined && { defaultText }),
        control: controlOf(member, name),
      };
    });
  return [...members.filter(({ isRequired }) => isRequired), ...members.filter(({ isRequired }) => !isRequired)];
}

function cut(text: string): string {
  return text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT - 1)}…` : text;
}

function memberControl(given: unknown, name: string, root: SchemaSource): JobFormMember['control'] {
  const part = resolved(given, root);
  if (typeIn(part) !== 'array' || hasAlternatives(given) || !isObject(part['items']))
    return simpleControl(given, name, root);
  const item = simpleControl(part['items'], name, root);
  return item.kind === 'json' ? item : { kind: 'list', item };
}

function simpleControl(given: unknown, name: string, root: SchemaSource): JobFormSimpleControl {
  const part = resolved(given, root);
  const choices = choicesOf(given, part);
  if (choices) return { kind: 'choice', choices };
  if (hasAlternatives(given)) return { kind: 'json' };
  switch (typeIn(part)) {
    case 'boolean':
      return { kind: 'flag' };
    case 'integer':
    case 'number':
      return { kind: 'number', isInteger: typeIn(part) === 'integer', range: rangeOf(part) };
    case 'string':
      return textControl(part, name);
    default:
      return { kind: 'json' };
  }
}

/** Returns the only type of a value, apart from null. */
function typeIn({ type }: SchemaFields): unknown {
  if (!Array.isArray(type)) return type;
  const types = (type as unknown[]).filter((one) => one !== 'null');
  const isNumber = types.length === 2 && types.includes('integer') && types.includes('number');
  return isNumber ? 'number' : types.length === 1 ? types[0] : undefined;
}

/** Returns whether a value can have several forms, which one control cannot have. */
function hasAlternatives(schema: unknown): boolean {
  if (!isObject(schema)) return false;
  const { anyOf, oneOf } = schema;
  const alternatives = (Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : []) as unknown[];
  return alternatives.filter((one) => !isObject(one) || one['type'] !== 'null').length > 1;
}

/** Returns the values of an enumeration: those of `enum`, or of alternatives with `const` and a title. */
function choicesOf(given: unknown, part: SchemaFields) {
  const { oneOf, anyOf } = isObject(given) ? given : {};
  const alternatives = (Array.isArray(oneOf) ? oneOf : Array.isArray(anyOf) ? anyOf : []) as unknown[];
  const constants = alternatives.flatMap((one) =>
    isObject(one) && 'const' in one ? [{ value: one['const'], title: one['title'] }] : [],
  );
  if (constants.length > 0 && constants.length === alternatives.length)
    return constants.slice(0, MAX_CHOICES).map(({ value, title }) => ({
      label: cut(typeof title === 'string' ? title : labelOf(value)),
      value,
    }));
  const values = Array.isArray(part['enum'])
    ? (part['enum'] as unknown[])
    : 'const' in part
      ? [part['const']]
      : undefined;
  if (!values || values.length === 0) return undefined;
  return values.slice(0, MAX_CHOICES).map((value) => ({ label: cut(labelOf(value)), value }));
}

function labelOf(value: unknown): string {
  return typeof value === 'string' && value !== '' ? value : JSON.stringify(value);
}

function rangeOf(part: SchemaFields): string {
  const limit = (name: string) => (typeof part[name] === 'number' ? part[name] : undefined);
  const [min, above, max, below] = [
    limit('minimum'),
    limit('exclusiveMinimum'),
    limit('maximum'),
    limit('exclusiveMaximum'),
  ];
  if (min !== undefined && max !== undefined) return l10n.t`${min} to ${max}`;
  const low = min !== undefined ? l10n.t`at least ${min}` : above !== undefined ? l10n.t`more than ${above}` : '';
  const high = max !== undefined ? l10n.t`at most ${max}` : below !== undefined ? l10n.t`less than ${below}` : '';
  return [low, high].filter((words) => words !== '').join(l10n.t(', '));
}

const LONG_TEXT = /prompt|text|message|content|instruction|system|script|code|query|question|description/i;
const FILE = /(?:^|_)(?:image|img|picture|photo|mask|audio|video|voice|file|document|pdf)(?:s|_|$)|base64|b64/i;
/** Length from which a text gets several lines, in UTF-16 code units. */
const LONG = 200;

function textControl(part: SchemaFields, name: string): JobFormSimpleControl {
  const { contentEncoding, contentMediaType, format, maxLength, writeOnly } = part;
  const mediaType = typeof contentMediaType === 'string' ? contentMediaType : undefined;
  const file = fileForm(contentEncoding, mediaType, format);
  if (file) return { kind: 'file', file, ...(mediaType !== undefined && { mediaType }) };
  const isSecret = writeOnly === true || format === 'password';
  const isShort = format !== undefined || (typeof maxLength === 'number' && maxLength <= LONG);
  const isMultiline =
    !isSecret && !isShort && (LONG_TEXT.test(name) || typeof maxLength === 'number' || mediaType !== undefined);
  // A schema without an encoding often accepts an address and a data URL.
  const canBeFile = !isSecret && FILE.test(name) && (format === undefined || format === 'uri');
  const own: JobFormFile = /base64|b64/i.test(name) ? 'base64' : 'dataUrl';
  return { kind: 'text', isMultiline: isMultiline && !canBeFile, isSecret, ...(canBeFile && { file: own }) };
}

/** Returns how a file becomes a string, or undefined if the schema does not say that the string is a file. */
function fileForm(encoding: unknown, mediaType: string | undefined, format: unknown): JobFormFile | undefined {
  if (['data-url', 'data-uri', 'dataurl'].includes(String(format))) return 'dataUrl';
  if (encoding === 'base64' || format === 'byte' || format === 'binary') return 'base64';
  const isText = mediaType === undefined || mediaType.startsWith('text/') || mediaType === 'application/json';
  return isText ? undefined : 'dataUrl';
}
