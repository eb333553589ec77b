import { withoutControls } from '../../text/shownText.ts';

/* Output of tools. A model reads all of it, so it has a maximum size, and no characters that a person would not see. */

/** Maximum size of an output, in UTF-16 code units of its JSON. */
export const LARGEST_OUTPUT = 30_000;

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** How much of a value is kept. */
interface Limits {
  /** UTF-16 code units of a string. */
  readonly text: number;
  /** Elements of an array, and members of an object. */
  readonly items: number;
  /** Levels of arrays and objects. */
  readonly depth: number;
}

const WHOLE: Limits = { text: Infinity, items: Infinity, depth: 100 };
/** Factor between two attempts to fit a value. */
const STEP = 0.75;
const SMALLEST: Limits = { text: 40, items: 2, depth: 3 };

/**
 * Returns a value for JSON with at most `largest` code units. Long strings and arrays are cut, and state how much is left out. Removes
 * control characters and invisible characters.
 *
 * @param value any value that `JSON.stringify` accepts
 * @param clean changes each string, such as by removing secrets
 */
export function boundedOutput(value: unknown, clean = (text: string) => text, largest = LARGEST_OUTPUT): Json {
  const cleanText = (text: string): string => cleanEnds(text, (end) => clean(withoutControls(end)));
  const json = cut(JSON.parse(JSON.stringify(value ?? null)) as Json, WHOLE, cleanText);
  if (sizeOf(json) <= largest) return json;
  const unchanged = (text: string) => text;
  for (let text = largest, items = largest / 10; text > SMALLEST.text; text *= STEP, items *= STEP) {
    const limits = { text: Math.floor(text), items: Math.floor(items), depth: 12 };
    const bounded = cut(json, limits, unchanged);
    if (sizeOf(bounded) <= largest) return bounded;
  }
  const smallest = cut(json, SMALLEST, unchanged);
  return sizeOf(smallest) <= largest ? smallest : { leftOut: `${sizeOf(json)} characters of JSON` };
}

function sizeOf(value: Json): number {
  return JSON.stringify(value).length;
}

function cut(value: Json, limits: Limits, clean: (text: string) => string): Json {
  if (typeof value === 'string') return cutText(clean(value), limits.text);
  if (value === null || typeof value !== 'object') return value;
  const { items, depth } = limits;
  const isArray = Array.isArray as (value: unknown) => value is readonly Json[];
  const entries = isArray(value) ? value : Object.entries(value);
  if (depth === 0) return `${counted(entries.length, isArray(value) ? 'item' : 'member')} left out`;
  const inner = { ...limits, depth: depth - 1 };
  if (isArray(value)) {
    const kept = value.slice(0, items).map((item) => cut(item, inner, clean));
    return value.length > items ? [...kept, `${counted(value.length - items, 'more item')} left out`] : kept;
  }
  const kept = Object.entries(value)
    .slice(0, items)
    .map(([name, member]) => [cutText(clean(name), limits.text), cut(member, inner, clean)] as const);
  const more = entries.length - kept.length;
  return Object.fromEntries<Json>([...kept, ...(more > 0 ? [['leftOut', counted(more, 'more member')] as const] : [])]);
}

/** Code units at each end of a string that are cleaned. An output never contains more of it. */
const CLEANED_END = 2 * LARGEST_OUTPUT;

/** Cleans a string. Replaces the middle of a very long one, so that it is not examined for seconds. The length stays about the same. */
function cleanEnds(text: string, clean: (text: string) => string): string {
  const middle = text.length - 2 * CLEANED_END;
  if (middle <= 0) return clean(text);
  return clean(text.slice(0, CLEANED_END)) + ' '.repeat(middle) + clean(text.slice(-CLEANED_END));
}

/** Keeps the beginning and the end, because the end of an output often contains its error. */
function cutText(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const [head, tail] = [Math.ceil(longest * 0.7), Math.floor(longest * 0.3)];
  const left = counted(text.length - head - tail, 'character');
  return `${text.slice(0, head)} … ${left} left out … ${text.slice(-tail)}`.toWellFormed();
}

/** Returns a count with its noun in English, such as "1 item" or "2 items". */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
