import type {
  JobFormField,
  JobFormMember,
  JobFormPath,
  JobFormSimpleControl,
  JobFormValue,
} from '../../../../webviews/jobForm/messages.ts';
import { isObject } from '../jobInput.ts';

/* The values of an input, as its form shows them. */

/** Length from which a string is not sent to the page, in UTF-16 code units. */
const LONGEST_STRING = 20_000;
/** Maximum length of a value that is edited as JSON, in UTF-16 code units. */
const LONGEST_JSON = 100_000;
/** Maximum number of items of a list that have controls. */
const MAX_ITEMS = 100;

type Input = Readonly<Record<string, unknown>>;

/** Returns the values of the fields. */
export function formValues(fields: readonly JobFormField[], input: Input): readonly JobFormValue[] {
  return fields.flatMap(({ name, control }) => {
    const value = own(input, name);
    if (value === undefined) return [];
    if (control.kind !== 'group') return memberValues([name], value, control);
    if (!isObject(value)) return [jsonValue([name], value)];
    const members = control.members.flatMap((member) => {
      const inner = own(value, member.name);
      return inner === undefined ? [] : memberValues([name, member.name], inner, member.control);
    });
    // An empty object is a value, too.
    return [{ path: [name], count: Object.keys(value).length }, ...members];
  });
}

function own(values: Input, name: string): unknown {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}

function memberValues(path: JobFormPath, value: unknown, control: JobFormMember['control']): JobFormValue[] {
  if (control.kind !== 'list') return [simpleValue(path, value, control)];
  if (!Array.isArray(value) || value.length > MAX_ITEMS) return [jsonValue(path, value)];
  const items = value as readonly unknown[];
  return [
    { path, count: items.length },
    ...items.map((item, index) => simpleValue([...path, index], item, control.item)),
  ];
}

function simpleValue(path: JobFormPath, value: unknown, control: JobFormSimpleControl): JobFormValue {
  if (typeof value === 'string' && (control.kind === 'file' ? value.length > 0 : value.length > LONGEST_STRING))
    return { path, large: fileFacts(value) };
  return fits(value, control) && control.kind !== 'json' ? { path, value } : jsonValue(path, value);
}

function fits(value: unknown, control: JobFormSimpleControl): boolean {
  switch (control.kind) {
    case 'text':
    case 'file':
      return typeof value === 'string';
    case 'number':
      return typeof value === 'number';
    case 'flag':
      return typeof value === 'boolean';
    case 'choice': {
      const text = JSON.stringify(value);
      return control.choices.some((choice) => JSON.stringify(choice.value) === text);
    }
    case 'json':
      return true;
  }
}

function jsonValue(path: JobFormPath, value: unknown): JobFormValue {
  const text = JSON.stringify(value);
  return text.length > LONGEST_JSON
    ? { path, large: { bytes: Buffer.byteLength(text) } }
    : { path, value, isJson: true };
}

const DATA_URL = /^data:([\w.+/-]{1,100})?(?:;[^,]{0,200})?,/;

/** Returns the size of the file in a string, in bytes, and its type. */
function fileFacts(value: string): NonNullable<JobFormValue['large']> {
  const [head = '', mediaType] = DATA_URL.exec(value.slice(0, 400)) ?? [];
  const encoded = value.length - head.length;
  const padding = value.endsWith('==') ? 2 : value.endsWith('=') ? 1 : 0;
  return { bytes: Math.floor((encoded * 3) / 4) - padding, ...(mediaType !== undefined && { mediaType }) };
}

/** An input with short strings, which can be checked quickly, and the paths of the strings that were shortened. */
export interface ShortInput {
  readonly input: unknown;
  readonly shortened: readonly string[];
}

/** Shortens the long strings of an input. A path is the JSON text of its list. */
export function shortInput(input: unknown): ShortInput {
  const shortened: string[] = [];
  const shorten = (value: unknown, path: JobFormPath): unknown => {
    if (typeof value === 'string' && value.length > LONGEST_STRING) {
      shortened.push(JSON.stringify(path));
      return value.slice(0, 100);
    }
    if (Array.isArray(value)) return value.map((item, index) => shorten(item, [...path, index]));
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shorten(member, [...path, name])]));
  };
  return { input: shorten(input, []), shortened };
}

/** Returns the paths of required values that are missing. */
export function missingValues(fields: readonly JobFormField[], input: Input): readonly JobFormPath[] {
  return fields.flatMap(({ name, isRequired, control }) => {
    const value = own(input, name);
    if (value === undefined) return isRequired ? [[name]] : [];
    if (control.kind !== 'group' || !isObject(value)) return [];
    return control.members
      .filter((member) => member.isRequired && own(value, member.name) === undefined)
      .map((member) => [name, member.name]);
  });
}
