import type { GatePart } from '../../../contract/gate.ts';
import type { JsonPath } from './recordedValue.ts';
import { textDifference } from './textDifference.ts';
import type { Pixels } from './imagePixels.ts';

/** Largest number of differences that are reported for a job. */
export const MAX_DIFFERENCES = 20;
/** Levels after which values are compared as a whole. */
const MAX_DEPTH = 200;
/** Longest value that a report keeps, in UTF-16 code units. Reports hide secrets and then show less, so that no part of a secret remains. */
const LONGEST_VALUE = 16_384;

/**
 * A difference between the results of a job on two versions.
 *
 * - `missing`, `added`: only the earlier or the new output has the value.
 * - `type`: the values have other types.
 * - `number`, `text`, `image`: the values differ by a fraction that is not accepted.
 * - `imageSize`, `imageFile`: the images have other dimensions, or cannot be decoded.
 * - `value`: other values differ.
 * - `errorType`, `errorMessage`: the job failed on both versions, with other errors. The path is empty. A type of null is unknown.
 */
export interface OutputDifference {
  readonly kind:
    | 'missing'
    | 'added'
    | 'type'
    | 'number'
    | 'text'
    | 'image'
    | 'imageSize'
    | 'imageFile'
    | 'value'
    | 'errorType'
    | 'errorMessage';
  /** Path in the output. */
  readonly path: JsonPath;
  /** The values, as `boundedValue` returns them. */
  readonly before: unknown;
  readonly after: unknown;
  /** Of `number`, `text`, `image`, and `errorMessage`: from 0 to 1, or more for a number. */
  readonly fraction?: number;
}

export type Tolerance = NonNullable<GatePart['tolerance']>;

/** Compares the outputs of two versions of a worker. @returns at most `MAX_DIFFERENCES` differences */
export async function compareOutputs(
  before: unknown,
  after: unknown,
  tolerance: Tolerance = {},
): Promise<readonly OutputDifference[]> {
  const found: OutputDifference[] = [];
  await compare(before, after, [], { tolerance, found });
  return found;
}

/** Returns a value, or the beginning of a long text, or that of the JSON of a large object. Outputs can have megabytes. */
export function boundedValue(value: unknown): unknown {
  if (typeof value === 'string') return value.length <= LONGEST_VALUE ? value : `${value.slice(0, LONGEST_VALUE)}…`;
  if (typeof value !== 'object' || value === null) return value;
  const json = jsonOf(value);
  return json.length <= LONGEST_VALUE ? value : `${json.slice(0, LONGEST_VALUE)}…`;
}

/** Values can be nested too deeply for `JSON.stringify`. */
function jsonOf(value: object): string {
  try {
    return JSON.stringify(value);
  } catch {
    return '…'.repeat(LONGEST_VALUE + 1);
  }
}

interface Comparison {
  readonly tolerance: Tolerance;
  readonly found: OutputDifference[];
}

async function compare(before: unknown, after: unknown, path: JsonPath, comparison: Comparison): Promise<void> {
  const { tolerance, found } = comparison;
  if (found.length >= MAX_DIFFERENCES || Object.is(before, after)) return;
  const differ = (kind: OutputDifference['kind'], fraction?: number): void => {
    const values = { before: boundedValue(before), after: boundedValue(after) };
    found.push({ kind, path, ...values, ...(fraction !== undefined && { fraction }) });
  };
  if (before === undefined) {
    differ('added');
    return;
  }
  if (after === undefined) {
    differ('missing');
    return;
  }
  if (typeOf(before) !== typeOf(after)) {
    differ('type');
    return;
  }
  if (typeof before === 'number' && typeof after === 'number') {
    const fraction = numberDifference(before, after);
    if (fraction > (tolerance.numbers ?? 0)) differ('number', fraction);
    return;
  }
  if (typeof before === 'string' && typeof after === 'string') return compareTexts(before, after, differ, tolerance);
  if (typeof before !== 'object' || typeof after !== 'object' || before === null || after === null) {
    differ('value');
    return;
  }
  if (path.length >= MAX_DEPTH) {
    differ('value');
    return;
  }
  // A list can have millions of items, most of which are equal.
  if (Array.isArray(before) && Array.isArray(after)) {
    for (let index = 0; index < Math.max(before.length, after.length); index++)
      if (!Object.is(before[index], after[index]))
        await compare(before[index], after[index], [...path, index], comparison);
    return;
  }
  const [first, second] = [before as Members, after as Members];
  for (const name of new Set([...Object.keys(first), ...Object.keys(second)]))
    await compare(own(first, name), own(second, name), [...path, name], comparison);
}

type Members = Readonly<Record<string, unknown>>;

function own(members: Members, name: string): unknown {
  return Object.hasOwn(members, name) ? members[name] : undefined;
}

function typeOf(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
}

/** Returns the difference relative to the larger number. */
function numberDifference(before: number, after: number): number {
  const largest = Math.max(Math.abs(before), Math.abs(after));
  return largest === 0 ? 0 : Math.abs(before - after) / largest;
}

async function compareTexts(
  before: string,
  after: string,
  differ: (kind: OutputDifference['kind'], fraction?: number) => void,
  tolerance: Tolerance,
): Promise<void> {
  const [first, second] = [imageContent(before), imageContent(after)];
  if (!first || !second) {
    const fraction = textDifference(before, after);
    if (fraction > (tolerance.text ?? 0)) differ('text', fraction);
    return;
  }
  const difference = await imageDifference(first, second);
  if (difference.kind === 'size') differ('imageSize');
  if (difference.kind === 'unknown') differ('imageFile');
  if (difference.kind === 'pixels' && difference.fraction > (tolerance.images ?? 0))
    differ('image', difference.fraction);
}

/** Difference of a color channel from which a pixel differs, out of 255. Encoders round colors. */
const CHANNEL_DIFFERENCE = 2;

const DATA_URI = /^data:image\/[\w.+-]{1,100};base64,/;
/** Beginning of the Base64 text of a PNG or JPEG file. */
const BARE = /^(?:iVBORw0KGgo|\/9j\/)/;
const MIN_BARE_CHARACTERS = 64;

/** Returns the content of an image in an output: a data URI, or the Base64 text of a PNG or JPEG file. Undefined for another text. */
function imageContent(text: string): Buffer | undefined {
  const [start] = DATA_URI.exec(text.slice(0, 200)) ?? [];
  if (start !== undefined) return Buffer.from(text.slice(start.length), 'base64');
  return text.length >= MIN_BARE_CHARACTERS && BARE.test(text) ? Buffer.from(text, 'base64') : undefined;
}

/**
 * - `same`: the files or their pixels are equal.
 * - `pixels`: a fraction of the pixels differs.
 * - `size`: the images have other dimensions.
 * - `unknown`: the files differ, and their format cannot be decoded.
 */
type ImageDifference =
  { readonly kind: 'same' | 'size' | 'unknown' } | { readonly kind: 'pixels'; readonly fraction: number };

/** Compares two images. PNG and JPEG files are decoded. */
async function imageDifference(before: Buffer, after: Buffer): Promise<ImageDifference> {
  if (before.equals(after)) return { kind: 'same' };
  const { pixelsOf } = await import('./imagePixels.ts');
  const [first, second]: (Pixels | undefined)[] = [pixelsOf(before), pixelsOf(after)];
  if (!first || !second) return { kind: 'unknown' };
  if (first.width !== second.width || first.height !== second.height) return { kind: 'size' };
  const total = first.width * first.height;
  let differing = 0;
  for (let pixel = 0; pixel < total; pixel++) if (isOther(first.data, second.data, 4 * pixel)) differing++;
  return differing === 0 ? { kind: 'same' } : { kind: 'pixels', fraction: differing / total };
}

function isOther(before: Uint8Array, after: Uint8Array, at: number): boolean {
  for (let channel = at; channel < at + 4; channel++)
    if (Math.abs((before[channel] ?? 0) - (after[channel] ?? 0)) > CHANNEL_DIFFERENCE) return true;
  return false;
}
