/** Size in bytes from which a JSON value is handled in parts. Smaller values take a few milliseconds to parse, serialize, and store. */
export const LARGE_BYTES = 1_048_576;
/** Size of a part in bytes. */
const PART_BYTES = 262_144;

/**
 * Returns memory for a large text. V8 maps the memory of a resizable buffer, and unmaps it with the buffer. Other buffers are allocated with
 * `malloc`, which keeps freed blocks of this size.
 */
export const largeBuffer = (byteLength: number): Buffer<ArrayBuffer> =>
  Buffer.from(new ArrayBuffer(byteLength, { maxByteLength: byteLength }));

/** A JSON value that is too large for one turn of the event loop. It exists only as text, in parts. */
export abstract class LargeJson {
  /** Length of the text in UTF-8. */
  abstract readonly byteLength: number;
  /** Yields the text in UTF-8. */
  abstract parts(): Iterable<Uint8Array>;

  /** Returns the parsed value, for code that needs it as a whole. */
  toJSON(): unknown {
    return JSON.parse(Buffer.concat([...this.parts()]).toString('utf8'));
  }
}

/** A large value in memory. */
export class BytesJson extends LargeJson {
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    super();
    this.#bytes = bytes;
  }

  get byteLength(): number {
    return this.#bytes.byteLength;
  }

  *parts(): Generator<Uint8Array> {
    for (let at = 0; at < this.byteLength; at += PART_BYTES) yield this.#bytes.subarray(at, at + PART_BYTES);
  }
}

/** Returns a value as a whole. */
export const wholeJson = (value: unknown): unknown => (value instanceof LargeJson ? value.toJSON() : value);

/** Serializes a value as `JSON.stringify` does. Large values inside of lists and objects stay as they are. */
export function serialized(value: unknown): (string | LargeJson)[] {
  if (value instanceof LargeJson) return [value];
  if (!containsLarge(value)) return [JSON.stringify(value)];
  const members = Array.isArray(value)
    ? value.map((item: unknown) => serialized(item ?? null))
    : Object.entries(value as object)
        .filter(([, member]) => member !== undefined)
        .map(([name, member]) => [`${JSON.stringify(name)}:`, ...serialized(member)]);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return [open ?? '', ...members.flatMap((member, index) => (index === 0 ? member : [',', ...member])), close ?? ''];
}

/** Yields the text of serialized values in UTF-8. */
export function* textParts(values: readonly (string | LargeJson)[]): Generator<Uint8Array> {
  for (const value of values) {
    if (value instanceof LargeJson) yield* value.parts();
    else yield Buffer.from(value);
  }
}

/** Large values are members of jobs, and jobs are items of lists. */
function containsLarge(value: unknown, levels = 2): boolean {
  if (value instanceof LargeJson) return true;
  if (levels === 0 || typeof value !== 'object' || value === null) return false;
  return Object.values(value).some((member) => containsLarge(member, levels - 1));
}
